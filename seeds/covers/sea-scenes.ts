import {
  HEIGHT,
  WIDTH,
  again,
  between,
  kept,
  landColour,
  line,
  place,
  shape,
  stroke,
  type Canvas,
  type Point,
} from './canvas';
import { birds, clouds, hills, mirrored, peak, range, sky, water } from './landforms';
import { mix } from './mood';
import { cabin, cypress, domes, felucca, junk, lighthouse, palm, sailboat } from './silhouettes';

/** Limestone towers in a bay, and a junk. */
export function karst(canvas: Canvas): string {
  const { palette } = canvas;
  const horizon = 520;
  const sunX = between(canvas, 420, 780);
  const rows = [0.1, 0.42, 0.8].map((nearness, row) => towers(canvas, horizon, row, nearness)).join('');
  const sails = mix(palette.accent, '#d8573c', 0.5);
  return (
    sky(canvas, { x: sunX, y: between(canvas, 230, 320), radius: 58 }) +
    clouds(canvas, 3, 200) +
    mirrored(rows, horizon, water(canvas, horizon, sunX), 0.26) +
    birds(canvas, sunX - 160, 240) +
    place(between(canvas, 480, 700), 690, 1.55, junk(palette.dark, sails, mix(sails, palette.dark, 0.5)))
  );
}

/** The middle of the bay stays open in the nearer rows. */
function towers(canvas: Canvas, base: number, row: number, nearness: number): string {
  const open = [0, 150, 330][row] ?? 0;
  const fill = landColour(canvas, nearness);
  const bodies: string[] = [];
  const shades: string[] = [];
  for (let x = between(canvas, -40, 20); x < WIDTH + 60; x += between(canvas, 70, 190 + row * 30)) {
    if (Math.abs(x - WIDTH / 2) < open) continue;
    const w = between(canvas, 34, 58) + row * 13;
    const top = base - between(canvas, 60, 190) - row * between(canvas, 10, 70);
    const tip = x + between(canvas, -12, 12);
    const down = base - top;
    const right = `C${tip + w * 0.5} ${top + 2} ${x + w * 0.8} ${top + Math.round(down * 0.4)} ${x + w} ${base}`;
    bodies.push(`M${x - w} ${base}Q${x - w} ${top + 4} ${tip} ${top}${right}z`);
    shades.push(
      `M${tip} ${top}${right}H${x + 10}q${between(canvas, -26, -8)} ${-Math.round(down * 0.5)} ${tip - x - 10} ${-down}z`,
    );
  }
  return (
    shape(bodies.join(''), fill) + shape(shades.join(''), mix(fill, canvas.palette.dark, 0.14 + row * 0.08))
  );
}

/** A cliff coast with a lighthouse, and a sail outside. */
export function coast(canvas: Canvas): string {
  const { palette } = canvas;
  const horizon = 430;
  const sunX = between(canvas, 180, 480);
  const cliff = (reach: number, top: number, nearness: number) => {
    const edge: Point[] = [];
    for (let y = top, x = reach; y < HEIGHT; y += between(canvas, 40, 80), x += between(canvas, -22, 16))
      edge.push([x, y]);
    const crown: Point[] = [
      [WIDTH + 20, top - 70],
      [WIDTH - 130, top - 50],
      [(reach + WIDTH) / 2, top - 18],
      [reach + 40, top - 6],
    ];
    const fill = landColour(canvas, nearness);
    const face = shape(
      `${line([...crown, ...edge, [edge.at(-1)?.[0] ?? reach, HEIGHT], [WIDTH + 20, HEIGHT]], false)}z`,
      fill,
    );
    const grass = shape(
      `${line([...crown, [reach + 6, top + 8], [reach + 130, top + 22], [WIDTH - 160, top], [WIDTH + 20, top - 12]], false)}z`,
      mix(fill, palette.light, 0.28),
    );
    const cracks = Array.from(
      { length: 7 },
      () =>
        `M${between(canvas, reach + 30, WIDTH)} ${between(canvas, top + 60, HEIGHT - 60)}l${between(canvas, -8, 8)} ${between(canvas, 50, 120)}`,
    );
    return face + grass + stroke(cracks.join(''), mix(fill, palette.dark, 0.4), 5, 'opacity=".5"');
  };
  const towerX = between(canvas, 950, 1060);
  return (
    sky(canvas, { x: sunX, y: between(canvas, 190, 290), radius: 52 }) +
    clouds(canvas, 4, 260) +
    range(canvas, 405, 26, landColour(canvas, 0.08), horizon) +
    water(canvas, horizon, sunX) +
    place(
      between(canvas, 280, 560),
      560,
      0.95,
      sailboat(palette.dark, palette.light, mix(palette.light, palette.far, 0.5)),
    ) +
    cliff(880, 450, 0.42) +
    place(towerX - 96, 412, 0.9, cabin(palette.light, palette.accent, palette.dark)) +
    place(towerX, 418, 1.85, lighthouse(palette.light, palette.accent, palette.sun)) +
    cliff(700, 610, 0.82) +
    surf(canvas, 690) +
    birds(canvas, 640, 330)
  );
}

function surf(canvas: Canvas, x: number): string {
  const foam = [0, 1, 2].map(
    (row) => `M${x - 150 + row * 30} ${700 + row * 34}q40-14 80 0t${70 - row * 16} 0`,
  );
  return stroke(foam.join(''), canvas.palette.light, 6, 'opacity=".7"');
}

/** A lagoon with a high island, a sail and palms in front; motif: `dhow` for a low coast. */
export function islands(canvas: Canvas): string {
  const { palette } = canvas;
  const horizon = 500;
  const sunX = between(canvas, 640, 980);
  const far = between(canvas, 260, 420);
  const dhow = canvas.motif === 'dhow';
  const high =
    peak(canvas, { x: far - 210, base: horizon, height: 150, width: 460, nearness: 0.2 }) +
    peak(canvas, { x: far, base: horizon, height: between(canvas, 240, 300), width: 420, nearness: 0.36 }) +
    peak(canvas, { x: far + 190, base: horizon, height: 120, width: 480, nearness: 0.5 });
  const land = dhow ? hills(canvas, 484, 12, landColour(canvas, 0.4), horizon) : high;
  const palms = [
    [1060, 780, 3.3],
    [960, 790, -2.5],
    [1140, 800, 2.3],
  ].map(([x = 0, y = 0, scale = 1]) => place(x, y, scale, shape(palm, palette.dark)));
  return (
    sky(canvas, { x: sunX, y: between(canvas, 200, 300), radius: 56 }) +
    clouds(canvas, 4, 270) +
    mirrored(land, horizon, water(canvas, horizon, sunX), 0.26) +
    place(
      between(canvas, 520, 720),
      620,
      dhow ? 1.7 : 1.1,
      dhow ? felucca(palette.dark, palette.light) : sailboat(palette.dark, palette.light, palette.accent),
    ) +
    shape('M560 800Q760 690 1220 700V800Z', mix(palette.light, palette.sky[2], 0.4)) +
    shape('M760 800Q940 730 1220 740V800Z', mix(palette.near, palette.dark, 0.5)) +
    palms.join('') +
    birds(canvas, 380, 180)
  );
}

/** White cubes and blue domes above the sea. */
export function village(canvas: Canvas): string {
  const { palette } = canvas;
  const horizon = 470;
  const sunX = between(canvas, 260, 520);
  const white = palette.light;
  const shade = mix(white, palette.far, 0.55);
  const blue = '#2f6fb3';
  const cypresses = [600, 850, 884, 1050, 1180].map((x, at) =>
    place(x, 700 - (at % 3) * 66, 0.8, shape(cypress, landColour(canvas, 0.95))),
  );
  const house = kept('h', domes(white, shade, blue, mix(blue, palette.dark, 0.3)));
  const row = (y: number, scale: number, spots: number[]) =>
    spots.map((x) => place(x, y + between(canvas, -14, 14), scale, again('h'))).join('');
  return (
    sky(canvas, { x: sunX, y: 210, radius: 54 }) +
    clouds(canvas, 3, 200) +
    mirrored(
      range(canvas, 400, 44, landColour(canvas, 0.2), horizon),
      horizon,
      water(canvas, horizon, sunX),
      0.2,
    ) +
    place(between(canvas, 220, 420), 560, 0.7, sailboat(palette.dark, white, shade)) +
    shape('M420 800C560 640 700 520 900 470S1120 420 1220 400V800Z', landColour(canvas, 0.6)) +
    house +
    row(545, 0.72, [930, 1130]) +
    row(640, -0.95, [770, 960, 1150]) +
    row(765, 1.4, [690, 1010]) +
    cypresses.join('') +
    birds(canvas, 560, 260)
  );
}

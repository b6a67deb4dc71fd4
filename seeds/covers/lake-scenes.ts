import {
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
import { cabin, castle, church, pine, rowboat } from './silhouettes';

/** A lake under mountains; motif: `church` or `castle` on an islet, `crater` without snow. */
export function lake(canvas: Canvas): string {
  const horizon = 500;
  const sunX = between(canvas, 250, 950);
  const wide = [between(canvas, 120, 330), between(canvas, 560, 700), between(canvas, 900, 1120)];
  const mountains = wide
    .map((x) =>
      peak(canvas, {
        x,
        base: horizon,
        height: between(canvas, 210, 330),
        width: between(canvas, 480, 640),
        nearness: 0.34,
        snow: canvas.motif !== 'crater' && canvas.motif !== 'castle',
      }),
    )
    .join('');
  const land =
    range(canvas, 350, 50, landColour(canvas, 0.12), horizon) +
    mountains +
    hills(canvas, 470, 34, landColour(canvas, 0.62), horizon);
  return (
    sky(canvas, { x: sunX, y: 160, radius: 46 }) +
    clouds(canvas, 4, 240) +
    mirrored(land, horizon, water(canvas, horizon, sunX), 0.32) +
    onTheLake(canvas) +
    shore(canvas)
  );
}

function onTheLake(canvas: Canvas): string {
  const { palette } = canvas;
  const x = between(canvas, 480, 700);
  if (canvas.motif === 'church') {
    const trees = [-120, -92, -66, 52, 84, 116].map((at) =>
      place(at, -6, 0.55 + Math.abs(at % 7) / 20, shape(pine, landColour(canvas, 0.9))),
    );
    const isle = shape('M-170 4Q-120-22 0-22T170 4Q0 22-170 4Z', landColour(canvas, 0.85));
    return place(
      x,
      575,
      1,
      isle +
        trees.join('') +
        place(0, -16, 1.1, church(palette.light, mix(palette.accent, palette.dark, 0.35))),
    );
  }
  if (canvas.motif === 'castle') {
    const isle = shape('M-180 10Q-140-18-60-20H70Q150-14 190 10Q0 26-180 10Z', landColour(canvas, 0.9));
    return place(
      x,
      580,
      1.15,
      shape(castle, mix(palette.dark, palette.far, 0.25), 'transform="translate(0 -14)"') + isle,
    );
  }
  return place(x, 620, 1, rowboat(palette.accent, palette.light));
}

/** Firs on both near corners. */
function shore(canvas: Canvas): string {
  const { dark } = canvas.palette;
  const bank = shape(`M-20 800V700Q120 690 260 800zM1220 800V660Q1040 690 920 800z`, dark);
  const firs = Array.from({ length: 11 }, (_, at) => {
    const left = at < 5;
    const x = left ? between(canvas, -10, 190) : between(canvas, 980, 1210);
    const y = left ? 760 : 750;
    return place(x, y, between(canvas, 13, 24) / 10, shape(pine, dark));
  });
  return bank + firs.join('');
}

/** Islands of wood cabins under snow mountains, with northern lights when it is dark. */
export function fishing(canvas: Canvas): string {
  const { palette } = canvas;
  const horizon = 520;
  const sunX = between(canvas, 200, 420);
  const spots = [140, 420, 700, 1010];
  const land =
    spots
      .map((x, at) =>
        peak(canvas, {
          x: x + between(canvas, -40, 40),
          base: horizon,
          height: between(canvas, 220, 360),
          width: between(canvas, 330, 460),
          nearness: at % 2 ? 0.3 : 0.5,
          snow: true,
        }),
      )
      .join('') + hills(canvas, 505, 12, mix(palette.light, palette.far, 0.4), horizon);
  const huts = [680, 790, 905, 1030, 1150].map((x, at) => place(x, 610 + (at % 2) * 14, 1.15, again('c')));
  return (
    sky(canvas, { x: sunX, y: 120, radius: 34 }) +
    (palette.stars ? aurora(canvas) : clouds(canvas, 3, 200)) +
    mirrored(land, horizon, water(canvas, horizon, sunX), 0.3) +
    shape('M560 660Q780 600 1220 612V700Q820 700 560 660Z', mix(palette.dark, palette.near, 0.3)) +
    kept(
      'c',
      stroke('M-26 2V34M0 2V36M26 2V34', palette.dark, 4) + cabin('#c8423a', palette.light, '#ffe9a8'),
    ) +
    huts.join('') +
    place(330, 680, 1.1, rowboat(palette.dark, palette.light))
  );
}

/** Icebergs in still water, with northern lights when it is dark. */
export function ice(canvas: Canvas): string {
  const { palette } = canvas;
  const horizon = 470;
  const sunX = between(canvas, 240, 940);
  const bergs =
    berg(canvas, 250, horizon, 150, 0.4) +
    berg(canvas, 860, horizon + 6, 230, 0.2) +
    berg(canvas, 560, horizon, 90, 0.5);
  return (
    sky(canvas, { x: sunX, y: 210, radius: 50 }) +
    (palette.stars ? aurora(canvas) : clouds(canvas, 4, 230)) +
    range(canvas, 415, 50, landColour(canvas, 0.25), horizon) +
    mirrored(bergs, horizon, water(canvas, horizon, sunX), 0.4) +
    floes(canvas) +
    place(480, 640, 1.4, rowboat(palette.accent, palette.light)) +
    birds(canvas, 620, 250)
  );
}

function berg(canvas: Canvas, x: number, base: number, height: number, tint: number): string {
  const w = height * 1.25;
  const white = mix(canvas.palette.light, canvas.palette.water, tint * 0.3);
  const top: Point[] = [
    [x - w, base],
    [x - w * 0.7, base - height * 0.45],
    [x - w * 0.3, base - height * 0.6],
    [x - w * 0.12, base - height],
    [x + w * 0.2, base - height * 0.82],
    [x + w * 0.42, base - height * 0.4],
    [x + w * 0.8, base - height * 0.3],
    [x + w, base],
  ];
  const shade: Point[] = [
    [x - w * 0.12, base - height],
    [x + w * 0.2, base - height * 0.82],
    [x + w * 0.42, base - height * 0.4],
    [x + w * 0.8, base - height * 0.3],
    [x + w, base],
    [x + w * 0.05, base],
    [x + w * 0.12, base - height * 0.4],
    [x - w * 0.06, base - height * 0.6],
  ];
  return (
    shape(`${line(top, false)}z`, white) +
    shape(`${line(shade, false)}z`, mix(white, canvas.palette.water, 0.42))
  );
}

function floes(canvas: Canvas): string {
  const slabs = Array.from({ length: 12 }, () => {
    const y = between(canvas, 540, 780);
    const w = Math.round((y - 480) * 0.55) + between(canvas, 0, 30);
    return `M${between(canvas, -40, WIDTH)} ${y}l${Math.round(w * 0.3)}-${Math.round(w * 0.12)}h${w}l${Math.round(w * 0.2)} ${Math.round(w * 0.14)}l-${Math.round(w * 0.5)} ${Math.round(w * 0.1)}z`;
  });
  return shape(slabs.join(''), canvas.palette.light, 'opacity=".85"');
}

function aurora(canvas: Canvas): string {
  const ribbon = (y: number, colour: string, strength: number) => {
    const points: Point[] = Array.from({ length: 7 }, (_, at) => [at * 200, y + between(canvas, -60, 60)]);
    const low = points.map(([x, height]): Point => [x, height + between(canvas, 80, 150)]).reverse();
    return shape(`${line(points, true)}L${line(low, true).slice(1)}z`, colour, `opacity="${strength}"`);
  };
  return ribbon(170, '#5fe3b0', 0.35) + ribbon(120, '#8df0c4', 0.3) + ribbon(230, '#7c8df0', 0.25);
}

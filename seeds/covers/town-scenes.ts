import {
  HEIGHT,
  WIDTH,
  between,
  circle,
  landColour,
  place,
  rect,
  shape,
  stroke,
  type Canvas,
} from './canvas';
import { birds, clouds, hills, mirrored, range, sky, water } from './landforms';
import { mix } from './mood';
import { lantern, pagoda, palm, rowboat, sim } from './silhouettes';

/** A pagoda above maples; motif: `sim` for a Lao hall, `lanterns` for a river town. */
export function temple(canvas: Canvas): string {
  const { palette } = canvas;
  const sunX = between(canvas, 560, 900);
  const back = sky(canvas, { x: sunX, y: between(canvas, 230, 300), radius: 104 }) + clouds(canvas, 3, 240);
  if (canvas.motif === 'lanterns') return back + lanternTown(canvas, sunX);
  const isLao = canvas.motif === 'sim';
  const building = isLao
    ? place(560, 640, 2.6, sim(palette.light, mix(palette.accent, palette.dark, 0.45), palette.accent))
    : place(520, 640, 2.9, pagoda(mix(palette.accent, palette.dark, 0.25), palette.dark));
  return (
    back +
    range(canvas, 430, 50, landColour(canvas, 0.1), HEIGHT) +
    hills(canvas, 480, 40, landColour(canvas, 0.32)) +
    hills(canvas, 560, 30, landColour(canvas, 0.55)) +
    building +
    foliage(
      canvas,
      650,
      isLao ? mix(palette.near, palette.far, 0.25) : mix(palette.accent, palette.sky[2], 0.2),
    ) +
    hills(canvas, 700, 18, palette.dark) +
    (isLao
      ? place(1040, 760, 3, shape(palm, palette.dark)) + place(140, 770, 2.4, shape(palm, palette.dark))
      : branch(canvas))
  );
}

/** Round crowns along a line. */
function foliage(canvas: Canvas, y: number, fill: string): string {
  const crowns = Array.from({ length: 17 }, (_, at) => {
    const r = between(canvas, 42, 78);
    const x = at * 76 + between(canvas, -24, 24);
    return `M${x - r} ${y + 40}a${r} ${Math.round(r * 0.9)} 0 0 1 ${2 * r} 0z`;
  });
  return shape(crowns.join(''), fill) + shape(`M0 ${y + 38}H${WIDTH}V${HEIGHT}H0z`, fill);
}

/** A blossoming or red-leaved branch that reaches in from the upper corner. */
function branch(canvas: Canvas): string {
  const { palette } = canvas;
  const dots = Array.from({ length: 44 }, () => {
    const along = canvas.random();
    return `M${Math.round(1200 - along * 470)} ${Math.round(60 + along * 120 + between(canvas, -58, 66))}h0`;
  });
  return (
    stroke(
      'M1220 40C1080 60 960 120 740 170M1060 80C1000 60 950 40 880 40M980 112C940 160 900 190 850 220',
      palette.dark,
      11,
    ) +
    stroke(dots.slice(0, 22).join(''), palette.accent, 34) +
    stroke(dots.slice(22).join(''), mix(palette.accent, palette.light, 0.4), 26)
  );
}

function lanternTown(canvas: Canvas, sunX: number): string {
  const { palette } = canvas;
  const horizon = 560;
  const walls: [string, string[]][] = [
    ['#f0c35a', []],
    ['#e9a44c', []],
    ['#f3d08a', []],
  ];
  const roofs: string[] = [];
  const doors: string[] = [];
  for (let at = 0, x = -20; x < WIDTH; at++, x += 138) {
    const eaves = horizon - between(canvas, 110, 180);
    walls[at % walls.length]?.[1].push(`M${x} ${horizon}V${eaves}h134V${horizon}z`);
    roofs.push(`M${x - 8} ${eaves + 4}q48-22 75-50q27 28 75 50z`);
    doors.push(`M${x + 30} ${horizon}v-58m37 58v-58m37 58v-58`);
  }
  const houses =
    walls.map(([colour, bodies]) => shape(bodies.join(''), mix(colour, palette.near, 0.2))).join('') +
    shape(roofs.join(''), mix(palette.dark, palette.accent, 0.2)) +
    stroke(doors.join(''), palette.dark, 16);
  const cap = palette.dark;
  const hung = [
    [90, 150, 96],
    [260, 70, 74],
    [420, 190, 60],
    [790, 60, 66],
    [960, 150, 100],
    [1120, 90, 80],
  ];
  const colours = ['#e2483d', '#f4a63a', '#d9447c'];
  return (
    hills(canvas, 400, 40, landColour(canvas, 0.2)) +
    mirrored(houses, horizon, water(canvas, horizon, sunX), 0.34) +
    place(640, 690, 1.2, rowboat(cap, palette.accent)) +
    stroke('M0 30Q300 90 600 40T1200 30', cap, 3) +
    hung.map(([x = 0, y = 0, size = 0], at) => lantern(x, y, size, colours[at % 3] ?? '', cap)).join('')
  );
}

/** A skyline with lit windows over water; motif: `bridge`, `spires`, `gateway`, `pagoda`, `tower`, `obelisk`. */
export function city(canvas: Canvas): string {
  const { palette } = canvas;
  const horizon = 600;
  const sunX = between(canvas, 260, 900);
  const land =
    skyline(canvas, horizon, 0.25, 190) +
    skyline(canvas, horizon, 0.55, 130) +
    landmark(canvas, horizon) +
    skyline(canvas, horizon, 0.85, 70);
  return (
    sky(canvas, { x: sunX, y: between(canvas, 160, 250), radius: 58 }) +
    clouds(canvas, 4, 260) +
    mirrored(land, horizon, water(canvas, horizon, sunX), 0.34) +
    (canvas.motif === 'bridge' ? bridge(canvas) : '') +
    birds(canvas, 300, 200)
  );
}

function skyline(canvas: Canvas, base: number, nearness: number, height: number): string {
  const bodies: string[] = [];
  const windows: string[] = [];
  for (let x = -20; x < WIDTH;) {
    const w = between(canvas, 48, 104);
    const h = Math.round(height * (0.6 + canvas.random() * 1.05));
    bodies.push(`M${x} ${base}v${-h}h${w}v${h}z`);
    for (let at = x + 14; at < x + w - 8; at += 18)
      if (canvas.random() < 0.55) windows.push(`M${at} ${base - 8}V${base - h + 12}`);
    x += w + between(canvas, 0, 14);
  }
  const lit = `stroke-dasharray="9 17" stroke-linecap="butt"`;
  return (
    shape(bodies.join(''), landColour(canvas, nearness)) +
    `<path d="${windows.join('')}" stroke="${canvas.palette.accent}" stroke-width="7" opacity="${0.3 + nearness * 0.4}" ${lit}/>`
  );
}

function landmark(canvas: Canvas, base: number): string {
  const { palette } = canvas;
  const fill = landColour(canvas, 0.7);
  if (canvas.motif === 'spires') {
    const spire = (x: number, h: number) =>
      `M${x - 16} ${base}L${x - 12} ${base - h * 0.6}Q${x - 8} ${base - h * 0.9} ${x} ${base - h}Q${x + 8} ${base - h * 0.9} ${x + 12} ${base - h * 0.6}L${x + 16} ${base}z`;
    return (
      shape(
        [560, 598, 640, 682, 720].map((x, at) => spire(x, [300, 370, 430, 380, 310][at] ?? 0)).join(''),
        fill,
      ) + circle(640, base - 434, 7, palette.accent)
    );
  }
  if (canvas.motif === 'gateway') {
    return (
      shape(
        `M500 ${base}V${base - 210}H528V${base - 240}H552V${base - 214}H648V${base - 240}H672V${base - 210}H700V${base}H640V${base - 96}Q600 ${base - 160} 560 ${base - 96}V${base}z`,
        fill,
      ) + shape(`M524 ${base - 240}a14 18 0 0 1 32 0zM644 ${base - 240}a14 18 0 0 1 32 0z`, palette.accent)
    );
  }
  if (canvas.motif === 'pagoda')
    return place(600, base, 2.9, pagoda(mix(palette.accent, palette.dark, 0.2), palette.dark));
  if (canvas.motif === 'tower') {
    return (
      shape(
        `M560 ${base}Q592 ${base - 190} 597 ${base - 400}H603Q608 ${base - 190} 640 ${base}H622Q600 ${base - 110} 578 ${base}z`,
        palette.accent,
      ) + stroke(`M570 ${base - 96}H630M586 ${base - 210}H614M600 ${base - 396}v-44`, palette.accent, 8)
    );
  }
  if (canvas.motif === 'obelisk') {
    return (
      shape(
        `M578 ${base}L588 ${base - 330}L600 ${base - 366}L612 ${base - 330}L622 ${base}z`,
        palette.light,
      ) +
      shape(`M600 ${base - 366}L612 ${base - 330}L622 ${base}H604z`, mix(palette.light, palette.near, 0.35))
    );
  }
  return '';
}

function bridge(canvas: Canvas): string {
  const { dark } = canvas.palette;
  const hangers = Array.from({ length: 25 }, (_, at) => {
    const x = 330 + at * 22.5;
    const sag = Math.round(420 + 190 * (1 - ((x - 600) / 270) ** 2));
    return `M${x} ${Math.min(sag, 640)}V640`;
  });
  return (
    shape(
      'M300 400Q330 370 360 400V800H300zM322 460V560H338V460zM840 400Q870 370 900 400V800H840zM862 460V560H878V460z',
      dark,
      'fill-rule="evenodd"',
    ) +
    stroke('M-20 620Q200 590 330 410Q600 820 870 410Q1000 590 1220 620', dark, 6) +
    stroke(hangers.join(''), dark, 2) +
    rect(-20, 640, 1240, 20, dark)
  );
}

import { HEIGHT, WIDTH, between, landColour, place, shape, stroke, type Canvas } from './canvas';
import { clouds, hills, mirrored, range, sky, water } from './landforms';
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

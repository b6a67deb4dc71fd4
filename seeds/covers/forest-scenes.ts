import {
  HEIGHT,
  WIDTH,
  again,
  between,
  circle,
  kept,
  landColour,
  place,
  shape,
  stroke,
  type Canvas,
} from './canvas';
import { birds, clouds, hills, peak, range, sky } from './landforms';
import { mix } from './mood';
import { cabin, condor, figure, palm, pine } from './silhouettes';

/** Leaves, mist and a waterfall. */
export function jungle(canvas: Canvas): string {
  const { palette } = canvas;
  const sunX = between(canvas, 240, 520);
  const fall = between(canvas, 640, 780);
  const mist = (y: number) =>
    shape(
      `M-20 ${y}Q300 ${y - 44} 620 ${y}T1220 ${y - 10}V${y + 46}Q900 ${y + 70} 600 ${y + 40}T-20 ${y + 50}Z`,
      palette.light,
      'opacity=".3"',
    );
  const pool = mix(palette.water, palette.light, 0.25);
  return (
    sky(canvas, { x: sunX, y: 180, radius: 62 }) +
    clouds(canvas, 3, 200) +
    hills(canvas, 320, 60, landColour(canvas, 0.15)) +
    crowns(canvas, 430, 0.36) +
    mist(400) +
    shape(
      `M${fall - 100} 800Q${fall - 40} 560 ${fall} 440H${fall + 60}Q${fall + 100} 560 ${fall + 160} 800z`,
      mix(landColour(canvas, 0.8), palette.dark, 0.35),
    ) +
    shape(`M${fall + 2} 446q28-12 56 0q8 110 14 240h-84q6-130 14-240z`, palette.light) +
    stroke(`M${fall + 18} 462q-6 110-12 220M${fall + 40} 462q6 110 10 220`, pool, 4) +
    shape(`M${fall - 190} 800Q${fall - 90} 672 ${fall + 30} 676T${fall + 250} 800z`, pool) +
    stroke(
      `M${fall - 40} 700h130M${fall - 90} 730h90M${fall + 60} 738h80`,
      palette.light,
      5,
      'opacity=".8"',
    ) +
    crowns(canvas, 540, 0.58, fall) +
    mist(590) +
    crowns(canvas, 680, 0.82, fall) +
    [fall - 130, fall + 190]
      .map((x) => circle(x, 790, 84, mix(landColour(canvas, 0.95), palette.dark, 0.2)))
      .join('') +
    [90, 260, 1090]
      .map((x, at) => place(x, 700, 2 + at * 0.5, shape(palm, mix(palette.near, palette.dark, 0.6))))
      .join('') +
    leaves(canvas) +
    birds(canvas, 480, 240)
  );
}

/** Treetops, parted where the water falls. */
function crowns(canvas: Canvas, y: number, nearness: number, gap = -200): string {
  const fill = landColour(canvas, nearness);
  const tops = Array.from({ length: 11 }, (_, at) => {
    const r = between(canvas, 62, 104);
    const x = at * 118 + between(canvas, -20, 20);
    return Math.abs(x - gap - 30) < 110
      ? ''
      : `M${x - r} ${HEIGHT}V${y}a${r} ${Math.round(r * 0.8)} 0 0 1 ${2 * r} 0V${HEIGHT}z`;
  });
  return shape(tops.join(''), fill);
}

function leaves(canvas: Canvas): string {
  const blade = (x: number, y: number, angle: number, size: number, fill: string) =>
    `<g transform="translate(${x} ${y})rotate(${angle})scale(${size})">${again('l', fill)}</g>`;
  const veins = 'M0 0V-214M0-60L-24-96M0-60L24-96M0-110L-24-146M0-110L24-146';
  const { dark } = canvas.palette;
  const lit = mix(dark, canvas.palette.near, 0.45);
  return (
    kept(
      'l',
      `<path d="M0 0C-46-50-44-150 0-230C44-150 46-50 0 0Z"/>${stroke(veins, canvas.palette.near, 3)}`,
    ) +
    [-8, 22, 50]
      .map((angle, at) => blade(30 + at * 40, 840, angle, 1.15 - at * 0.12, at % 2 ? lit : dark))
      .join('') +
    [-62, -34, -6, 20]
      .map((angle, at) => blade(1080 + at * 36, 850, angle, 0.95 + at * 0.1, at % 2 ? dark : lit))
      .join('')
  );
}

/** A cone with a wisp of steam, and walkers below. */
export function volcano(canvas: Canvas): string {
  const c = canvas.palette;
  const x = between(canvas, 480, 720);
  const cone = `M${x - 470} 640C${x - 240} 560 ${x - 130} 360 ${x - 62} 240Q${x} 262 ${x + 58} 236C${x + 140} 360 ${x + 250} 560 ${x + 490} 640z`;
  const shade = `M${x + 58} 236C${x + 140} 360 ${x + 250} 560 ${x + 490} 640H${x + 90}C${x + 60} 500 ${x + 10} 380 ${x + 20} 254z`;
  const cap = `M${x - 62} 240Q${x} 262 ${x + 58} 236L${x + 104} 320L${x + 62} 296L${x + 40} 352L${x + 4} 300L${x - 34} 362L${x - 56} 308L${x - 108} 326z`;
  const rock = landColour(canvas, 0.45);
  return (
    sky(canvas, { x: x + (canvas.random() < 0.5 ? -340 : 340), y: 200, radius: 54 }) +
    clouds(canvas, 3, 240) +
    shape(
      `M${x - 10} 246C${x - 34} 200 ${x + 26} 186 ${x + 6} 140S${x + 64} 96 ${x + 92} 104C${x + 66} 130 ${x + 76} 160 ${x + 50} 180S${x + 34} 220 ${x + 26} 246z`,
      c.light,
      'opacity=".7"',
    ) +
    range(canvas, 560, 36, landColour(canvas, 0.18), HEIGHT) +
    shape(cone, rock) +
    shape(shade, mix(rock, c.dark, 0.3)) +
    shape(cap, mix(c.light, rock, 0.12)) +
    hills(canvas, 620, 22, landColour(canvas, 0.62)) +
    hills(canvas, 690, 20, landColour(canvas, 0.8)) +
    [520, 560, 604].map((at, n) => place(at, 704 - n * 3, 0.75, shape(figure, c.dark))).join('') +
    hills(canvas, 740, 16, c.dark) +
    [60, 130, 1010, 1120].map((at, n) => place(at, 760, 1.2 + n * 0.1, shape(pine, c.dark))).join('')
  );
}

/** High peaks over forest; motif: `condor`, `walkers`, `hut`. */
export function mountains(canvas: Canvas): string {
  const main = between(canvas, 480, 760);
  const back = [main - 420, main + 380, main - 180].map((x) =>
    peak(canvas, { x, base: 640, height: between(canvas, 290, 370), width: 620, nearness: 0.22, snow: true }),
  );
  return (
    sky(canvas, {
      x: main + (canvas.random() < 0.5 ? -330 : 330),
      y: between(canvas, 130, 210),
      radius: 50,
    }) +
    clouds(canvas, 4, 260) +
    back.join('') +
    peak(canvas, { x: main, base: 680, height: 510, width: 860, nearness: 0.42, snow: true }) +
    hills(canvas, 600, 34, landColour(canvas, 0.62)) +
    forest(canvas, 660, 0.78, 0.9) +
    onTheTrail(canvas) +
    forest(canvas, 790, 1, 1.9)
  );
}

/** A slope with a fringe of firs in one path. */
function forest(canvas: Canvas, y: number, nearness: number, size: number): string {
  const fill = nearness === 1 ? canvas.palette.dark : landColour(canvas, nearness);
  const trees: string[] = [];
  for (let x = -10; x < WIDTH + 20; x += between(canvas, 26, 52) * size) {
    if (nearness === 1 && x > 330 && x < 850) continue;
    const h = Math.round(between(canvas, 52, 92) * size);
    const w = Math.round(h * 0.2);
    trees.push(`M${Math.round(x)} ${y - h}l${w} ${h}h${-2 * w}z`);
  }
  return shape(trees.join(''), fill) + hills(canvas, y + 6, 14, fill);
}

function onTheTrail(canvas: Canvas): string {
  const { palette } = canvas;
  if (canvas.motif === 'condor')
    return (
      place(430, 250, 1.1, shape(condor, palette.dark)) + place(720, 160, 0.5, shape(condor, palette.dark))
    );
  if (canvas.motif === 'hut') return place(600, 690, 1.3, cabin(palette.accent, palette.dark, '#ffe9a8'));
  return [540, 576, 618].map((x, at) => place(x, 700 - at * 3, 0.62, shape(figure, palette.dark))).join('');
}

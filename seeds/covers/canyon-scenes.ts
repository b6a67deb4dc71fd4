import {
  HEIGHT,
  WIDTH,
  between,
  landColour,
  line,
  place,
  shape,
  stroke,
  type Canvas,
  type Point,
} from './canvas';
import { clouds, hills, range, sky } from './landforms';
import { mix } from './mood';
import { camel, figure } from './silhouettes';

/** Banded rock; motif: `arch`, `tomb` (a carved front), `monolith`. */
export function canyon(canvas: Canvas): string {
  const sunX = between(canvas, 380, 820);
  return (
    sky(canvas, { x: sunX, y: between(canvas, 180, 260), radius: 60 }) +
    clouds(canvas, 3, 220) +
    range(canvas, 430, 24, landColour(canvas, 0.06), HEIGHT) +
    (canvas.motif === 'monolith' ? monolith(canvas) : mesas(canvas)) +
    hills(canvas, 690, 26, landColour(canvas, 0.9)) +
    scrub(canvas)
  );
}

function mesas(canvas: Canvas): string {
  return (
    mesa(canvas, { left: 60, right: 360, top: 300, nearness: 0.22 }) +
    mesa(canvas, { left: 760, right: 1130, top: 270, nearness: 0.3 }) +
    mesa(canvas, { left: 470, right: 600, top: 340, nearness: 0.36 }) +
    hills(canvas, 560, 22, landColour(canvas, 0.45)) +
    centrepiece(canvas) +
    mesa(canvas, { left: -80, right: 190, top: 380, nearness: 0.72 })
  );
}

/** One great rock on a plain. */
function monolith(canvas: Canvas): string {
  const rock = landColour(canvas, 0.62);
  const dark = mix(rock, canvas.palette.dark, 0.3);
  const gullies = [300, 390, 470, 560, 640, 730, 810, 890].map(
    (x) =>
      `M${x} ${between(canvas, 350, 390)}q${between(canvas, -14, 14)} 60 ${between(canvas, -26, 10)} ${between(canvas, 120, 190)}`,
  );
  return (
    shape(
      'M120 600C150 560 170 430 240 360C300 318 420 322 520 316S740 312 830 336C930 366 1010 480 1060 600Z',
      rock,
    ) +
    shape('M830 336C930 366 1010 480 1060 600H820C850 520 800 420 830 336Z', dark, 'opacity=".7"') +
    stroke(gullies.join(''), dark, 7, 'opacity=".6"') +
    hills(canvas, 590, 10, landColour(canvas, 0.36)) +
    hills(canvas, 630, 12, mix(landColour(canvas, 0.5), '#7d8a4a', 0.4))
  );
}

function mesa(canvas: Canvas, at: { left: number; right: number; top: number; nearness: number }): string {
  const { left, right, top, nearness } = at;
  const side = (x: number, out: number): Point[] => {
    const points: Point[] = [];
    for (let y = top, at = x; y < 640; y += between(canvas, 36, 70)) {
      points.push([at, y]);
      at += out * between(canvas, -4, 26);
    }
    return points;
  };
  const west = side(left, -1);
  const east = side(right, 1);
  const fill = landColour(canvas, nearness);
  const bands = [0.16, 0.34, 0.46, 0.7].map((share) => {
    const y = Math.round(top + (620 - top) * share);
    return `M${left - share * 60 + 14} ${y}Q${(left + right) / 2} ${y + between(canvas, -14, 14)} ${right + share * 60 - 14} ${y + between(canvas, -8, 8)}`;
  });
  const shade: Point[] = [
    [right, top],
    ...east,
    [right - 40, 660],
    [right - between(canvas, 30, 80), top + 160],
    [right - 40, top + 4],
  ];
  return (
    shape(`${line([...west.reverse(), ...east, [right + 80, 700], [left - 80, 700]], false)}z`, fill) +
    stroke(bands.join(''), mix(fill, canvas.palette.light, 0.35), 9, 'opacity=".55"') +
    shape(`${line(shade, false)}z`, mix(fill, canvas.palette.dark, 0.3), 'opacity=".75"')
  );
}

function centrepiece(canvas: Canvas): string {
  const { palette } = canvas;
  const rock = landColour(canvas, 0.62);
  const deep = mix(rock, palette.dark, 0.55);
  if (canvas.motif === 'arch') {
    return (
      shape(
        'M520 700C540 560 560 420 690 372C850 330 930 440 950 560L978 700H870C872 560 840 470 752 478C676 486 650 580 640 700Z',
        rock,
      ) +
      shape(
        'M950 560L978 700H870C872 560 840 470 752 478C840 440 890 500 950 560Z',
        mix(rock, palette.dark, 0.3),
      ) +
      place(700, 690, 0.6, shape(figure, palette.dark))
    );
  }
  if (canvas.motif === 'tomb') {
    const steps =
      'M0-178V-206H16V-222H32V-238H62V-206H70V-178ZM210-178V-206H194V-222H178V-238H148V-206H140V-178Z';
    const front = `M0 0V-178H210V0ZM84 0V-92L105-112L126-92V0Z`;
    return (
      shape('M470 720C470 560 500 420 600 376C700 330 900 340 940 470C960 540 980 640 990 720Z', rock) +
      place(
        630,
        690,
        1.02,
        shape(steps, mix(rock, palette.light, 0.35)) +
          shape(front, mix(rock, palette.light, 0.28), 'fill-rule="evenodd"') +
          shape('M84 0V-92L105-112L126-92V0Z', deep) +
          stroke(
            'M-6-178H216M-4-164H214M18-160V0M62-160V0M148-160V0M192-160V0M70-116L105-140L140-116',
            deep,
            5,
          ),
      ) +
      place(580, 698, 0.6, shape(camel, palette.dark))
    );
  }
  return '';
}

function scrub(canvas: Canvas): string {
  const tufts = Array.from({ length: 16 }, () => {
    const x = between(canvas, 0, WIDTH);
    const y = between(canvas, 715, 790);
    return `M${x} ${y}l-10-22M${x} ${y}l0-30M${x} ${y}l11-20`;
  });
  return stroke(tufts.join(''), canvas.palette.dark, 4);
}

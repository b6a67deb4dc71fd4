import { HEIGHT, WIDTH, between, landColour, place, shape, stroke, type Canvas } from './canvas';
import { birds, clouds, hills, peak, range, sky } from './landforms';
import { mix } from './mood';
import { acacia, cabin, cypress, elephant, giraffe } from './silhouettes';

/** Acacias against a great sun; motif: `elephants`, or `peak` for giraffes and a snow mountain. */
export function savanna(canvas: Canvas): string {
  const { palette } = canvas;
  const sunX = between(canvas, 430, 780);
  const beast = canvas.motif === 'elephants' ? elephant : giraffe;
  const herd = [0, 1, 2, 3].map((at) =>
    place(470 + at * 122, 676 + (at % 2) * 6, [1.2, 1, 1.25, 0.62][at] ?? 1, shape(beast, palette.dark)),
  );
  const grass = Array.from(
    { length: 46 },
    () =>
      `M${between(canvas, 0, WIDTH)} 800q${between(canvas, -10, 10)}-${between(canvas, 20, 50)} ${between(canvas, -22, 22)}-${between(canvas, 46, 84)}`,
  );
  return (
    sky(canvas, canvas.motif === 'peak' ? { x: 240, y: 200, radius: 60 } : { x: sunX, y: 380, radius: 128 }) +
    clouds(canvas, 3, 200) +
    (canvas.motif === 'peak' ? broadPeak(canvas) : '') +
    range(canvas, 505, 30, landColour(canvas, 0.14), HEIGHT) +
    hills(canvas, 560, 14, landColour(canvas, 0.4)) +
    [140, 330, 930]
      .map((x, at) => place(x, 585 - at * 4, 0.7 + at * 0.12, shape(acacia, landColour(canvas, 0.7))))
      .join('') +
    hills(canvas, 640, 12, landColour(canvas, 0.78)) +
    herd.join('') +
    place(1050, 700, 3.1, shape(acacia, palette.dark)) +
    hills(canvas, 720, 16, palette.dark) +
    stroke(grass.join(''), palette.dark, 4) +
    birds(canvas, sunX - 240, 250)
  );
}

/** A wide old volcano with snow on its flat top. */
function broadPeak(canvas: Canvas): string {
  const rock = landColour(canvas, 0.3);
  return (
    shape('M60 540C300 480 430 330 540 240Q580 214 640 222T760 236C880 330 1000 480 1220 540Z', rock) +
    shape(
      'M760 236C880 330 1000 480 1220 540H800C840 440 720 340 700 226Z',
      mix(rock, canvas.palette.dark, 0.2),
    ) +
    shape(
      'M540 240Q580 214 640 222T760 236L842 312L796 296L770 332L724 286L690 340L648 290L606 330L570 292L524 318L470 304Z',
      canvas.palette.light,
    )
  );
}

/** Rows that run to the hills; motif: `andes` for snow peaks, `river` for a valley, `agave`. */
export function vineyard(canvas: Canvas): string {
  const { palette } = canvas;
  const sunX = between(canvas, 240, 940);
  const vanish = between(canvas, 480, 740);
  const field = landColour(canvas, 0.5);
  const rows = Array.from({ length: 21 }, (_, at) => {
    const foot = (at - 10) * 150 + 600;
    return `M${vanish + (at - 10) * 26} 560L${foot} 820h${-46}z`;
  });
  const behind =
    canvas.motif === 'andes'
      ? [150, 520, 900, 1140]
          .map((x) =>
            peak(canvas, {
              x,
              base: 520,
              height: between(canvas, 210, 300),
              width: 480,
              nearness: 0.25,
              snow: true,
            }),
          )
          .join('')
      : hills(canvas, 400, 50, landColour(canvas, 0.16));
  return (
    sky(canvas, { x: sunX, y: 190, radius: 58 }) +
    clouds(canvas, 4, 240) +
    behind +
    hills(canvas, 470, 26, landColour(canvas, 0.34)) +
    (canvas.motif === 'river' ? terraces(canvas) : '') +
    hills(canvas, 530, 16, landColour(canvas, 0.42)) +
    place(300, 548, 1.25, cabin(palette.light, mix(palette.accent, palette.dark, 0.3), palette.dark)) +
    [215, 370, 400, 920]
      .map((x, at) => place(x, 552, 1.1 + (at % 3) * 0.25, shape(cypress, landColour(canvas, 0.9))))
      .join('') +
    shape(`M-20 570Q${vanish} 540 1220 570V800H-20z`, field) +
    shape(rows.join(''), landColour(canvas, 0.82)) +
    (canvas.motif === 'agave' ? agaves(canvas) : '') +
    birds(canvas, 760, 250)
  );
}

function terraces(canvas: Canvas): string {
  const steps = [0, 1, 2, 3, 4].map(
    (at) => `M${620 + at * 16} ${440 + at * 20}Q900 ${400 + at * 24} 1220 ${380 + at * 30}`,
  );
  return (
    shape('M560 540Q800 400 1220 360V560Z', landColour(canvas, 0.46)) +
    stroke(steps.join(''), landColour(canvas, 0.75), 5)
  );
}

function agaves(canvas: Canvas): string {
  const one = 'M0 0L-70-44L-16-22L-48-92L-4-34L0-120L8-34L50-92L18-22L70-44Z';
  return [120, 470, 800, 1100]
    .map((x, at) =>
      place(x, 800, 1.3 + (at % 2) * 0.4, shape(one, at % 2 ? canvas.palette.dark : landColour(canvas, 1))),
    )
    .join('');
}

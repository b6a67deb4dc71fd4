import { HEIGHT, WIDTH, between, landColour, place, shape, stroke, type Canvas } from './canvas';
import { birds, clouds, hills, mirrored, range, sky, water } from './landforms';
import { mix } from './mood';
import { camel, cypress, felucca, figure, palm } from './silhouettes';

/** Dunes with a caravan; motif: `river` for feluccas and pyramids, `trees` for bare trees. */
export function desert(canvas: Canvas): string {
  const { palette } = canvas;
  const sunX = between(canvas, 240, 960);
  const back = sky(canvas, { x: sunX, y: between(canvas, 220, 300), radius: 74 });
  if (canvas.motif === 'river') return back + river(canvas, sunX);
  return (
    back +
    hills(canvas, 440, 26, landColour(canvas, 0.08)) +
    dune(canvas, { crest: between(canvas, 300, 460), top: 400, foot: 560, nearness: 0.3 }) +
    dune(canvas, { crest: between(canvas, 780, 980), top: 440, foot: 620, nearness: 0.5 }) +
    (canvas.motif === 'trees' ? deadTrees(canvas) : caravan(canvas)) +
    dune(canvas, { crest: between(canvas, 160, 320), top: 600, foot: 800, nearness: 0.78 }) +
    stroke(
      `M760 700q120-20 240 4M700 730q150-24 300 6M820 762q110-16 230 6`,
      mix(palette.near, palette.light, 0.2),
      3,
      'opacity=".5"',
    )
  );
}

/** A crest with a lit and a shaded side. */
function dune(canvas: Canvas, at: { crest: number; top: number; foot: number; nearness: number }): string {
  const { crest, top, foot, nearness } = at;
  const lit = landColour(canvas, nearness);
  const dark = mix(lit, canvas.palette.dark, 0.3);
  const slope = `M-20 ${foot}C${crest - 300} ${foot - 10} ${crest - 120} ${top + 10} ${crest} ${top}`;
  const lee = `C${crest + 130} ${top + 60} ${crest + 330} ${foot - 70} 1220 ${foot - 40}`;
  const ridge = `C${crest - 30} ${top + 120} ${crest + 40} ${top + 60} ${crest} ${top}`;
  return (
    shape(`${slope}${lee}V${HEIGHT}H-20z`, lit) +
    shape(`M${crest} ${top}${lee}V${HEIGHT}H${crest + 90}L${crest + 60} ${foot}${ridge}z`, dark)
  );
}

function caravan(canvas: Canvas): string {
  const { dark } = canvas.palette;
  const x = between(canvas, 330, 460);
  return [0, 1, 2, 3]
    .map((at) => place(x + at * 118, 622 - at * 7, at === 3 ? 0.95 : 0.88, shape(camel, dark)))
    .concat(place(x + 486, 596, 0.7, shape(figure, dark)))
    .join('');
}

function deadTrees(canvas: Canvas): string {
  const bare =
    'M0 0C-2-30 2-50-4-70M-3-40C-20-56-26-70-24-92M-1-52C14-66 22-72 24-98M-22-70L-38-80M18-74L36-82M-4-70L-10-104';
  return [380, 540, 800, 900]
    .map((x, at) => place(x, 640 - (at % 2) * 26, 1 + (at % 3) * 0.3, stroke(bare, canvas.palette.dark, 6)))
    .join('');
}

function river(canvas: Canvas, sunX: number): string {
  const { palette } = canvas;
  const pyramid = (x: number, size: number) =>
    shape(`M${x - size} 500L${x} ${500 - size * 1.15}L${x + size} 500z`, landColour(canvas, 0.32)) +
    shape(`M${x} ${500 - size * 1.15}L${x + size} 500H${x + size * 0.25}z`, landColour(canvas, 0.52));
  const land =
    pyramid(330, 150) +
    pyramid(590, 205) +
    pyramid(800, 110) +
    hills(canvas, 492, 10, landColour(canvas, 0.6), 540);
  const grove = [60, 130, 960, 1030, 1120, 1170].map((x, at) =>
    place(x, 545, 0.75 + (at % 3) * 0.22, shape(palm, mix(palette.near, palette.dark, 0.4))),
  );
  return (
    hills(canvas, 450, 30, landColour(canvas, 0.12), 540) +
    mirrored(land + grove.join(''), 540, water(canvas, 540, sunX), 0.28) +
    place(420, 680, 1.3, felucca(palette.dark, palette.light)) +
    place(840, 620, 0.8, felucca(palette.dark, mix(palette.light, palette.far, 0.3))) +
    birds(canvas, 760, 210)
  );
}

/** A salt flat under water: everything twice, and a small party walking. */
export function salt(canvas: Canvas): string {
  const { palette } = canvas;
  const horizon = 470;
  const sunX = between(canvas, 420, 800);
  const party = [520, 560, 590, 648].map((x, at) =>
    place(x, horizon + 66, 0.9 - (at % 2) * 0.1, shape(figure, palette.dark)),
  );
  const island =
    shape(
      `M820 ${horizon}Q870 ${horizon - 56} 940 ${horizon - 50}T1090 ${horizon}z`,
      landColour(canvas, 0.6),
    ) +
    [880, 930, 985]
      .map((x, at) => place(x, horizon - 36, 0.4 + at * 0.06, shape(cypress, landColour(canvas, 0.85))))
      .join('');
  const land = clouds(canvas, 7, 330) + range(canvas, 420, 40, landColour(canvas, 0.3), horizon) + island;
  const cells = Array.from({ length: 5 }, (_, row) => {
    const y = horizon + 110 + row * row * 14;
    const step = 70 + row * 34;
    const path = Array.from(
      { length: Math.ceil(WIDTH / step) + 1 },
      (_, at) =>
        `l${step / 2} ${(at % 2 ? -1 : 1) * (8 + row * 4)}l${step / 2} ${(at % 2 ? 1 : -1) * (4 + row * 2)}`,
    );
    return `M${-step * (row % 2 ? 0.5 : 0)} ${y}${path.join('')}`;
  });
  return (
    sky(canvas, { x: sunX, y: 250, radius: 60 }) +
    mirrored(land, horizon, water(canvas, horizon, sunX), 0.6) +
    stroke(cells.join(''), palette.light, 3, 'opacity=".35"') +
    party.join('') +
    party.map((one) => one.replace(/scale\(([\d.]+)\)/, 'scale($1 -$1)')).join('')
  );
}

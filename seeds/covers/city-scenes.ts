import { between, circle, landColour, place, rect, shape, stroke, WIDTH, type Canvas } from './canvas';
import { birds, clouds, mirrored, sky, water } from './landforms';
import { mix } from './mood';
import { pagoda } from './silhouettes';

const QUAY = 600;
const LIT = '#ffd489';

/** What a city is known by, on the quay before its skyline. */
const landmarks: Record<string, (canvas: Canvas) => string> = {
  gateway,
  obelisk,
  pagoda: tiers,
  spires,
  tower,
};

/** A skyline with lit windows over water; motif: one of `landmarks`, or `bridge`. */
export function city(canvas: Canvas): string {
  const sunX = between(canvas, 260, 900);
  const landmark = landmarks[canvas.motif];
  const land =
    skyline(canvas, 0.25, 190, false) +
    skyline(canvas, 0.5, 130, false) +
    skyline(canvas, 0.82, 70, landmark !== undefined) +
    (landmark?.(canvas) ?? '');
  return (
    sky(canvas, { x: sunX, y: between(canvas, 160, 250), radius: 58 }) +
    clouds(canvas, 4, 260) +
    mirrored(land, QUAY, water(canvas, QUAY, sunX), 0.34) +
    (canvas.motif === 'bridge' ? bridge(canvas) : '') +
    birds(canvas, 300, 200)
  );
}

/** A row of houses; dashes on upright lines make their windows. */
function skyline(canvas: Canvas, nearness: number, height: number, open: boolean): string {
  const bodies: string[] = [];
  const windows: string[] = [];
  for (let x = -20, w = 0; x < WIDTH; x += w + between(canvas, 0, 14)) {
    w = between(canvas, 48, 104);
    if (open && x + w > 480 && x < 720) continue;
    const h = Math.round(height * (0.6 + canvas.random() * 1.05));
    bodies.push(`M${x} ${QUAY}v${-h}h${w}v${h}z`);
    for (let at = x + 14; at < x + w - 8; at += 18) {
      if (canvas.random() < 0.55) windows.push(`M${at} ${QUAY - 8}V${QUAY - h + 12}`);
    }
  }
  const glass = canvas.palette.stars ? canvas.palette.accent : LIT;
  return (
    shape(bodies.join(''), landColour(canvas, nearness)) +
    `<path d="${windows.join('')}" stroke="${glass}" stroke-width="7" stroke-dasharray="9 17" opacity="${0.3 + nearness * 0.4}"/>`
  );
}

function spires(canvas: Canvas): string {
  const heights = [300, 370, 430, 380, 310];
  const one = (h: number, at: number) => {
    const x = 560 + at * 40;
    const [waist, neck] = [QUAY - Math.round(h * 0.6), QUAY - Math.round(h * 0.9)];
    return `M${x - 18} ${QUAY}L${x - 13} ${waist}Q${x - 9} ${neck} ${x} ${QUAY - h}Q${x + 9} ${neck} ${x + 13} ${waist}L${x + 18} ${QUAY}z`;
  };
  const porch = `M540 ${QUAY}V${QUAY - 104}L590 ${QUAY - 140}L640 ${QUAY - 190}L690 ${QUAY - 140}L740 ${QUAY - 104}V${QUAY}z`;
  const doors = 'M562 600v-58q17-34 34 0v58zM622 600v-78q18-40 36 0v78zM684 600v-58q17-34 34 0v58z';
  return (
    shape(heights.map(one).join('') + porch, landColour(canvas, 0.9)) +
    shape(doors, LIT, 'opacity=".8"') +
    circle(640, QUAY - 434, 7, LIT) +
    stroke(
      'M560 420v-60M600 400v-80M640 380v-110M680 400v-80M720 420v-60',
      LIT,
      4,
      'opacity=".6" stroke-dasharray="3 16"',
    )
  );
}

function gateway(canvas: Canvas): string {
  const stone = landColour(canvas, 0.95);
  return (
    shape('M488 600V400H520V366H548V392H652V366H680V400H712V600H644V500Q600 436 556 500V600z', stone) +
    shape('M516 366a18 22 0 0 1 36 0zM648 366a18 22 0 0 1 36 0z', canvas.palette.accent) +
    stroke('M496 424H704M496 440H704', mix(stone, canvas.palette.light, 0.4), 4) +
    shape('M460 600h280v10h-280z', canvas.palette.dark)
  );
}

function tower(canvas: Canvas): string {
  const { accent } = canvas.palette;
  return (
    shape('M556 600Q592 410 597 200H603Q608 410 644 600H624Q600 490 576 600z', accent) +
    stroke('M568 504H632M586 390H614M600 204v-44', accent, 8)
  );
}

function obelisk(canvas: Canvas): string {
  const { light, near, dark } = canvas.palette;
  return (
    shape('M576 600L588 270L600 234L612 270L624 600z', light) +
    shape('M600 234L612 270L624 600H604z', mix(light, near, 0.35)) +
    shape('M550 590h100v14h-100z', dark)
  );
}

function tiers(canvas: Canvas): string {
  const { accent, dark } = canvas.palette;
  return place(600, QUAY, 2.9, pagoda(mix(accent, dark, 0.2), dark));
}

function bridge(canvas: Canvas): string {
  const { dark } = canvas.palette;
  const hangers = Array.from({ length: 25 }, (_, at) => {
    const x = 330 + at * 22.5;
    return `M${x} ${Math.round(420 + 190 * (1 - ((x - 600) / 270) ** 2))}V640`;
  });
  const pylons =
    'M300 400Q330 370 360 400V800H300zM322 460V560H338V460zM840 400Q870 370 900 400V800H840zM862 460V560H878V460z';
  return (
    shape(pylons, dark, 'fill-rule="evenodd"') +
    stroke('M-20 620Q200 590 330 410Q600 820 870 410Q1000 590 1220 620', dark, 6) +
    stroke(hangers.join(''), dark, 2) +
    rect(-20, 640, 1240, 20, dark)
  );
}

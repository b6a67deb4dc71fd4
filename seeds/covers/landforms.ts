import {
  between,
  circle,
  HEIGHT,
  landColour,
  line,
  rect,
  shape,
  stroke,
  WIDTH,
  type Canvas,
  type Point,
} from './canvas';
import { mix } from './mood';

const EDGE = 20;

/** The sky with its sun or moon, and stars where the mood has them. */
export function sky(canvas: Canvas, sun: { x: number; y: number; radius: number }): string {
  const { sky: colours, sun: sunColour, stars } = canvas.palette;
  const stops = colours.map((colour, at) => `<stop offset="${at * 0.42}" stop-color="${colour}"/>`).join('');
  const defs =
    `<defs><linearGradient id="s" x2="0" y2="1">${stops}</linearGradient>` +
    `<radialGradient id="g"><stop stop-color="${sunColour}" stop-opacity=".75"/>` +
    `<stop offset="1" stop-color="${sunColour}" stop-opacity="0"/></radialGradient></defs>`;
  return (
    defs +
    rect(0, 0, WIDTH, HEIGHT, 'url(#s)') +
    (stars ? starField(canvas) : '') +
    circle(sun.x, sun.y, sun.radius * 4, 'url(#g)') +
    circle(sun.x, sun.y, sun.radius, sunColour)
  );
}

/** One path of dots: a line of no length with a round cap is a dot. */
function starField(canvas: Canvas): string {
  const dots = Array.from({ length: 42 }, () => {
    const y = between(canvas, 0, 18) ** 2;
    return `M${between(canvas, 0, WIDTH)} ${y}h0`;
  });
  return stroke(dots.join(''), canvas.palette.light, 3, 'opacity=".7"');
}

/** Flat-bottomed clouds. */
export function clouds(canvas: Canvas, count: number, lowest: number): string {
  const one = () => {
    const x = between(canvas, -40, WIDTH - 160);
    const y = between(canvas, 70, lowest);
    const s = between(canvas, 7, 15) / 10;
    const at = (...values: number[]) => values.map((value) => Math.round(value * s)).join(' ');
    return `M${x} ${y}q${at(4, -26, 38, -24)} ${at(16, -42, 58, -18)} ${at(46, -16, 56, 20)} ${at(44, -2, 52, 22)}z`;
  };
  return shape(Array.from({ length: count }, one).join(''), canvas.palette.light, 'opacity=".6"');
}

export function birds(canvas: Canvas, x: number, y: number): string {
  const flock = Array.from({ length: between(canvas, 3, 6) }, () => {
    const wing = between(canvas, 9, 16);
    return `M${x + between(canvas, -90, 90)} ${y + between(canvas, -45, 45)}q${wing / 2}-${wing} ${wing} 0q${wing / 2}-${wing} ${wing} 0`;
  });
  return stroke(flock.join(''), canvas.palette.dark, 3);
}

/** A rolling layer of land from the left edge to the right, down to `bottom`. */
export function hills(
  canvas: Canvas,
  top: number,
  swing: number,
  fill: string,
  bottom: number = HEIGHT,
): string {
  const points: Point[] = [];
  const steps = 7;
  let up = canvas.random() < 0.5;
  for (let step = 0; step <= steps; step++) {
    const x = -EDGE + ((WIDTH + 2 * EDGE) * step) / steps;
    const sway = step === 0 || step === steps ? 0 : between(canvas, -45, 45);
    points.push([x + sway, top + (up ? -1 : 1) * between(canvas, swing * 0.35, swing)]);
    up = !up;
  }
  return shape(`M${-EDGE} ${bottom}L${line(points, true).slice(1)}V${bottom}z`, fill);
}

/** A jagged layer of land, for far ranges. */
export function range(canvas: Canvas, top: number, swing: number, fill: string, bottom: number): string {
  const points: Point[] = [[-EDGE, bottom]];
  for (let x = -EDGE, up = true; x < WIDTH + EDGE; x += between(canvas, 45, 110), up = !up) {
    points.push([x, top + (up ? -1 : 1) * between(canvas, 0, swing)]);
  }
  points.push([WIDTH + EDGE, top], [WIDTH + EDGE, bottom]);
  return shape(`${line(points, false)}z`, fill);
}

export interface Peak {
  x: number;
  base: number;
  height: number;
  width: number;
  nearness: number;
  snow?: boolean;
}

/** A mountain with a lit and a shaded face, and snow that runs down its ribs. */
export function peak(canvas: Canvas, { x, base, height, width, nearness, snow }: Peak): string {
  const summit = base - height;
  const left = x - width / 2;
  const right = x + width / 2;
  const jitter = (spread: number) => between(canvas, -spread, spread);
  const down = (share: number, side: number): Point => [
    x + side * (width / 2) * share + jitter(width * 0.02),
    summit + height * share,
  ];
  const rib: Point[] = [0.22, 0.45, 0.7, 1].map((share, at) => [
    x + (at % 2 ? -1 : 1) * width * 0.05 + width * 0.06 * share,
    summit + height * share,
  ]);
  const leftSide = [down(0.3, -1), down(0.62, -1)];
  const rightSide = [down(0.28, 1), down(0.6, 1)];
  const lit = landColour(canvas, nearness);
  const shaded = mix(lit, canvas.palette.dark, 0.28);
  const body = shape(
    `${line([[left, base], ...leftSide.reverse(), [x, summit], ...rightSide, [right, base]], false)}z`,
    lit,
  );
  const shade = shape(
    `${line([[x, summit], ...rightSide, [right, base], ...rib.reverse()], false)}z`,
    shaded,
  );
  return body + shade + (snow ? snowCap(canvas, { x, base, height, width, nearness }) : '');
}

function snowCap(canvas: Canvas, { x, base, height, width, nearness }: Peak): string {
  const summit = base - height;
  const depth = 0.34;
  const edge = (share: number, drop: number): Point => [
    x + (width / 2) * depth * share,
    summit + height * depth * drop,
  ];
  const white = mix(canvas.palette.light, landColour(canvas, nearness), 0.12);
  const cap: Point[] = [
    [x, summit],
    edge(-0.92, 0.92),
    edge(-0.6, 0.72),
    edge(-0.38, 1.05),
    edge(-0.1, 0.7),
    edge(0.12, 1.15),
    edge(0.4, 0.75),
    edge(0.62, 1.02),
    edge(0.92, 0.92),
  ];
  const shade: Point[] = [[x, summit], edge(0.06, 0.3), edge(-0.05, 0.55), ...cap.slice(5)];
  return (
    shape(`${line(cap, false)}z`, white) +
    shape(`${line(shade, false)}z`, mix(white, canvas.palette.water, 0.35))
  );
}

/** Water from `top` down, with the sun's path on it and ripples. */
export function water(canvas: Canvas, top: number, sunX: number, bottom: number = HEIGHT): string {
  const { palette } = canvas;
  const high = mix(palette.water, palette.sky[2], 0.45);
  const defs =
    `<defs><linearGradient id="w" x2="0" y2="1"><stop stop-color="${high}"/>` +
    `<stop offset="1" stop-color="${mix(palette.water, palette.dark, 0.18)}"/></linearGradient></defs>`;
  const glints = Array.from({ length: 9 }, (_, at) => {
    const half = between(canvas, 12, 34) + at * 5;
    const y = top + 12 + at * at * 3;
    return y < bottom ? `M${sunX - half + between(canvas, -18, 18)} ${y}h${half * 2}` : '';
  });
  const ripples = Array.from({ length: 12 }, () => {
    const depth = canvas.random() ** 0.8;
    const length = Math.round(24 + depth * 110);
    return `M${between(canvas, -40, WIDTH)} ${Math.round(top + 14 + depth * (bottom - top - 20))}q${length / 2}-5 ${length} 0`;
  });
  return (
    defs +
    rect(0, top, WIDTH, bottom - top, 'url(#w)') +
    stroke(glints.join(''), palette.sun, 4, 'opacity=".65"') +
    stroke(ripples.join(''), palette.light, 3, 'opacity=".28"')
  );
}

/** A drawing, and its likeness upside down below the line `y`, on the surface that is drawn between them. */
export function mirrored(drawing: string, y: number, surface: string, strength = 0.3): string {
  return (
    `<g id="m">${drawing}</g>${surface}` +
    `<use href="#m" transform="matrix(1 0 0 -.7 0 ${Math.round(y * 1.7)})" opacity="${strength}"/>`
  );
}

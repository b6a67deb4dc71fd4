import { mix, type Palette } from './mood';

export const WIDTH = 1200;
export const HEIGHT = 800;

/** What a scene draws with: its colours, and a stream of numbers that is the same for the same slug. */
export interface Canvas {
  palette: Palette;
  /** What stands in the picture, in the words of the scene. */
  motif: string;
  random: () => number;
}

export type Point = [x: number, y: number];

/** FNV-1a. */
export function hash(text: string): number {
  let value = 0x811c9dc5;
  for (const char of text) value = Math.imul(value ^ char.charCodeAt(0), 0x01000193) >>> 0;
  return value;
}

/** mulberry32: numbers from 0 to 1. */
export function randomFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let value = Math.imul(state ^ (state >>> 15), 1 | state);
    value = (value + Math.imul(value ^ (value >>> 7), 61 | value)) ^ value;
    return ((value ^ (value >>> 14)) >>> 0) / 4_294_967_296;
  };
}

export function between(canvas: Canvas, low: number, high: number): number {
  return Math.round(low + canvas.random() * (high - low));
}

/** The colour of a layer of land: 0 is the haze of the horizon, 1 the nearest. */
export function landColour(canvas: Canvas, nearness: number): string {
  return mix(canvas.palette.far, canvas.palette.near, nearness);
}

/** A path through the points: corners, or a curve that only leans towards them. */
export function line(points: Point[], smooth: boolean): string {
  const corners = points.map(([x, y]): Point => [Math.round(x), Math.round(y)]);
  const text = corners.map(([x, y]) => `${x} ${y}`);
  if (!smooth) return `M${text.join('L')}`;
  const bends = corners.slice(1, -1).map(([x, y], at) => {
    const [nextX, nextY] = corners[at + 2] ?? [x, y];
    return `${x} ${y} ${Math.round((x + nextX) / 2)} ${Math.round((y + nextY) / 2)}`;
  });
  return `M${text[0] ?? ''}Q${bends.join(' ')}L${text.at(-1) ?? ''}`;
}

export function shape(path: string, fill: string, more = ''): string {
  return `<path d="${path}" fill="${fill}"${more && ' ' + more}/>`;
}

export function stroke(path: string, colour: string, width: number, more = ''): string {
  return `<path d="${path}" fill="none" stroke="${colour}" stroke-width="${width}" stroke-linecap="round"${more && ' ' + more}/>`;
}

export function circle(x: number, y: number, radius: number, fill: string, more = ''): string {
  return `<circle cx="${x}" cy="${y}" r="${radius}" fill="${fill}"${more && ' ' + more}/>`;
}

export function rect(x: number, y: number, width: number, height: number, fill: string, more = ''): string {
  return `<rect x="${x}" y="${y}" width="${width}" height="${height}" fill="${fill}"${more && ' ' + more}/>`;
}

/** A drawing to be repeated by `again`; an id of one letter that the picture has not used. */
export function kept(id: string, drawing: string): string {
  return `<defs><g id="${id}">${drawing}</g></defs>`;
}

export function again(id: string, fill = ''): string {
  return `<use href="#${id}"${fill && ` fill="${fill}"`}/>`;
}

/** Moves and scales a drawing made around 0,0; a negative scale looks the other way. */
export function place(x: number, y: number, scale: number, drawing: string): string {
  const size = scale < 0 ? `${scale} ${-scale}` : `${scale}`;
  return `<g transform="translate(${x} ${y})scale(${size})">${drawing}</g>`;
}

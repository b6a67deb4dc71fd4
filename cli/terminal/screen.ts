/** Describes what stdout can show: its width and colours. */
export interface Screen {
  /** Cells in a line; undefined in a pipe, where no text is cut. */
  columns?: number;
  /** Lines of a terminal; undefined in a pipe. */
  rows?: number;
  colors: boolean;
  /** Placeholder that the output replaces by ESCAPE, after it has cleaned the text of the command. */
  mark?: string;
}

/** The beginning of each control sequence of a terminal. */
export const ESCAPE = '\u001b[';
export const PIPE: Screen = { colors: false };

interface Stream {
  isTTY?: boolean;
  columns?: number;
  rows?: number;
}

/** Follows no-color.org: any non-empty NO_COLOR turns colours off. */
export function readScreen(stdout: Stream, env: Record<string, string | undefined>): Screen {
  if (!stdout.isTTY) return PIPE;
  // Some pseudo-terminals report a size of 0.
  const size = { columns: stdout.columns || undefined, rows: stdout.rows || undefined };
  return { ...size, colors: !env.NO_COLOR && env.TERM !== 'dumb' };
}

const CODES = { good: 32, waiting: 33, bad: 31, quiet: 2 } as const;
export type Tone = keyof typeof CODES;

export function paint(text: string, tone: Tone | undefined, screen: Screen): string {
  const { mark = ESCAPE } = screen;
  return tone && screen.colors ? `${mark}${CODES[tone]}m${text}${mark}0m` : text;
}

const EIGHTHS = ['', '▏', '▎', '▍', '▌', '▋', '▊', '▉'];
const FULL = '█';
const EMPTY = '░';

type TerminalEnvironment = Record<string, string | undefined>;

/** Returns whether the terminal can rewrite a line, which a moving bar needs. */
export function rewritesLines(isTTY: boolean, env: TerminalEnvironment): boolean {
  return isTTY && env.TERM !== 'dumb';
}

/** Returns true if the terminal can draw block characters. False if the terminal is dumb or not UTF-8, or if NO_COLOR is set. */
export function drawsBlocks(env: TerminalEnvironment): boolean {
  const locale = env.LC_ALL || env.LC_CTYPE || env.LANG;
  return env.TERM !== 'dumb' && !env.NO_COLOR && (!locale || /utf-?8/i.test(locale));
}

/**
 * Draws a bar of at most `width` cells. Any value above 0 is visible.
 * @param blocks true: draws block characters with a precision of an eighth of a cell; false: draws `#`
 */
export function bar(value: number, most: number, width: number, blocks: boolean): string {
  if (value <= 0 || most <= 0 || width < 1) return '';
  const part = Math.min(1, value / most) * width;
  if (!blocks) return '#'.repeat(Math.max(1, Math.round(part)));
  const eighths = Math.max(1, Math.round(part * 8));
  return FULL.repeat(Math.floor(eighths / 8)) + EIGHTHS[eighths % 8]!;
}

/** Draws a bar of exactly `width` cells, filled and empty. @param part 0 to 1 */
export function filledBar(part: number, width: number, blocks: boolean): string {
  const filled = Math.round(part * width);
  return (blocks ? FULL : '#').repeat(filled) + (blocks ? EMPTY : '.').repeat(width - filled);
}

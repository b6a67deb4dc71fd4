const EIGHTHS = ['', '▏', '▎', '▍', '▌', '▋', '▊', '▉'];
const FULL = '█';
const EMPTY = '░';

type Environment = Record<string, string | undefined>;

/** Can it go back to the beginning of a line, as a bar that moves must? */
export function rewritesLines(isTTY: boolean, env: Environment): boolean {
  return isTTY && env.TERM !== 'dumb';
}

/** Does it draw blocks? A dumb terminal cannot, nor one of another encoding; and who wants no colours wants plain text. */
export function drawsBlocks(env: Environment): boolean {
  const locale = env.LC_ALL || env.LC_CTYPE || env.LANG;
  return env.TERM !== 'dumb' && !env.NO_COLOR && (!locale || /utf-?8/i.test(locale));
}

/**
 * A bar of at most `width` cells; what is more than nothing is seen.
 * @param blocks eighths of a cell; else `#`
 */
export function bar(value: number, most: number, width: number, blocks: boolean): string {
  if (value <= 0 || most <= 0 || width < 1) return '';
  const part = Math.min(1, value / most) * width;
  if (!blocks) return '#'.repeat(Math.max(1, Math.round(part)));
  const eighths = Math.max(1, Math.round(part * 8));
  return FULL.repeat(Math.floor(eighths / 8)) + EIGHTHS[eighths % 8]!;
}

/** A bar of exactly `width` cells, the rest of it drawn as empty. @param part 0 to 1 */
export function filledBar(part: number, width: number, blocks: boolean): string {
  const filled = Math.round(part * width);
  return (blocks ? FULL : '#').repeat(filled) + (blocks ? EMPTY : '.').repeat(width - filled);
}

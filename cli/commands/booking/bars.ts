const EIGHTHS = ['', '▏', '▎', '▍', '▌', '▋', '▊', '▉'];
const FULL = '█';

/** Can it draw blocks? A dumb terminal cannot, nor one whose locale is set to another encoding. */
export function drawsBlocks(env: Record<string, string | undefined>): boolean {
  const locale = env.LC_ALL || env.LC_CTYPE || env.LANG;
  return env.TERM !== 'dumb' && (!locale || /utf-?8/i.test(locale));
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

/** What stdout is. */
export interface Screen {
  /** Cells in a line; undefined where nobody looks, as in a pipe: nothing is cut then. */
  columns?: number;
  colors: boolean;
}

export const PIPE: Screen = { colors: false };

interface Stream {
  isTTY?: boolean;
  columns?: number;
}

/** NO_COLOR as no-color.org has it: set to anything but nothing. */
export function readScreen(stdout: Stream, env: Record<string, string | undefined>): Screen {
  if (!stdout.isTTY) return PIPE;
  // Some pseudo-terminals say 0.
  return { columns: stdout.columns || undefined, colors: !env.NO_COLOR && env.TERM !== 'dumb' };
}

const CODES = { good: 32, waiting: 33, bad: 31, quiet: 2 } as const;
export type Tone = keyof typeof CODES;

export function paint(text: string, tone: Tone | undefined, screen: Screen): string {
  return tone && screen.colors ? `\u001b[${CODES[tone]}m${text}\u001b[0m` : text;
}

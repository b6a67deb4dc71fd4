/**
 * A time before the start of a departure: minutes, hours or calendar days in the tour's time zone, such as `90m`, `36h` or `3d`. The SQL
 * function is_cutoff() checks the same, and instant_before_start() computes the instant (0141_closing_and_cancellation.sql).
 */
export type CutoffText = string;

/** No time before the start. */
export const NO_CUTOFF: CutoffText = '0m';

export const CUTOFF_RULE =
  'must be minutes, hours or days before the start, such as 90m, 36h or 3d, at most 365 days';

const CUTOFF_FORM = /^(?:0|[1-9][0-9]{0,5})[mhd]$/;
const UNITS = { m: 'minute', h: 'hour', d: 'day' } as const;
const MINUTES = { minute: 1, hour: 60, day: 24 * 60 };
const MINUTES_MAX = 365 * 24 * 60;

/**
 * Reads a cut-off of a file or a flag; `0` alone is no cut-off. @returns undefined for any other text
 * @rule the form of a cut-off, in a file or a flag: test/platform/cutoffs.test.ts
 */
export function readCutoff(text: string): CutoffText | undefined {
  const cutoff = text === '0' ? NO_CUTOFF : text;
  return CUTOFF_FORM.test(cutoff) && minutesOf(cutoff) <= MINUTES_MAX ? cutoff : undefined;
}

/** Returns the length in minutes, with 24 hours a day, to compare two cut-offs. */
export function minutesOf(cutoff: CutoffText): number {
  const { amount, unit } = partsOf(cutoff);
  return amount * MINUTES[unit];
}

/** Returns the cut-off of a number of minutes in its largest unit: `1d`, `2h`, `90m`, `0m`. */
export function cutoffOf(minutes: number): CutoffText {
  if (minutes === 0) return NO_CUTOFF;
  if (minutes % MINUTES.day === 0) return `${minutes / MINUTES.day}d`;
  return minutes % MINUTES.hour === 0 ? `${minutes / MINUTES.hour}h` : `${minutes}m`;
}

/** The unit of a cut-off, as OCTO and Intl name it. */
export type CutoffUnit = (typeof UNITS)[keyof typeof UNITS];

/** Returns the number and the unit of a cut-off. */
export function partsOf(cutoff: CutoffText): { amount: number; unit: CutoffUnit } {
  return { amount: Number(cutoff.slice(0, -1)), unit: UNITS[cutoff.slice(-1) as keyof typeof UNITS] };
}

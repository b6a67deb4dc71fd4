const SECONDS = { s: 1, m: 60, h: 3600, d: 86_400 } as const;
/** Ten years: what is meant to last longer is meant to last for ever, and has no duration. */
const LONGEST = 3650 * SECONDS.d;

/** Seconds of `90d`, `24h`, `30m`, `45s` or `0`; undefined for anything else. */
export function parseDuration(text: string): number | undefined {
  if (text === '0') return 0;
  const match = /^(\d{1,9})([smhd])$/.exec(text);
  if (!match) return undefined;
  const seconds = Number(match[1]) * SECONDS[match[2] as keyof typeof SECONDS];
  return seconds <= LONGEST ? seconds : undefined;
}

/** The largest unit that says it exactly, hours at most: 72h, 90m. */
export function formatMinutes(minutes: number): string {
  return minutes % 60 === 0 ? `${minutes / 60}h` : `${minutes}m`;
}

const SECONDS = { s: 1, m: 60, h: 3600, d: 86_400 } as const;
type Unit = keyof typeof SECONDS;
/** Ten years: what is meant to last longer is meant to last for ever, and has no duration. */
const LONGEST = 3650 * SECONDS.d;

/** Seconds of `90d`, `24h`, `30m`, `45s` or `0`; undefined for anything else. */
export function parseDuration(text: string): number | undefined {
  if (text === '0') return 0;
  const match = /^(\d{1,9})([smhd])$/.exec(text);
  if (!match) return undefined;
  const seconds = Number(match[1]) * SECONDS[match[2] as Unit];
  return seconds <= LONGEST ? seconds : undefined;
}

/** The largest unit that says it exactly, up to `largest`: 90d, 72h, 90m, 0s. */
export function formatDuration(seconds: number, largest: Unit): string {
  const units = Object.entries(SECONDS).filter(([, size]) => size <= SECONDS[largest]);
  const [unit, size] = units.findLast(([, size]) => seconds > 0 && seconds % size === 0) ?? ['s', 1];
  return `${seconds / size}${unit}`;
}

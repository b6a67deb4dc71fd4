/** `12,345`, the same on every machine. */
export function thousands(count: number): string {
  return String(Math.round(count)).replace(/\B(?=(\d{3})+$)/g, ',');
}

/** What was counted up to a bound of `most`, and one more to see whether there are more: `10,000+`. */
export function atMost(count: number, most: number): string {
  return count > most ? `${thousands(most)}+` : thousands(count);
}

/** Rounded down: 100 % is said only of all. A dash where there is nothing to divide. */
export function percent(part: number, whole: number): string {
  if (whole === 0) return '–';
  if (part === whole) return '100 %';
  return `${(Math.floor((part / whole) * 1000) / 10).toFixed(1)} %`;
}

export function plural(count: number, noun: string, nouns = `${noun}s`): string {
  return `${thousands(count)} ${count === 1 ? noun : nouns}`;
}

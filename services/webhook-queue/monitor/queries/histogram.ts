/** Counts by time: the nth, from 0, is of what took less than 2^n ms, and not less than half of that. */
export type Histogram = readonly number[];

export function addHistograms(a: Histogram, b: Histogram): number[] {
  const [longer, shorter] = a.length >= b.length ? [a, b] : [b, a];
  return longer.map((count, index) => count + (shorter[index] ?? 0));
}

export function countIn(histogram: Histogram): number {
  return histogram.reduce((sum, count) => sum + count, 0);
}

/**
 * Milliseconds that `share` (0 to 1) of all stayed below; null where nothing was counted. Within a bin all ratios are taken to
 * be equally likely, so the error is at most a factor of two.
 */
export function percentile(histogram: Histogram, share: number): number | null {
  const total = countIn(histogram);
  if (total === 0) return null;
  let left = share * total;
  for (const [bin, count] of histogram.entries()) {
    if (count > 0 && left <= count) return within(bin, left / count);
    left -= count;
  }
  return 2 ** (histogram.length - 1);
}

function within(bin: number, part: number): number {
  return bin === 0 ? part : 2 ** (bin - 1 + part);
}

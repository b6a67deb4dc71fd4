/** Counts by duration: bin n counts from 2^(n-1) up to 2^n ms; bin 0 counts all below 1 ms. */
export type Histogram = readonly number[];

export function addHistograms(a: Histogram, b: Histogram): number[] {
  const [longer, shorter] = a.length >= b.length ? [a, b] : [b, a];
  return longer.map((count, index) => count + (shorter[index] ?? 0));
}

export function countIn(histogram: Histogram): number {
  return histogram.reduce((sum, count) => sum + count, 0);
}

/**
 * Returns the milliseconds below which `share` (0 to 1) of all counts are; null for an empty histogram. Interpolates within a bin
 * on a logarithmic scale, so the error is at most a factor of two.
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

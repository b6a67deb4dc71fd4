/** All gauges that read one sample use it for this time, so that a scrape runs only one query. */
const FRESH_MS = 2000;

/**
 * Returns a function that takes a sample, or returns the last one if it is younger than FRESH_MS. The function returns undefined if the
 * sample cannot be taken: then a gauge is NaN, and the other metrics are still served.
 */
export function shareSample<T>(take: () => Promise<T>): () => Promise<T | undefined> {
  let sample: Promise<T | undefined> | undefined;
  return () => {
    sample ??= take()
      .catch(() => undefined)
      .finally(() => setTimeout(() => (sample = undefined), FRESH_MS).unref());
    return sample;
  };
}

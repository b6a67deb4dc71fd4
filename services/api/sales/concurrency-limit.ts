/** Runs at most so many tasks at the same time, in order of arrival. */
export type Limit = <T>(task: () => Promise<T>) => Promise<T>;

export function createLimit(most: number): Limit {
  let running = 0;
  const waiting: (() => void)[] = [];
  return async (task) => {
    if (running < most) running++;
    else await new Promise<void>((begin) => waiting.push(begin));
    try {
      return await task();
    } finally {
      // A task that ends passes its place to the next one, so `running` does not change.
      const next = waiting.shift();
      if (next) next();
      else running--;
    }
  };
}

/** Runs a task. Tasks above the limit wait, in order of arrival. */
type Limit = <T>(task: () => Promise<T>) => Promise<T>;

/** @param most the most tasks that run at the same time */
export function createLimit(most: number): Limit {
  let running = 0;
  const waiting: (() => void)[] = [];
  return async (task) => {
    if (running < most) running++;
    else await new Promise<void>((begin) => waiting.push(begin));
    try {
      return await task();
    } finally {
      // A task that ends passes its slot to the next task, so `running` does not change.
      const next = waiting.shift();
      if (next) next();
      else running--;
    }
  };
}

/**
 * Returns a function that runs tasks later, in order, one in each turn of the event loop. Node accepts connections and reads
 * sockets between two turns, so that any number of tasks delays the others by one task each.
 */
export function createTurns(): (task: () => void) => void {
  const waiting: (() => void)[] = [];
  function runNext(): void {
    const task = waiting.shift()!;
    if (waiting.length > 0) setImmediate(runNext);
    task();
  }
  return (task) => {
    if (waiting.push(task) === 1) setImmediate(runNext);
  };
}

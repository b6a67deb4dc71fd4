/**
 * Returns a function that runs tasks in order, at most `most` in each turn of the event loop: the first ones at once, the others in
 * later turns. Node accepts connections and reads sockets between two turns, so that any number of tasks delays the others by
 * `most` tasks each.
 */
export function createTurns(most: number): (task: () => void) => void {
  const waiting: (() => void)[] = [];
  let left = most;
  let isTurnOpen = false;
  function endTurn(): void {
    const tasks = waiting.splice(0, left);
    left = most;
    isTurnOpen = tasks.length + waiting.length > 0;
    if (isTurnOpen) setImmediate(endTurn);
    for (const task of tasks) task();
  }
  return (task) => {
    if (!isTurnOpen) setImmediate(endTurn);
    isTurnOpen = true;
    if (left === 0 || waiting.length > 0) return void waiting.push(task);
    left -= 1;
    task();
  };
}

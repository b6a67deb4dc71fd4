const WAIT_MS = 2000;

/**
 * Runs at most `atOnce` calls with the same key at a time in this process, by default one. The others wait in order of arrival.
 * @throws the refusal when a call has waited for two seconds
 */
export type InTurn = <T>(key: string, work: () => Promise<T>, atOnce?: number) => Promise<T>;

interface Turns {
  running: number;
  /** Functions that begin the waiting calls, the first call first. */
  waiting: Set<() => void>;
}

/** @param refusal creates the error of a call that has waited too long */
export function createInTurn(refusal: () => Error): InTurn {
  const turnsByKey = new Map<string, Turns>();

  function begin(key: string, atOnce: number): Promise<void> | undefined {
    const turns = turnsByKey.get(key) ?? { running: 0, waiting: new Set() };
    turnsByKey.set(key, turns);
    if (turns.running >= atOnce) return waitForTurn(turns.waiting, refusal);
    turns.running += 1;
    return undefined;
  }

  /** Passes the turn to the call that has waited longest. */
  function end(key: string): void {
    const turns = turnsByKey.get(key)!;
    const [next] = turns.waiting;
    if (next) return next();
    turns.running -= 1;
    if (turns.running === 0) turnsByKey.delete(key);
  }

  return async (key, work, atOnce = 1) => {
    const wait = begin(key, atOnce);
    if (wait) await wait;
    try {
      return await work();
    } finally {
      end(key);
    }
  };
}

function waitForTurn(waiting: Set<() => void>, refusal: () => Error): Promise<void> {
  return new Promise((resolve, reject) => {
    const begin = () => {
      clearTimeout(timer);
      waiting.delete(begin);
      resolve();
    };
    const timer = setTimeout(() => {
      waiting.delete(begin);
      reject(refusal());
    }, WAIT_MS);
    waiting.add(begin);
  });
}

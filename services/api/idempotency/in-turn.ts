import { IdempotencyInProgressError } from './idempotency.errors';

const WAIT_MS = 2000;

/**
 * Runs the calls with the same key one after another, so that many retries use only one database connection of this process.
 * @throws IdempotencyInProgressError when the earlier calls have not ended after two seconds
 */
export type InTurn = <T>(key: string, work: () => Promise<T>) => Promise<T>;

export function createInTurn(): InTurn {
  const last = new Map<string, Promise<unknown>>();
  return async (key, work) => {
    const before = last.get(key);
    const mine = before ? waitFor(before).then(work) : work();
    const ended = mine.catch(() => undefined);
    // Makes the next call wait for this call and for all earlier calls. If this call gives up its wait, the next call still waits for the
    // earlier ones.
    const tail = before ? Promise.all([before, ended]) : ended;
    last.set(key, tail);
    try {
      return await mine;
    } finally {
      void tail.then(() => last.get(key) === tail && last.delete(key));
    }
  };
}

async function waitFor(before: Promise<unknown>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new IdempotencyInProgressError()), WAIT_MS);
  });
  try {
    await Promise.race([before, timeout]);
  } finally {
    clearTimeout(timer);
  }
}

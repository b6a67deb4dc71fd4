import { IdempotencyInProgressError } from './idempotency.errors';

const WAIT_MS = 2000;
const last = new Map<string, Promise<unknown>>();

/**
 * Runs the works of one key one after another, so that a storm of retries occupies one database connection of this process.
 * @throws IdempotencyInProgressError where the one before is not done after two seconds
 */
export async function singleFlight<T>(key: string, work: () => Promise<T>): Promise<T> {
  const before = last.get(key);
  const mine = before ? waitFor(before).then(work) : work();
  const settled = mine.catch(() => undefined);
  // Who comes next waits for all that came before, also where this one gives up waiting.
  const tail = before ? Promise.all([before, settled]) : settled;
  last.set(key, tail);
  try {
    return await mine;
  } finally {
    void tail.then(() => last.get(key) === tail && last.delete(key));
  }
}

async function waitFor(before: Promise<unknown>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const patience = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new IdempotencyInProgressError()), WAIT_MS);
  });
  try {
    await Promise.race([before, patience]);
  } finally {
    clearTimeout(timer);
  }
}

import { setImmediate as nextTurn } from 'node:timers/promises';
import type { AuditedContext, OpeningTerminal } from './context';

/**
 * Asks questions and opens the database for them when they first need it, so that the first question is shown before the database is open.
 * Then runs `work` with the answers.
 * @param ask asks the questions; `opened` opens the database and returns its context
 * @param words the values of the command line; an error about an unknown name suggests names that resemble one of them
 * @throws errors of the questions, of the opening, and of `work`
 */
export async function openWhileAsking<Answers>(
  terminal: OpeningTerminal<AuditedContext>,
  ask: (opened: () => Promise<AuditedContext>) => Promise<Answers>,
  work: (context: AuditedContext, answers: Answers) => Promise<void>,
  words: readonly string[],
): Promise<void> {
  const need = createDeferred<void>();
  const opening = createDeferred<AuditedContext>();
  const asking = ask(() => {
    need.resolve();
    return opening.promise;
  });
  await Promise.race([need.promise, asking]);
  // Lets the terminal show the question before the modules of the database are loaded.
  await nextTurn();
  try {
    await terminal.withDatabase(
      {},
      async (context) => {
        opening.resolve(context);
        await work(context, await asking);
      },
      words,
    );
  } catch (error) {
    opening.reject(error);
    // Waits until the question has ended, because it changes the terminal.
    await asking.catch(() => {});
    throw error;
  }
}

/** A promise that is settled from outside. */
interface Deferred<T> {
  promise: Promise<T>;
  resolve(value: T): void;
  reject(error: unknown): void;
}

function createDeferred<T>(): Deferred<T> {
  let settle!: Omit<Deferred<T>, 'promise'>;
  const promise = new Promise<T>((resolve, reject) => {
    settle = { resolve, reject };
  });
  // A rejection that nobody waits for must not end the process.
  promise.catch(() => {});
  return { promise, ...settle };
}

import { setTimeout as sleep } from 'node:timers/promises';
import { Gauge } from 'prom-client';
import type { Logger } from '../logger';

/** A Lua script that runs atomically on one key, in one round trip. It uses only one key, so it works in a Redis Cluster too. */
export interface StoreScript<T> {
  lua: string;
  /** @throws StoreError for an invalid reply */
  read(reply: unknown): T;
}

/** A driver: sends scripts to a store. The scripts are the same for all drivers. */
export interface StoreConnection {
  /** Rejects at once without a connection. The caller sets the timeout. */
  run(script: StoreScript<unknown>, key: string, args: string[]): Promise<unknown>;
  /** Closes the connection and opens a new one, possibly to another server. */
  renew(): Promise<void>;
  close(): Promise<void>;
}

type StoreDriver = 'redis' | 'rest';

/** The store does not answer, or answers incorrectly. The message holds neither keys nor credentials. */
export class StoreError extends Error {
  override readonly name = 'StoreError';
}

/**
 * Lua for {seconds, microseconds} of the store's clock, which all instances share. The probe refuses stores whose scripts cannot
 * read the time (ElastiCache Serverless). Tests replace this text.
 */
export const STORE_CLOCK = `redis.call('TIME')`;

/** Lua that sets `now`, in milliseconds. */
export function luaClock(clock: string): string {
  return `local time = ${clock} local now = time[1] * 1000 + math.floor(time[2] / 1000)`;
}

/** Tests that the store runs scripts, has a clock, and accepts writes. A PING is not enough: a replica and a full store answer it too. */
export const PROBE_SCRIPT: StoreScript<void> = {
  lua: `${luaClock(STORE_CLOCK)}
redis.call('SET', KEYS[1], now, 'PX', 1000)
return ARGV[1]`,
  read(reply) {
    if (reply !== 'well') throw wrongReply();
  },
};

/** Converts an error of a driver to one line. */
export function toStoreError(error: unknown): StoreError {
  if (error instanceof StoreError) return error;
  // Takes the first error of a host with several addresses.
  const { message } = ((error as AggregateError).errors?.[0] ?? error) as Error;
  return new StoreError(message.split('\n')[0]!.slice(0, 200));
}

export function wrongReply(): StoreError {
  return new StoreError(
    'The store sent an invalid reply: check that its address is that of a Redis-compatible store',
  );
}

export function isListOf<T extends unknown[]>(
  reply: unknown,
  ...types: { [K in keyof T]: 'string' | 'number' }
): reply is T {
  return (
    Array.isArray(reply) &&
    reply.length === types.length &&
    types.every((type, index) => typeof reply[index] === type)
  );
}

export type RunScript = <T>(script: StoreScript<T>, key: string, args?: string[]) => Promise<T>;

/** Work that the store missed while it was down. */
export interface Backlog {
  size(): number;
  flush(run: RunScript): Promise<void>;
}

/** A store that does not delay requests while it is down. */
export interface StoreGuard {
  /** False while the store is down. */
  readonly up: boolean;
  /** @throws StoreError at once while the store is down, and after 150 ms at the latest */
  run: RunScript;
  /** Sets the backlog that is flushed before a recovered store is used. */
  setBacklog(backlog: Backlog): void;
  /** Resolves after the first attempt to reach the store, also if it fails. */
  start(): Promise<void>;
  close(): Promise<void>;
}

export const STORE_TIMEOUT_MS = 150;
/** The time after which a driver ends a command that hangs. Longer than the time for which a caller waits. */
export const COMMAND_TIMEOUT_MS = 500;
/** Waits in steps, so that a stall of this process counts as at most one step. The store's reply may have arrived during the stall. */
const STEPS = 3;
const PROBE_EVERY_MS = 1000;

export interface StoreTiming {
  timeoutMs?: number;
  commandTimeoutMs?: number;
  probeEveryMs?: number;
}

const storeUp = new Gauge({
  name: 'shared_store_up',
  help: '1 while the shared store of cache and quotas answers this process, else 0.',
  labelNames: ['driver'],
});

/**
 * Creates a circuit breaker. The first error or timeout opens the breaker and rejects all waiting calls at once. While the breaker is open,
 * new calls fail at once. A background probe runs once a second. The probe uses the hash slot of the key that failed, so in a Cluster it
 * tests the failed shard.
 */
export function guardStore(
  connection: StoreConnection,
  driver: StoreDriver,
  log: Logger,
  { timeoutMs = STORE_TIMEOUT_MS, probeEveryMs = PROBE_EVERY_MS }: StoreTiming = {},
): StoreGuard {
  const logState = createStateLogger(driver, log);
  const waiting = new Set<(reason: StoreError) => void>();
  const closing = new AbortController();
  let backlog: Backlog = { size: () => 0, flush: async () => {} };
  let up = false;
  let failedKey = '';
  let search: Promise<void> | undefined;

  const runWithTimeout: RunScript = async (script, key, args = []) =>
    script.read(await withTimeout(connection.run(script, key, args), timeoutMs, waiting));

  async function reach(): Promise<void> {
    await prove(connection, runWithTimeout, `probe:{${failedKey}}`);
    while (backlog.size() > 0) await backlog.flush(runWithTimeout);
    up = true;
    logState.up();
  }

  function searchStore(): void {
    search ??= repeatUntilDone(reach, probeEveryMs, closing.signal).finally(() => {
      search = undefined;
      // Starts another series of probes if the store failed again before this one ended.
      if (!up && !closing.signal.aborted) searchStore();
    });
  }

  function open(error: unknown, key: string): void {
    if (!up) return;
    up = false;
    failedKey = key;
    logState.down(error);
    for (const reject of waiting) reject(new StoreError('The store is down'));
    searchStore();
  }

  return {
    get up() {
      return up;
    },
    async run(script, key, args) {
      if (!up) throw new StoreError('The store is down');
      return runWithTimeout(script, key, args).catch((error: unknown) => {
        open(error, key);
        throw error;
      });
    },
    setBacklog: (wanted) => (backlog = wanted),
    start: () =>
      reach().catch((error: unknown) => {
        logState.down(error);
        searchStore();
      }),
    async close() {
      closing.abort();
      up = false;
      await connection.close();
    },
  };
}

/** Logs each change of the store's state in one line. */
function createStateLogger(driver: StoreDriver, log: Logger): { up(): void; down(error: unknown): void } {
  return {
    up() {
      storeUp.set({ driver }, 1);
      log.info({ driver }, 'shared store answers');
    },
    down(error) {
      storeUp.set({ driver }, 0);
      const message = 'shared store is down: quotas in memory, availability uncached';
      log.warn({ err: toStoreError(error), driver }, message);
    },
  };
}

async function prove(connection: StoreConnection, runWithTimeout: RunScript, key: string): Promise<void> {
  try {
    await runWithTimeout(PROBE_SCRIPT, key, ['well']);
  } catch {
    await connection.renew();
    await runWithTimeout(PROBE_SCRIPT, key, ['well']);
  }
}

async function repeatUntilDone(
  attempt: () => Promise<void>,
  everyMs: number,
  signal: AbortSignal,
): Promise<void> {
  for (let done = false; !done;) {
    // Adds jitter, so that the instances do not probe at the same time.
    await sleep(everyMs * (0.8 + 0.4 * Math.random()), undefined, { ref: false, signal }).catch(() => {});
    if (signal.aborted) return;
    done = await attempt().then(
      () => true,
      () => false,
    );
  }
}

/** @throws StoreError after `timeoutMs`, or as soon as the guard rejects the calls in `waiting` */
function withTimeout<T>(
  work: Promise<T>,
  timeoutMs: number,
  waiting: Set<(reason: StoreError) => void>,
): Promise<T> {
  return new Promise((resolve, reject) => {
    let timer: NodeJS.Timeout;
    const finish = (end: () => void) => {
      clearTimeout(timer);
      waiting.delete(abort);
      end();
    };
    const abort = (reason: StoreError) => finish(() => reject(reason));
    const wait = (steps: number) => {
      timer = setTimeout(() => {
        if (steps > 1) return wait(steps - 1);
        abort(new StoreError(`The store did not answer within ${timeoutMs} ms`));
      }, timeoutMs / STEPS);
    };
    waiting.add(abort);
    wait(STEPS);
    work.then(
      (reply) => finish(() => resolve(reply)),
      (error: Error) => finish(() => reject(error)),
    );
  });
}

import { setTimeout as sleep } from 'node:timers/promises';
import { Gauge } from 'prom-client';
import type { Logger } from '../logger';
import {
  describeFault,
  PROBE,
  StoreError,
  type StoreConnection,
  type StoreDriver,
  type StoreScript,
} from './store-connection';

export type RunScript = <T>(script: StoreScript<T>, key: string, args?: string[]) => Promise<T>;

/** What could not be told to the store while it was away. */
export interface Backlog {
  size(): number;
  flush(run: RunScript): Promise<void>;
}

/** A store that may die without slowing anybody down. */
export interface StoreGuard {
  /** Whether it is worth asking. */
  readonly up: boolean;
  /** @throws StoreError at once while the store is away, and after 150 ms at the latest */
  run: RunScript;
  /** Asked before anybody may read again from a store that is back. */
  setBacklog(backlog: Backlog): void;
  /** Resolves after the first try to reach the store, whatever it found. */
  start(): Promise<void>;
  close(): Promise<void>;
}

export const PATIENCE_MS = 150;
/** Waited in steps, so that a stall of this process counts as one step at most: the reply may have come meanwhile. */
const STEPS = 3;
const PROBE_EVERY_MS = 1000;

export interface StoreTiming {
  patienceMs?: number;
  probeEveryMs?: number;
}

const storeUp = new Gauge({
  name: 'shared_store_up',
  help: 'Whether the shared store of cache and quotas answers this process.',
  labelNames: ['driver'],
});

/**
 * A circuit breaker. The first fault or time-out opens it, and lets go at once of everybody who waits; while it is open nobody
 * waits. Once a second a probe asks in the background, on the key that failed: in a Cluster that is the shard that did.
 */
export function guardStore(
  connection: StoreConnection,
  driver: StoreDriver,
  log: Logger,
  { patienceMs = PATIENCE_MS, probeEveryMs = PROBE_EVERY_MS }: StoreTiming = {},
): StoreGuard {
  const tell = createTeller(driver, log);
  const waiting = new Set<(reason: StoreError) => void>();
  const closing = new AbortController();
  let backlog: Backlog = { size: () => 0, flush: async () => {} };
  let up = false;
  let suspect = '';
  let search: Promise<void> | undefined;

  const ask: RunScript = async (script, key, args = []) =>
    script.read(await withPatience(connection.run(script, key, args), patienceMs, waiting));

  async function reach(): Promise<void> {
    await prove(connection, ask, `probe:{${suspect}}`);
    while (backlog.size() > 0) await backlog.flush(ask);
    up = true;
    tell.back();
  }

  function searchForIt(): void {
    search ??= repeatUntilDone(reach, probeEveryMs, closing.signal).finally(() => {
      search = undefined;
      // It fell again before the search was over.
      if (!up && !closing.signal.aborted) searchForIt();
    });
  }

  function fall(error: unknown, key: string): void {
    if (!up) return;
    up = false;
    suspect = key;
    tell.away(error);
    for (const letGo of waiting) letGo(new StoreError('The store is away'));
    searchForIt();
  }

  return {
    get up() {
      return up;
    },
    async run(script, key, args) {
      if (!up) throw new StoreError('The store is away');
      return ask(script, key, args).catch((error: unknown) => {
        fall(error, key);
        throw error;
      });
    },
    setBacklog: (wanted) => (backlog = wanted),
    start: () =>
      reach().catch((error: unknown) => {
        tell.away(error);
        searchForIt();
      }),
    async close() {
      closing.abort();
      up = false;
      await connection.close();
    },
  };
}

/** One line a change. */
function createTeller(driver: StoreDriver, log: Logger): { back(): void; away(error: unknown): void } {
  return {
    back() {
      storeUp.set({ driver }, 1);
      log.info({ driver }, 'shared store answers');
    },
    away(error) {
      storeUp.set({ driver }, 0);
      const message = 'shared store is away: quotas in memory, availability uncached';
      log.warn({ err: describeFault(error), driver }, message);
    },
  };
}

async function prove(connection: StoreConnection, ask: RunScript, key: string): Promise<void> {
  try {
    await ask(PROBE, key, ['well']);
  } catch {
    await connection.renew();
    await ask(PROBE, key, ['well']);
  }
}

async function repeatUntilDone(
  attempt: () => Promise<void>,
  everyMs: number,
  signal: AbortSignal,
): Promise<void> {
  for (let done = false; !done;) {
    // Not all instances in the same instant.
    await sleep(everyMs * (0.8 + 0.4 * Math.random()), undefined, { ref: false, signal }).catch(() => {});
    if (signal.aborted) return;
    done = await attempt().then(
      () => true,
      () => false,
    );
  }
}

/** @throws StoreError after `patienceMs`, or as soon as whoever holds `waiting` lets go */
function withPatience<T>(
  work: Promise<T>,
  patienceMs: number,
  waiting: Set<(reason: StoreError) => void>,
): Promise<T> {
  return new Promise((resolve, reject) => {
    let timer: NodeJS.Timeout;
    const settle = (end: () => void) => {
      clearTimeout(timer);
      waiting.delete(letGo);
      end();
    };
    const letGo = (reason: StoreError) => settle(() => reject(reason));
    const wait = (steps: number) => {
      timer = setTimeout(() => {
        if (steps > 1) return wait(steps - 1);
        letGo(new StoreError(`The store did not answer within ${patienceMs} ms`));
      }, patienceMs / STEPS);
    };
    waiting.add(letGo);
    wait(STEPS);
    work.then(
      (reply) => settle(() => resolve(reply)),
      (error: Error) => settle(() => reject(error)),
    );
  });
}

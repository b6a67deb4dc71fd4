import { randomBytes } from 'node:crypto';
import { hostname } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Db } from '../../platform/database';
import type { Logger } from '../../platform/logger';
import { BREAKER, type BreakerRules } from './breaker';
import { startChores } from '../upkeep/chores';
import { createClaimer } from './claim-due';
import { createCompletion } from './complete-delivery';
import { createFlights } from './flights';
import { createPaces } from './endpoint-pace';
import { createGuardedAgent, type GuardedAgent } from '../sending/guarded-agent';
import { createPulse } from '../metrics/pulse';

export interface WorkerOptions {
  db: Db;
  log: Logger;
  secretsKey: string;
  /** Seconds before each try; as many tries as there are entries. */
  retryScheduleSeconds: readonly number[];
  allowPrivateTargets: boolean;
  retentionDays?: number;
  /** Requests in flight at most. */
  slots?: number;
  /** Of these, to one endpoint at first; see endpoint-pace.ts. */
  lanes?: number;
  /** Longer than an attempt can last, with time to wait for a slot and to write its result down. */
  leaseSeconds?: number;
  attemptTimeoutMs?: number;
  connectTimeoutMs?: number;
  lookupTimeoutMs?: number;
  pollMs?: number;
  tidyMs?: number;
  breaker?: BreakerRules;
  /** Sends instead of the guarded agent: for measuring all but the network. */
  dispatcher?: GuardedAgent;
}

export interface Worker {
  /** Claims no more, lets what is in flight end within `graceMs`, then cuts it off and gives it back. */
  stop(graceMs?: number): Promise<void>;
}

const DEFAULTS = {
  retentionDays: 90,
  slots: 64,
  lanes: 4,
  leaseSeconds: 45,
  attemptTimeoutMs: 15_000,
  connectTimeoutMs: 5000,
  lookupTimeoutMs: 2000,
  pollMs: 250,
  tidyMs: 5000,
  breaker: BREAKER,
};
const STOP_GRACE_MS = 8000;
/**
 * How long a worker that is nowhere near idle waits for room before it claims again: a claim of 400 costs the server 30 µs a
 * delivery, one of 180 costs 41.
 */
const GATHER_MS = 25;
const GATHER_STEP_MS = 5;

/** Sends what is due until it is stopped. Any number of workers share the queue; no transaction is open while one sends. */
export function startWorker(options: WorkerOptions): Worker {
  const settings = { ...DEFAULTS, ...options };
  const { db, log, slots, pollMs } = settings;
  const worker = `${hostname()}/${process.pid}/${randomBytes(3).toString('hex')}`;
  const dispatcher = settings.dispatcher ?? createGuardedAgent(settings);
  const paces = createPaces(settings.lanes);
  const pulse = createPulse(db, worker);
  let stopping = false;
  let wake: () => void = () => undefined;
  const completion = createCompletion({ ...settings, dispatcher, paces, pulse });
  const flights = createFlights({ slots, ...completion, onRoom: () => wake() });
  const claim = createClaimer({ ...settings, worker, paces, flights });
  const chores = startChores({ ...settings, worker, pulse, inFlight: flights.flying });

  /** @returns whether there may be more at once */
  const claimAndLaunch = async (): Promise<boolean> => {
    const room = flights.room();
    if (room <= 0) return false;
    const { claims, nothingLeft } = await claim(room, flights.capacity());
    for (const delivery of claims) flights.launch(delivery);
    return !nothingLeft;
  };
  const gather = async (): Promise<void> => {
    const begun = performance.now();
    while (flights.room() * 2 < flights.capacity() && performance.now() - begun < GATHER_MS)
      await sleep(GATHER_STEP_MS);
  };
  const run = async (): Promise<void> => {
    while (!stopping) {
      const settled = new Promise<void>((resolve) => (wake = resolve));
      const more = await claimAndLaunch().catch((error: unknown) => {
        log.error({ err: error }, 'claim failed');
        return sleep(pollMs, false);
      });
      if (!more) await Promise.race([settled, sleep(pollMs)]);
      await gather();
    }
  };

  const running = run();
  return {
    stop: async (graceMs = STOP_GRACE_MS) => {
      const begun = performance.now();
      stopping = true;
      wake();
      await running;
      await flights.settleAll(Math.max(0, graceMs - (performance.now() - begun)));
      await chores.stop();
      await dispatcher.destroy();
    },
  };
}

import { randomBytes } from 'node:crypto';
import { hostname } from 'node:os';
import type { Db } from '../../platform/database';
import type { Logger } from '../../platform/logger';
import { createPulse } from '../metrics/pulse';
import { createGuardedAgent, type GuardedAgent } from '../sending/guarded-agent';
import { startChores } from '../upkeep/chores';
import { BREAKER, type BreakerRules } from './breaker';
import { createClaimDue } from './claim-due';
import { startClaimLoop } from './claim-loop';
import { createCompletion } from './complete-delivery';
import { createPaces } from './endpoint-pace';
import { createSettler } from './settle-in-batches';
import { createSlots } from './slots';

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
  /** Sends instead of the guarded one: for measuring all but the network. */
  agent?: GuardedAgent;
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

/** Sends what is due until it is stopped. Any number of workers share the queue; no transaction is open while one sends. */
export function startWorker(options: WorkerOptions): Worker {
  const settings = { ...DEFAULTS, ...options };
  const { db, log, secretsKey, retryScheduleSeconds, retentionDays, leaseSeconds, pollMs, tidyMs } = settings;
  const { allowPrivateTargets, attemptTimeoutMs, connectTimeoutMs, lookupTimeoutMs } = settings;
  const worker = `${hostname()}/${process.pid}/${randomBytes(3).toString('hex')}`;

  const agent =
    settings.agent ?? createGuardedAgent({ allowPrivateTargets, connectTimeoutMs, lookupTimeoutMs });
  const paces = createPaces(settings.lanes);
  const pulse = createPulse(db, worker);
  const { send, settle } = createCompletion({
    ...{ log, secretsKey, retryScheduleSeconds, leaseSeconds, paces, pulse },
    rules: { agent, allowPrivateTargets, attemptTimeoutMs },
    writeDown: createSettler({ db, log, breaker: settings.breaker }),
  });
  const slots = createSlots({ slots: settings.slots, send, settle, onRoom: () => loop.wake() });
  const claimDue = createClaimDue({
    ...{ db, log, worker, slots: settings.slots, lanes: settings.lanes, leaseSeconds, paces },
    countInFlight: slots.countByEndpoint,
  });
  const loop = startClaimLoop({ log, claimDue, slots, pollMs });
  const chores = startChores({
    ...{ db, log, worker, slots: settings.slots, retentionDays, tidyMs, pulse },
    inFlight: slots.inFlight,
  });

  return {
    stop: async (graceMs = STOP_GRACE_MS) => {
      const begun = performance.now();
      await loop.stop();
      await slots.settleAll(Math.max(0, graceMs - (performance.now() - begun)));
      await chores.stop();
      await agent.destroy();
    },
  };
}

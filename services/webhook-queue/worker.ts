import { randomBytes } from 'node:crypto';
import { hostname } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Db } from '../platform/database';
import type { Logger } from '../platform/logger';
import { attemptDelivery } from './attempt-delivery';
import { claimDue, type Claim } from './delivery.repository';
import { gotNoAnswer } from './explain-failure';
import { createFlights } from './flights';
import { createGuardedAgent } from './guarded-agent';
import { decideNext } from './retry-schedule';
import { deriveSealingKey } from './seal-secret';
import { createSettler } from './settle-in-batches';
import { tidyStrays } from './tidy-strays';

export interface WorkerOptions {
  db: Db;
  log: Logger;
  secretsKey: string;
  /** Seconds before each try; as many tries as there are entries. */
  retryScheduleSeconds: readonly number[];
  allowPrivateTargets: boolean;
  /** Requests in flight at most; a tenant alone gets all but a quarter of them. */
  concurrency?: number;
  /** Of these, to one endpoint: a sick one leaves room for the others, and has one until it answers again. */
  lanes?: number;
  /** Longer than an attempt can last, with time to write its result down. */
  leaseSeconds?: number;
  attemptTimeoutMs?: number;
  connectTimeoutMs?: number;
  lookupTimeoutMs?: number;
  pollMs?: number;
  tidyMs?: number;
}

export interface Worker {
  /** Claims no more, lets what is in flight end within `graceMs`, then cuts it off and gives it back. */
  stop(graceMs?: number): Promise<void>;
}

const DEFAULTS = {
  concurrency: 16,
  lanes: 4,
  leaseSeconds: 60,
  attemptTimeoutMs: 15_000,
  connectTimeoutMs: 5000,
  lookupTimeoutMs: 2000,
  pollMs: 500,
  tidyMs: 5000,
};
const STOP_GRACE_MS = 8000;

/** Sends what is due until it is stopped. Any number of workers share the queue; no transaction is open while one sends. */
export function startWorker(options: WorkerOptions): Worker {
  const { db, log, ...settings } = { ...DEFAULTS, ...options };
  const worker = `${hostname()}/${process.pid}/${randomBytes(3).toString('hex')}`;
  const dispatcher = createGuardedAgent(settings);
  let stopping = false;
  let wake: () => void = () => undefined;
  const silent = new Set<string>();
  const flights = createFlights(createFlight(options, { dispatcher, ...settings }, silent), () => wake());
  const tidy = everyNow(settings.tidyMs, () => tidyStrays(db));

  /** @returns whether there may be more */
  const claim = async (): Promise<boolean> => {
    const rows = settings.concurrency - flights.count();
    if (rows <= 0) return false;
    const busy = flights.countByEndpoint();
    const claimed = await claimDue(db, {
      ...settings,
      worker,
      rows,
      slots: settings.concurrency,
      busy,
      silent,
    });
    for (const delivery of claimed) flights.launch(delivery);
    return claimed.length > 0;
  };
  const run = async (): Promise<void> => {
    while (!stopping) {
      const landing = new Promise<void>((resolve) => (wake = resolve));
      try {
        await tidy();
        if (await claim()) continue;
      } catch (error) {
        log.error({ err: error }, 'claim failed');
      }
      await Promise.race([landing, sleep(settings.pollMs)]);
    }
  };

  const running = run();
  return {
    stop: async (graceMs = STOP_GRACE_MS) => {
      stopping = true;
      wake();
      await running;
      await flights.landAll(graceMs);
      await dispatcher.destroy();
    },
  };
}

/** From the claimed delivery to its written result; keeps `silent` true to what the endpoint did last. */
function createFlight(
  { db, log, secretsKey, retryScheduleSeconds }: WorkerOptions,
  rules: Parameters<typeof attemptDelivery>[2],
  silent: Set<string>,
) {
  const key = deriveSealingKey(secretsKey);
  const settle = createSettler(db, log);
  return async (delivery: Claim, abort: AbortController): Promise<void> => {
    try {
      const report = await attemptDelivery(delivery, key, rules, abort);
      if (report.statusCode !== null) silent.delete(delivery.endpointId);
      else if (gotNoAnswer(report)) silent.add(delivery.endpointId);
      await settle({ delivery, report, next: decideNext(report, delivery, retryScheduleSeconds) });
    } catch (error) {
      // Its lease runs out, and it is sent again.
      log.error({ err: error, delivery_id: delivery.id }, 'delivery failed in the worker');
    }
  };
}

function everyNow(ms: number, work: () => Promise<unknown>): () => Promise<void> {
  let dueAt = 0;
  return async () => {
    if (Date.now() < dueAt) return;
    dueAt = Date.now() + ms;
    await work();
  };
}

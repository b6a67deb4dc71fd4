import { randomBytes } from 'node:crypto';
import { hostname } from 'node:os';
import type { Db } from '../../platform/database/database';
import type { Logger } from '../../platform/logger';
import { inSpan, linkSpan } from '../../platform/traces';
import { createQueueMetrics, type QueueMetrics } from '../metrics/queue-metrics';
import type { AttemptResult } from '../deliveries/delivery';
import { sendWebhook, type SendingRules, unsent } from '../sending/send-webhook';
import { createSecretOpener, deriveSealingKey } from '../signing/seal-secret';
import { createDeliveryStats, type DeliveryStats } from '../stats/delivery-stats';
import { createGuardedAgent, type GuardedAgent } from '../sending/guarded-agent';
import { startPeriodicTasks } from '../maintenance/periodic-tasks';
import { BREAKER, type BreakerRules } from './breaker';
import { createClaimDue } from './claim-due';
import { startClaimLoop } from './claim-loop';
import { type AdaptiveConcurrency, createAdaptiveConcurrency } from './adaptive-concurrency';
import { createResultRecorder } from './record-results';
import { decideNext } from './retry-schedule';
import { createSlots, type SlotOptions } from './slots';

export interface WorkerOptions {
  db: Db;
  log: Logger;
  secretsKey: string;
  /** Seconds before each attempt; one attempt for each entry. */
  retryScheduleSeconds: readonly number[];
  allowPrivateTargets: boolean;
  retentionDays?: number;
  /** Maximum number of requests in flight. */
  slots?: number;
  /** Initial concurrency limit of an endpoint; see adaptive-concurrency.ts. */
  concurrencyLimit?: number;
  /** Must be longer than the wait for a slot, an attempt, and the recording of the result together. */
  leaseSeconds?: number;
  attemptTimeoutMs?: number;
  connectTimeoutMs?: number;
  lookupTimeoutMs?: number;
  pollMs?: number;
  reconcileMs?: number;
  breaker?: BreakerRules;
  /** By default the metrics are in a registry of this worker's own. */
  metrics?: QueueMetrics;
  /** Replaces the guarded agent, to measure everything except the network. */
  agent?: GuardedAgent;
}

export interface Worker {
  /** Stops claiming, waits up to `graceMs` for requests in flight, then cuts them off and releases their deliveries. */
  stop(graceMs?: number): Promise<void>;
}

const DEFAULTS = {
  retentionDays: 90,
  slots: 64,
  concurrencyLimit: 4,
  leaseSeconds: 45,
  attemptTimeoutMs: 15_000,
  connectTimeoutMs: 5000,
  lookupTimeoutMs: 2000,
  pollMs: 250,
  reconcileMs: 5000,
  breaker: BREAKER,
};
const STOP_GRACE_MS = 8000;

/**
 * Sends due deliveries until it is stopped. Any number of workers can share the queue. No transaction is open while a request is in flight.
 */
export function startWorker(options: WorkerOptions): Worker {
  const settings = { ...DEFAULTS, ...options };
  const { db, log, secretsKey, retryScheduleSeconds, retentionDays, leaseSeconds, pollMs, reconcileMs } =
    settings;
  const { allowPrivateTargets, attemptTimeoutMs, connectTimeoutMs, lookupTimeoutMs } = settings;
  const metrics = settings.metrics ?? createQueueMetrics();
  const worker = `${hostname()}/${process.pid}/${randomBytes(3).toString('hex')}`;

  const agent =
    settings.agent ?? createGuardedAgent({ allowPrivateTargets, connectTimeoutMs, lookupTimeoutMs });
  const concurrency = createAdaptiveConcurrency(settings.concurrencyLimit);
  const stats = createDeliveryStats(db, worker);
  const { send, record } = createCompletion({
    log,
    metrics,
    secretsKey,
    retryScheduleSeconds,
    leaseSeconds,
    concurrency,
    stats,
    rules: { agent, allowPrivateTargets, attemptTimeoutMs },
    recordResult: createResultRecorder({ db, log, metrics, breaker: settings.breaker }),
  });
  const slots = createSlots({ slots: settings.slots, send, record, onFree: () => loop.wake() });
  const claimDue = createClaimDue({
    db,
    log,
    metrics,
    worker,
    slots: settings.slots,
    leaseSeconds,
    concurrency,
    concurrencyLimit: settings.concurrencyLimit,
    countInFlight: slots.countByEndpoint,
  });
  const loop = startClaimLoop({ log, claimDue, slots, pollMs });
  const periodicTasks = startPeriodicTasks({
    db,
    log,
    worker,
    slots: settings.slots,
    retentionDays,
    reconcileMs,
    stats,
    inFlight: slots.inFlight,
  });

  return {
    stop: async (graceMs = STOP_GRACE_MS) => {
      const begun = performance.now();
      await loop.stop();
      await slots.finishAll(Math.max(0, graceMs - (performance.now() - begun)));
      await periodicTasks.stop();
      await agent.destroy();
    },
  };
}

interface CompletionOptions {
  log: Logger;
  metrics: QueueMetrics;
  secretsKey: string;
  retryScheduleSeconds: readonly number[];
  leaseSeconds: number;
  rules: SendingRules;
  concurrency: AdaptiveConcurrency;
  stats: DeliveryStats;
  recordResult: (result: AttemptResult) => Promise<void>;
}

/** A third of the lease is for waiting for a slot, a third for the request, and a third for recording the result. */
const WAIT_SHARE = 1 / 3;

const NOT_SENT = unsent({
  outcome: 'interrupted',
  reason: 'The worker was stopped or had no free slot in time: the request was not sent.',
});

/**
 * Returns two functions. `send` sends a claimed delivery and observes its endpoint. `record` records the result of the attempt and
 * schedules the next one.
 */
function createCompletion(options: CompletionOptions): Pick<SlotOptions, 'send' | 'record'> {
  const { log, metrics, retryScheduleSeconds, leaseSeconds, rules, concurrency, stats, recordResult } =
    options;
  const openSecrets = createSecretOpener(deriveSealingKey(options.secretsKey));
  const waitLimitMs = leaseSeconds * 1000 * WAIT_SHARE;
  return {
    async send(delivery, cutoff, waitedMs) {
      if (cutoff.reason || waitedMs > waitLimitMs) return NOT_SENT;
      const report = await inSpan('send webhook', null, async (span) => {
        linkSpan(span, [delivery.traceparent]);
        const sent = await sendWebhook(delivery, openSecrets, rules, cutoff);
        span.setAttribute('webhook.delivery_id', delivery.id).setAttribute('webhook.outcome', sent.outcome);
        return sent;
      });
      concurrency.observe(delivery.endpointId, report);
      stats.observe(delivery, report);
      metrics.countAttempt(delivery, report);
      return report;
    },
    async record(delivery, report) {
      try {
        await recordResult({ delivery, report, next: decideNext(report, delivery, retryScheduleSeconds) });
      } catch (error) {
        // Only logs the error: the lease expires, and the delivery is sent again.
        log.error({ err: error, delivery_id: delivery.id }, 'result was not recorded');
      }
    },
  };
}

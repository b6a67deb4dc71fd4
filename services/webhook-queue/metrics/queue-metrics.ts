import type { Db } from '../../platform/database/database';
import { DUE } from '../deliveries/queue.repository';
import { Counter, Gauge, Histogram, Registry } from 'prom-client';
import type { AttemptReport, ClaimedDelivery, Phase } from '../deliveries/delivery';
import { shareSample } from './shared-sample';

const SECONDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 15];
const WAITS = [0.1, 0.5, 1, 5, 30, 60, 300, 1800, 3600, 6 * 3600, 24 * 3600, 72 * 3600];

export type QueueMetrics = ReturnType<typeof createQueueMetrics>;

/**
 * Creates the metrics of a worker. main.ts passes the registry that the port METRICS_PORT + 1 serves. No label names an endpoint or a
 * tenant, because there are too many of them.
 */
export function createQueueMetrics(registry = new Registry()) {
  const metrics = defineMetrics([registry]);
  // Keeps the histogram of each phase, because prom-client builds a key from the labels at every call.
  const phaseSeconds = new Map<string, { observe(seconds: number): void }>();
  const observePhase = (phase: string, ms: number): void => {
    let seconds = phaseSeconds.get(phase);
    if (!seconds) phaseSeconds.set(phase, (seconds = metrics.attemptSeconds.labels(phase)));
    seconds.observe(ms / 1000);
  };
  return {
    ...metrics,
    /** Counts one request, whatever its outcome. */
    countAttempt({ claimedAt, createdAt }: ClaimedDelivery, report: AttemptReport): void {
      const { outcome, statusCode, phases, durationMs } = report;
      const codeClass = statusCode === null ? 'none' : `${Math.floor(statusCode / 100)}xx`;
      metrics.attempt.inc({ class: outcome, code_class: codeClass });
      observePhase('all', durationMs);
      for (const phase in phases) observePhase(phase, phases[phase as Phase]!);
      const sinceEvent = claimedAt.getTime() - createdAt.getTime() + durationMs;
      if (outcome === 'delivered') metrics.endToEnd.observe(sinceEvent / 1000);
    },
  };
}

function defineMetrics(registers: Registry[]) {
  return {
    delivery: new Counter({
      registers,
      name: 'webhook_delivery_total',
      help: 'Finished deliveries, by status',
      labelNames: ['outcome'] as const,
    }),
    attempt: new Counter({
      registers,
      name: 'webhook_attempt_total',
      help: 'Requests sent, by outcome and status code class',
      labelNames: ['class', 'code_class'] as const,
    }),
    attemptSeconds: new Histogram({
      registers,
      name: 'webhook_attempt_seconds',
      help: 'Duration of a request, by phase',
      labelNames: ['phase'] as const,
      buckets: SECONDS,
    }),
    endToEnd: new Histogram({
      registers,
      name: 'webhook_end_to_end_seconds',
      help: 'Time from the event to its 2xx response',
      buckets: WAITS,
    }),
    claimSeconds: new Histogram({
      registers,
      name: 'webhook_claim_seconds',
      help: 'Duration of a claim',
      buckets: SECONDS,
    }),
    claimRows: new Counter({ registers, name: 'webhook_claim_rows_total', help: 'Deliveries claimed' }),
    leaseLost: new Counter({
      registers,
      name: 'webhook_lease_lost_total',
      help: 'Deliveries claimed again from a lost worker',
    }),
    lateResult: new Counter({
      registers,
      name: 'webhook_late_result_total',
      help: 'Results that arrived after their lease expired or their delivery was cancelled',
    }),
    endpointDisabled: new Counter({
      registers,
      name: 'webhook_endpoint_disabled_total',
      help: 'Endpoints disabled by the queue',
      labelNames: ['reason'] as const,
    }),
    slots: new Gauge({
      registers,
      name: 'webhook_slots',
      help: 'Requests in flight from this worker, by the class of their endpoint',
      labelNames: ['class'] as const,
    }),
  };
}

const GAUGES: Record<keyof QueueSample, { name: string; help: string }> = {
  due: { name: 'webhook_due', help: 'Deliveries that are due now, counted up to a million' },
  oldestDueSeconds: {
    name: 'webhook_oldest_due_seconds',
    help: 'Age of the oldest due delivery',
  },
  breakersOpen: { name: 'webhook_breaker_open', help: 'Endpoints whose breaker is open' },
  deadTuples: {
    name: 'webhook_hot_dead_tuples',
    help: 'Dead rows of the queue table that vacuum has not removed yet',
  },
  snapshotAgeSeconds: {
    name: 'webhook_snapshot_age_seconds',
    help: 'Age of the oldest open snapshot; vacuum removes no newer dead rows while it is open',
  },
};

/** Registers gauges that read the state of the queue from the database at each scrape. */
export function registerQueueGauges(db: Db): void {
  const readSample = shareSample(() => sampleQueue(db));
  for (const [key, { name, help }] of Object.entries(GAUGES)) {
    new Gauge({
      name,
      help,
      async collect() {
        this.set((await readSample())?.[key as keyof QueueSample] ?? NaN);
      },
    });
  }
}

interface QueueSample {
  due: number;
  oldestDueSeconds: number;
  breakersOpen: number;
  deadTuples: number;
  snapshotAgeSeconds: number;
}

/** Scans the queue table once; a million rows take 0.2 s. */
async function sampleQueue(db: Db): Promise<QueueSample> {
  const { rows } = await db.raw<{ rows: [QueueSample] }>(`
    with due as materialized (
      select q.next_at from webhook_queue q
      join webhook_endpoints e on e.id = q.endpoint_id and e.status = 'active'
      left join webhook_health h on h.endpoint_id = q.endpoint_id
      where ${DUE}
        and (h.blocked_until is null or h.blocked_until <= now())
      limit 1000000
    )
    select
      (select count(*) from due)::integer as due,
      (select coalesce(extract(epoch from now() - min(next_at)), 0) from due)::float8 as oldest_due_seconds,
      (select count(*) from webhook_health where blocked_until > now())::integer as breakers_open,
      coalesce((select n_dead_tup from pg_stat_user_tables where relid = 'webhook_queue'::regclass), 0)::integer as dead_tuples,
      webhook_snapshot_age() as snapshot_age_seconds`);
  return rows[0];
}

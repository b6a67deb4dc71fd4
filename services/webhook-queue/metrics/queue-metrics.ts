import { Counter, Gauge, Histogram } from 'prom-client';
import type { AttemptReport, ClaimedDelivery } from '../deliveries/delivery';

const SECONDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 15];
const WAITS = [0.1, 0.5, 1, 5, 30, 60, 300, 1800, 3600, 6 * 3600, 24 * 3600, 72 * 3600];

/** On METRICS_PORT + 1. Never an endpoint or a tenant as a label: there are too many of them. */
export const queueMetrics = {
  delivery: new Counter({
    name: 'webhook_delivery_total',
    help: 'Deliveries that ended, by how',
    labelNames: ['outcome'] as const,
  }),
  attempt: new Counter({
    name: 'webhook_attempt_total',
    help: 'Requests sent, by what became of them and the class of the answer',
    labelNames: ['class', 'code_class'] as const,
  }),
  attemptSeconds: new Histogram({
    name: 'webhook_attempt_seconds',
    help: 'Where the time of a request went',
    labelNames: ['phase'] as const,
    buckets: SECONDS,
  }),
  endToEnd: new Histogram({
    name: 'webhook_end_to_end_seconds',
    help: 'From the event to its 2xx',
    buckets: WAITS,
  }),
  claimSeconds: new Histogram({
    name: 'webhook_claim_seconds',
    help: 'How long a claim took',
    buckets: SECONDS,
  }),
  claimRows: new Counter({ name: 'webhook_claim_rows_total', help: 'Deliveries claimed' }),
  leaseLost: new Counter({
    name: 'webhook_lease_lost_total',
    help: 'Deliveries claimed from a worker that never came back',
  }),
  lateResult: new Counter({
    name: 'webhook_late_result_total',
    help: 'Results that came after their lease, or after the delivery was cancelled',
  }),
  endpointDisabled: new Counter({
    name: 'webhook_endpoint_disabled_total',
    help: 'Endpoints disabled by the queue',
    labelNames: ['reason'] as const,
  }),
  slots: new Gauge({
    name: 'webhook_slots',
    help: 'Requests in flight from this worker, by the class of their endpoint',
    labelNames: ['class'] as const,
  }),
};

/** Each phase's part of the histogram, looked up once: prom-client makes a key of the labels at every call. */
const phaseSeconds = new Map<string, { observe(seconds: number): void }>();

/** One request that was made, whatever came of it. */
export function countAttempt({ claimedAt, createdAt }: ClaimedDelivery, report: AttemptReport): void {
  const { outcome, statusCode, phases, durationMs } = report;
  const codeClass = statusCode === null ? 'none' : `${Math.floor(statusCode / 100)}xx`;
  queueMetrics.attempt.inc({ class: outcome, code_class: codeClass });
  observePhase('all', durationMs);
  for (const phase in phases) observePhase(phase, phases[phase as keyof typeof phases]!);
  const sinceEvent = claimedAt.getTime() - createdAt.getTime() + durationMs;
  if (outcome === 'delivered') queueMetrics.endToEnd.observe(sinceEvent / 1000);
}

function observePhase(phase: string, ms: number): void {
  let seconds = phaseSeconds.get(phase);
  if (!seconds) phaseSeconds.set(phase, (seconds = queueMetrics.attemptSeconds.labels(phase)));
  seconds.observe(ms / 1000);
}

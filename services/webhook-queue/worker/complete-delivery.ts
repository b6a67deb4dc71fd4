import type { Logger } from '../../platform/logger';
import type { AttemptResult } from '../deliveries/delivery';
import type { DeliveryStats } from '../stats/delivery-stats';
import type { QueueMetrics } from '../metrics/queue-metrics';
import { sendWebhook, unsent, type SendingRules } from '../sending/send-webhook';
import { createSecretOpener, deriveSealingKey } from '../signing/seal-secret';
import type { AdaptiveConcurrency } from './adaptive-concurrency';
import { decideNext } from './retry-schedule';
import type { SlotOptions } from './slots';

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

/** A third of the lease is for waiting, a third for the request, and a third for recording the result. */
const WAIT_SHARE = 1 / 3;

const NOT_SENT = unsent({
  outcome: 'interrupted',
  reason: 'The worker was stopped or had no free slot in time: the request was not sent.',
});

/** Sends a claimed delivery, observes its endpoint, and records the result with the next step. */
export function createCompletion(options: CompletionOptions): Pick<SlotOptions, 'send' | 'record'> {
  const { log, metrics, retryScheduleSeconds, leaseSeconds, rules, concurrency, stats, recordResult } =
    options;
  const openSecrets = createSecretOpener(deriveSealingKey(options.secretsKey));
  const waitLimitMs = leaseSeconds * 1000 * WAIT_SHARE;
  return {
    async send(delivery, cutoff, waitedMs) {
      if (cutoff.reason || waitedMs > waitLimitMs) return NOT_SENT;
      const report = await sendWebhook(delivery, openSecrets, rules, cutoff);
      concurrency.observe(delivery.endpointId, report);
      stats.observe(delivery, report);
      metrics.countAttempt(delivery, report);
      return report;
    },
    async record(delivery, report) {
      try {
        await recordResult({ delivery, report, next: decideNext(report, delivery, retryScheduleSeconds) });
      } catch (error) {
        // The lease expires, and the delivery is sent again.
        log.error({ err: error, delivery_id: delivery.id }, 'result was not recorded');
      }
    },
  };
}

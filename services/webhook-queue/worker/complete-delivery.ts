import { attemptDelivery } from '../sending/attempt-delivery';
import type { AttemptReport } from '../deliveries/delivery';
import type { Paces } from './endpoint-pace';
import type { Airline } from './flights';
import type { Pulse } from '../metrics/pulse';
import { countAttempt } from '../metrics/queue-metrics';
import { decideNext } from './retry-schedule';
import { createSecretOpener, deriveSealingKey } from '../signing/seal-secret';
import type { SendingRules } from '../sending/send-webhook';
import { createSettler, type SettlerOptions } from './settle-in-batches';

export interface CompletionOptions extends SettlerOptions, SendingRules {
  secretsKey: string;
  retryScheduleSeconds: readonly number[];
  leaseSeconds: number;
  paces: Paces;
  pulse: Pulse;
}

/** Of a lease: a third to wait for a slot, a third for the request, a third to write its result down. */
const WAIT_SHARE = 1 / 3;

const NOT_SENT: AttemptReport = {
  outcome: 'interrupted',
  reason: 'This worker was stopped, or had no slot for it in time: it was not sent.',
  statusCode: null,
  responseBody: null,
  durationMs: 0,
  retryAfterSeconds: null,
  phases: null,
  peer: null,
  signature: null,
  responseHeaders: null,
};

/** From a claimed delivery to its written result: one request, what it says of the endpoint, and what follows. */
export function createCompletion(options: CompletionOptions): Pick<Airline, 'fly' | 'settle'> {
  const { log, retryScheduleSeconds, leaseSeconds, paces, pulse } = options;
  const openSecrets = createSecretOpener(deriveSealingKey(options.secretsKey));
  const writeDown = createSettler(options);
  const patienceMs = leaseSeconds * 1000 * WAIT_SHARE;
  return {
    async fly(delivery, abort, waitedMs) {
      if (abort.signal.aborted || waitedMs > patienceMs) return NOT_SENT;
      const report = await attemptDelivery(delivery, openSecrets, options, abort);
      paces.observe(delivery.endpointId, report);
      pulse.observe(delivery, report);
      countAttempt(delivery, report);
      return report;
    },
    async settle(delivery, report) {
      try {
        await writeDown({ delivery, report, next: decideNext(report, delivery, retryScheduleSeconds) });
      } catch (error) {
        // Its lease runs out, and it is sent again.
        log.error({ err: error, delivery_id: delivery.id }, 'delivery failed in the worker');
      }
    },
  };
}

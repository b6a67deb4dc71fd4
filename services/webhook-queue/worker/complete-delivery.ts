import type { Logger } from '../../platform/logger';
import type { Settlement } from '../deliveries/delivery';
import type { Pulse } from '../metrics/pulse';
import { countAttempt } from '../metrics/queue-metrics';
import { sendWebhook, unsent, type SendingRules } from '../sending/send-webhook';
import { createSecretOpener, deriveSealingKey } from '../signing/seal-secret';
import type { Paces } from './endpoint-pace';
import { decideNext } from './retry-schedule';
import type { SlotOptions } from './slots';

export interface CompletionOptions {
  log: Logger;
  secretsKey: string;
  retryScheduleSeconds: readonly number[];
  leaseSeconds: number;
  rules: SendingRules;
  paces: Paces;
  pulse: Pulse;
  writeDown: (settlement: Settlement) => Promise<void>;
}

/** Of a lease: a third to wait for a slot, a third for the request, a third to write its result down. */
const WAIT_SHARE = 1 / 3;

const NOT_SENT = unsent({
  outcome: 'interrupted',
  reason: 'This worker was stopped, or had no slot for it in time: it was not sent.',
});

/** From a claimed delivery to its written result: one request, what it says of the endpoint, and what follows. */
export function createCompletion(options: CompletionOptions): Pick<SlotOptions, 'send' | 'settle'> {
  const { log, retryScheduleSeconds, leaseSeconds, rules, paces, pulse, writeDown } = options;
  const openSecrets = createSecretOpener(deriveSealingKey(options.secretsKey));
  const patienceMs = leaseSeconds * 1000 * WAIT_SHARE;
  return {
    async send(delivery, abort, waitedMs) {
      if (abort.signal.aborted || waitedMs > patienceMs) return NOT_SENT;
      const report = await sendWebhook(delivery, openSecrets, rules, abort);
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

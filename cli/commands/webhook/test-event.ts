import type { Db } from '../../../services/platform/database';
import type { EventType } from '../../../services/webhook-queue/deliveries/delivery';
import { findEndpoint } from '../../../services/webhook-queue/endpoints/endpoint.repository';
import { pingEndpoint, triggerEvent } from '../../../services/webhook-queue/endpoints/requested-deliveries';
import { isQueueRunning } from '../../../services/webhook-queue/inspect-queue';
import type { Context } from '../../engine/context';
import type { Output } from '../../terminal/output';

export async function pingWebhookCommand(
  { audited, db, output }: Context,
  _: object,
  id: string,
): Promise<void> {
  const { tenantId, url } = await findEndpoint(db, id);
  const { delivery } = await audited({ action: 'webhook.ping', tenantId, subject: id }, (trx) =>
    pingEndpoint(trx, id),
  );
  await output.answer({ id, delivery }, () => delivery);
  output.note(`Queued for ${url}: tourctl delivery show ${delivery}`);
  await warnIfNothingSends(db, output);
}

const DAY_MS = 86_400_000;

export async function triggerWebhookCommand(
  { audited, db, output }: Context,
  { event }: { event: EventType },
  id: string,
): Promise<void> {
  const { tenantId, url } = await findEndpoint(db, id);
  const date = new Date(Date.now() + 30 * DAY_MS).toISOString().slice(0, 10);
  const { delivery } = await audited(
    { action: 'webhook.trigger', tenantId, subject: id },
    async (trx, note) => {
      const queued = await triggerEvent(trx, id, event, date);
      note(null, { event, delivery: queued.delivery });
      return queued;
    },
  );
  await output.answer({ id, event, delivery }, () => delivery);
  output.note(`A test ${event} is queued for ${url}: tourctl delivery show ${delivery}`);
  await warnIfNothingSends(db, output);
}

/** Warns if deliveries wait because no webhook queue runs. */
export async function warnIfNothingSends(db: Db, output: Output): Promise<void> {
  if (await isQueueRunning(db)) return;
  output.warn(
    'No webhook queue runs, so nobody sends it: start one with npm run webhook-queue, or npm start',
  );
}

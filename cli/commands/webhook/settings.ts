import type { EventType } from '../../../services/webhook-queue/deliveries/delivery';
import { type Format, toEndpointDocument } from '../../../services/webhook-queue/endpoints/endpoint';
import { findEndpoint } from '../../../services/webhook-queue/endpoints/endpoint.repository';
import { triggerEvent } from '../../../services/webhook-queue/endpoints/requested-deliveries';
import { setEndpoint } from '../../../services/webhook-queue/endpoints/set-endpoint';
import type { Context } from '../../engine/context';
import { countIs } from '../../terminal/text';
import { warnIfNothingSends, warnOfTwins } from './actions';

export interface WebhookSettings {
  url?: string;
  event?: EventType[];
  format?: Format;
}

export async function setWebhookCommand(
  { audited, config, output }: Context,
  { url, event: events, format }: WebhookSettings,
  id: string,
): Promise<void> {
  const { allowPrivateTargets } = config.webhooks;
  const { after, waiting, twins } = await audited(
    { action: 'webhook.set', subject: id },
    async (trx, note) => {
      const changed = await setEndpoint(trx, id, { url, events, format }, allowPrivateTargets);
      const { before, after } = changed;
      note(toEndpointDocument(before), toEndpointDocument(after), { tenantId: after.tenantId });
      return changed;
    },
  );
  const document = toEndpointDocument(after);
  output.answer(document, () => {
    const { tenant, url: address, events: types, format: form } = document;
    return `Endpoint ${id} of ${tenant}: ${types.join(', ')} to ${address} (${form})`;
  });
  output.note('The signing secret is the same.');
  warnOfTwins(output, document.tenant, twins);
  if (waiting > 0) output.note(`${countIs(waiting, 'waiting delivery')} due now`);
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
  output.answer({ id, event, delivery }, () => delivery);
  output.note(`A test ${event} is queued for ${url}: tourctl delivery show ${delivery}`);
  await warnIfNothingSends(db, output);
}

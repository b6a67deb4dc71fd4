import { findEndpoint, pingEndpoint } from '../../../services/webhook-queue/operations';
import type { Context } from '../../context';

export async function pingWebhookCommand(
  { audited, db, output }: Context,
  _: object,
  id: string,
): Promise<void> {
  const { tenantId, url } = await findEndpoint(db, id);
  const { delivery } = await audited({ action: 'webhook.ping', tenantId, subject: id }, (trx) =>
    pingEndpoint(trx, id),
  );
  output.answer({ id, delivery }, () => delivery);
  output.note(`On its way to ${url}: tourctl delivery show ${delivery}`);
}

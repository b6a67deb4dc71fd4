import { retryDelivery, showDelivery } from '../../../services/webhook-queue/operations';
import type { Context } from '../../context';

export async function retryDeliveryCommand(
  { audited, db, output }: Context,
  _: object,
  id: string,
): Promise<void> {
  const { tenant_id: tenantId } = await showDelivery(db, id);
  const document = await audited({ action: 'delivery.retry', tenantId, subject: id }, (trx) =>
    retryDelivery(trx, id),
  );
  output.answer(document, () => `${id} is ${document.status}, and due now`);
}

import { countReplay, replayDeliveries, type ReplayFilter } from '../../../services/webhook-queue/operations';
import type { Context } from '../../context';
import { toDeliveryFilter, type DeliveryOptions } from './delivery-filter';

export async function replayDeliveriesCommand(
  { audited, db, output }: Context,
  options: DeliveryOptions & { status?: ReplayFilter['status']; dryRun?: boolean },
): Promise<void> {
  const filter = { ...(await toDeliveryFilter(db, options)), status: options.status ?? ('dead' as const) };
  if (options.dryRun) {
    const matching = await countReplay(db, filter);
    return output.answer({ matching }, () => `${matching} deliveries would be sent again`);
  }
  const { tenantId } = filter;
  const result = await audited({ action: 'delivery.replay', tenantId }, async (trx, note) => {
    const { replayed } = await replayDeliveries(trx, filter);
    note(null, { ...filter, replayed }, { subject: options.endpoint });
    return { replayed };
  });
  output.answer(result, () => `${result.replayed} deliveries are on their way again`);
}

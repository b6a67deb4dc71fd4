import {
  countHeldBack,
  countReplayable,
  type HeldBack,
  replayDeliveries,
  type ReplayFilter,
} from '../../../services/webhook-queue/deliveries/replay-deliveries';
import { showDelivery } from '../../../services/webhook-queue/deliveries/find-deliveries';
import { retryDelivery } from '../../../services/webhook-queue/requested-deliveries';
import type { Context } from '../../engine/context';
import type { Output } from '../../terminal/output';
import { type DeliveryOptions, toDeliveryFilter } from './read';

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

export async function replayDeliveriesCommand(
  { audited, db, output }: Context,
  options: DeliveryOptions & { status?: ReplayFilter['status']; dryRun?: boolean },
): Promise<void> {
  const filter = { ...(await toDeliveryFilter(db, options)), status: options.status ?? ('dead' as const) };
  const heldBack = await countHeldBack(db, filter);
  if (options.dryRun) {
    const matching = await countReplayable(db, filter);
    output.answer({ matching, held_back: heldBack }, () => `${matching} deliveries would be sent again`);
    return warnOf(heldBack, output);
  }
  const { tenantId } = filter;
  let replayed = 0;
  // A part and its audit row after the other, so that no transaction is long.
  for (let finishedBefore: Date | undefined, left = 1; left > 0;) {
    const part = await audited({ action: 'delivery.replay', tenantId }, async (trx, note) => {
      const done = await replayDeliveries(trx, { ...filter, finishedBefore });
      if (done.replayed > 0)
        note(null, { ...filter, replayed: done.replayed }, { subject: options.endpoint });
      return done;
    });
    replayed += part.replayed;
    ({ finishedBefore, left } = part);
  }
  output.answer({ replayed }, () => `${replayed} deliveries are on their way again`);
  warnOf(heldBack, output);
}

function warnOf({ paused, disabled }: HeldBack, output: Output): void {
  const left = 'are not among them';
  if (paused > 0) output.warn(`${paused} more of paused endpoints ${left}: resume those, then replay`);
  if (disabled > 0) output.warn(`${disabled} more of disabled endpoints ${left}: enable those, then replay`);
}

import { recordTerminalChange } from '../../../services/api/catalog/tour.repository';
import { releaseHold } from '../../../services/api/holds/change-hold';
import { getHold } from '../../../services/api/holds/find-hold';
import { byOperator } from '../../../services/api/tenants/actor';
import { ANY_TENANT } from '../../../services/api/tenants/tenant';
import type { Context } from '../../engine/context';
import { properties } from '../../terminal/table';
import { toHoldDocument } from './read';

export async function releaseHoldCommand(
  { audited, confirm, db, operator, output }: Context,
  _options: object,
  id: string,
): Promise<void> {
  const { quantity, tour, departureDate } = await getHold(db, ANY_TENANT, id);
  await confirm(`Release ${quantity} seats of ${tour.slug} on ${departureDate}?`);
  const document = await audited({ action: 'hold.release', subject: id }, async (trx, note) => {
    const { before, after } = await releaseHold(trx, ANY_TENANT, { holdId: id, by: byOperator(operator) });
    if (before !== after) await recordTerminalChange(trx, after.tour.id);
    note(toHoldDocument(before), toHoldDocument(after), { tenantId: after.tenant.id });
    return toHoldDocument(after);
  });
  output.answer(document, (screen) => properties(document, screen));
}

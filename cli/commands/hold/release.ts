import { noteTerminalChange } from '../../../services/api/catalog/note-terminal-change';
import { getHold } from '../../../services/api/holds/find-hold';
import { releaseHold } from '../../../services/api/holds/release-hold';
import { byOperator } from '../../../services/api/tenants/actor';
import { ANY_TENANT } from '../../../services/api/tenants/tenant-scope';
import type { Context } from '../../context';
import { properties } from '../../table';
import { toHoldDocument } from './hold-document';

export async function releaseHoldCommand(
  { audited, confirm, db, operator, output }: Context,
  _options: object,
  id: string,
): Promise<void> {
  const { quantity, tour, departureDate } = await getHold(db, ANY_TENANT, id);
  await confirm(`Release ${quantity} seats of ${tour.slug} on ${departureDate}?`);
  const document = await audited({ action: 'hold.release', subject: id }, async (trx, note) => {
    const before = await getHold(trx, ANY_TENANT, id);
    const released = await releaseHold(trx, ANY_TENANT, { holdId: id, by: byOperator(operator) });
    const after = toHoldDocument(released);
    await noteTerminalChange(trx, before.tour.id);
    note(toHoldDocument(before), after, { tenantId: before.tenant.id });
    return after;
  });
  output.answer(document, (screen) => properties(document, screen));
}

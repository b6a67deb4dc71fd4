import type { ChangedBooking, NamedBooking } from '../../../services/api/bookings/booking-lead';
import { cancelBooking } from '../../../services/api/bookings/cancel-booking';
import { confirmBooking } from '../../../services/api/bookings/confirm-booking';
import { getBooking } from '../../../services/api/bookings/find-booking';
import { noteTerminalChange } from '../../../services/api/catalog/note-terminal-change';
import type { Replay } from '../../../services/api/idempotency/once';
import { byOperator } from '../../../services/api/tenants/actor';
import { ANY_TENANT, type TenantScope } from '../../../services/api/tenants/tenant-scope';
import type { Trx } from '../../../services/platform/database';
import type { Context } from '../../context';
import { properties } from '../../table';
import { toBookingDocument } from './booking-document';

export async function confirmBookingCommand(context: Context, _options: object, ref: string): Promise<void> {
  await change(context, 'booking.confirm', ref, confirmBooking);
}

export async function cancelBookingCommand(context: Context, _options: object, ref: string): Promise<void> {
  const { adults, tour, departureDate } = await getBooking(context.db, ANY_TENANT, ref);
  await context.confirm(`Cancel ${ref}: ${adults} adults, ${tour.slug}, ${departureDate ?? 'no date'}?`);
  await change(context, 'booking.cancel', ref, cancelBooking);
}

async function change(
  { audited, operator, output }: Context,
  action: string,
  ref: string,
  use: (trx: Trx, scope: TenantScope, named: NamedBooking) => Promise<ChangedBooking | Replay>,
): Promise<void> {
  const document = await audited({ action, subject: ref }, async (trx, note) => {
    const changed = await use(trx, ANY_TENANT, { bookingRef: ref, by: byOperator(operator) });
    // Without an idempotency key nothing is a repeat.
    const { before, after } = changed as ChangedBooking;
    await noteTerminalChange(trx, after.tour.id);
    note(toBookingDocument(before), toBookingDocument(after), { tenantId: after.tenant.id });
    return toBookingDocument(after);
  });
  output.answer(document, (screen) => properties(document, screen));
}

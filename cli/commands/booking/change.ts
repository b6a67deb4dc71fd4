import { amendBooking } from '../../../services/api/sales/amend-booking';
import type { ChangedBooking, NamedBooking } from '../../../services/api/bookings/booking-lead';
import { cancelBooking, confirmBooking } from '../../../services/api/bookings/change-booking';
import { getBooking } from '../../../services/api/bookings/find-booking';
import { recordTerminalChange } from '../../../services/api/catalog/tour.repository';
import type { ReplayedResponse } from '../../../services/api/idempotency/run-idempotent';
import { describeParty } from '../../../services/api/pricing/party';
import { byOperator } from '../../../services/api/tenants/actor';
import { findTenant } from '../../../services/api/tenants/find-tenant';
import { phoneInput } from '../../../services/api/tenants/phone';
import { ANY_TENANT, type TenantScope } from '../../../services/api/tenants/tenant';
import type { Trx } from '../../../services/platform/database';
import type { Context } from '../../engine/context';
import { properties } from '../../terminal/table';
import { toBookingDocument, toBookingFacts } from './document';

export async function confirmBookingCommand(context: Context, _options: object, ref: string): Promise<void> {
  await change(context, 'booking.confirm', ref, confirmBooking);
}

export async function cancelBookingCommand(
  context: Context,
  { reason = null }: { reason?: string | null },
  ref: string,
): Promise<void> {
  const { party, tour, departureDate, status } = await getBooking(context.db, ANY_TENANT, ref);
  if (status !== 'cancelled')
    await context.confirm(
      `Cancel ${ref}: ${describeParty(party)}, ${tour.slug}, ${departureDate ?? 'no date'}?`,
    );
  await change(context, 'booking.cancel', ref, (trx, scope, named) =>
    cancelBooking(trx, scope, { ...named, reason }),
  );
}

interface ChangeOptions {
  name?: string;
  phone?: string;
  email?: string;
  date?: string;
  adults?: number;
  children?: number;
  notes?: string;
}

export async function changeBookingCommand(
  context: Context,
  { date: departureDate, adults: adult, children: child, name, phone, email, notes }: ChangeOptions,
  ref: string,
): Promise<void> {
  const { tenant: seller } = await getBooking(context.db, ANY_TENANT, ref);
  const tenant = await findTenant(context.db, seller.slug);
  const customer = {
    name,
    email,
    phone: phone === undefined ? undefined : phoneInput('--phone', phone, tenant.country),
  };
  const amendment = { departureDate, party: { adult, child }, customer, notes, expectedTotal: null };
  await change(context, 'booking.change', ref, (trx, _scope, named) =>
    amendBooking(trx, tenant, { ...named, ...amendment }),
  );
}

async function change(
  { audited, operator, output }: Context,
  action: string,
  ref: string,
  use: (trx: Trx, scope: TenantScope, named: NamedBooking) => Promise<ChangedBooking | ReplayedResponse>,
): Promise<void> {
  const { changed, document } = await audited({ action, subject: ref }, async (trx, note) => {
    // Without an idempotency key there is no replayed response.
    const { before, after } = (await use(trx, ANY_TENANT, {
      bookingRef: ref,
      by: byOperator(operator),
    })) as ChangedBooking;
    if (before !== after) await recordTerminalChange(trx, after.tour.id);
    note(toBookingDocument(before), toBookingDocument(after), { tenantId: after.tenant.id });
    return { changed: before !== after, document: toBookingDocument(after) };
  });
  output.answer(document, (screen) => properties(toBookingFacts(document), screen));
  if (changed) return;
  const state = action === 'booking.change' ? 'has these values' : `was already ${document.status}`;
  output.note(`${ref} ${state}: nothing was changed`);
}

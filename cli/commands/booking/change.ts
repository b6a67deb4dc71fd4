import type { BookingLead, ChangedBooking, NamedBooking } from '../../../services/api/bookings/booking-lead';
import { findLapsedLeads } from '../../../services/api/bookings/booking-lead.repository';
import { cancelBooking, confirmBooking } from '../../../services/api/bookings/change-booking';
import { getBooking } from '../../../services/api/bookings/find-booking';
import { recordTerminalChange } from '../../../services/api/catalog/tour.repository';
import { expireSeats } from '../../../services/api/departures/free-expired-seats';
import type { ReplayedResponse } from '../../../services/api/idempotency/run-idempotent';
import { byOperator } from '../../../services/api/tenants/actor';
import { ANY_TENANT, type TenantScope } from '../../../services/api/tenants/tenant';
import type { Trx } from '../../../services/platform/database';
import type { Context } from '../../engine/context';
import { properties, shortTime, table } from '../../terminal/table';
import { toBookingDocument } from './read';

export async function confirmBookingCommand(context: Context, _options: object, ref: string): Promise<void> {
  await change(context, 'booking.confirm', ref, confirmBooking);
}

export async function cancelBookingCommand(context: Context, _options: object, ref: string): Promise<void> {
  const { adults, tour, departureDate, status } = await getBooking(context.db, ANY_TENANT, ref);
  if (status !== 'cancelled')
    await context.confirm(`Cancel ${ref}: ${adults} adults, ${tour.slug}, ${departureDate ?? 'no date'}?`);
  await change(context, 'booking.cancel', ref, cancelBooking);
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
  output.answer(document, (screen) => properties(document, screen));
  if (!changed) output.note(`${ref} was ${document.status} already: nothing was changed`);
}

const AT_ONCE = 1000;
const COLUMNS = ['booking', 'tenant', { heading: 'tour', least: 10 }, 'date', 'adults', 'was due (utc)'];

/**
 * Writes down, and announces, what the clock has decided: unpaid bookings whose window is over. The API does so by itself, a
 * quarter of a minute late; without one running nobody does.
 */
export async function expireBookingsCommand(
  context: Context,
  { dryRun = false }: { dryRun?: boolean },
): Promise<void> {
  const { db, output } = context;
  const expired: BookingLead[] = [];
  for (let more = true; more;) {
    const lapsed = await findLapsedLeads(db, AT_ONCE);
    expired.push(...lapsed);
    if (!dryRun) await writeDown(context, lapsed);
    more = !dryRun && lapsed.length === AT_ONCE;
  }
  const items = expired.map((lead) => toBookingDocument(lead));
  output.answer({ items, dry_run: dryRun }, (screen) => {
    const rows = items.map((b) => [
      ...[b.booking_ref, b.tenant, b.tour, b.departure_date, b.adults, shortTime(b.payment_due_at)],
    ]);
    return table(COLUMNS, rows, 'No unpaid booking whose payment window is over', screen);
  });
}

/** Runs one transaction for each departure, in the global lock order. */
async function writeDown({ audited }: Context, lapsed: BookingLead[]): Promise<void> {
  const departures = [...new Set(lapsed.map(({ departureId }) => departureId))].sort();
  for (const departureId of departures) {
    const { tour, departureDate } = lapsed.find((lead) => lead.departureId === departureId)!;
    const subject = departureId ? `${tour.slug} ${departureDate}` : 'without a date';
    await audited({ action: 'booking.expire', subject }, async (trx, note) => {
      const { bookingRefs, holds } = await expireSeats(trx, departureId);
      const nothing = bookingRefs.length + holds.length === 0;
      note(null, nothing ? null : { bookings: bookingRefs, holds });
    });
  }
}

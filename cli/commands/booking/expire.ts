import type { BookingLead } from '../../../services/api/bookings/booking-lead';
import { listLapsedBookings } from '../../../services/api/bookings/find-booking';
import { expireSeats } from '../../../services/api/departures/free-expired-seats';
import type { Context } from '../../context';
import { shortTime, table } from '../../table';
import { toBookingDocument } from './booking-document';

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
    const lapsed = await listLapsedBookings(db, AT_ONCE);
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

/** A transaction for each departure, in the order in which everybody locks them. */
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

import type { BookingLead } from '../../../services/api/bookings/booking-lead';
import { findLapsedLeads } from '../../../services/api/bookings/booking-lead.repository';
import { expireSeats } from '../../../services/api/departures/free-expired-seats';
import type { Context } from '../../engine/context';
import { shortTime, table } from '../../terminal/table';
import { toBookingDocument } from './document';

const PAGE = 1000;
const EXPIRED_COLUMNS = [
  'booking',
  'tenant',
  { heading: 'tour', least: 10 },
  'date',
  'party',
  'was due (utc)',
];

/**
 * Expires unpaid bookings whose payment window is over, and enqueues their events. A running API does so within 15 seconds;
 * this command does it without one.
 */
export async function expireBookingsCommand(
  context: Context,
  { dryRun = false }: { dryRun?: boolean },
): Promise<void> {
  const { db, output } = context;
  const expired: BookingLead[] = [];
  for (let more = true; more;) {
    const lapsed = await findLapsedLeads(db, PAGE);
    expired.push(...lapsed);
    if (!dryRun) await expireLapsed(context, lapsed);
    more = !dryRun && lapsed.length === PAGE;
  }
  const items = expired.map((lead) => toBookingDocument(lead));
  output.answer({ items, dry_run: dryRun }, (screen) => {
    const rows = items.map((b) => [
      b.booking_ref,
      b.tenant,
      b.tour,
      b.departure_date,
      b.adults + b.children,
      shortTime(b.payment_due_at),
    ]);
    return table(EXPIRED_COLUMNS, rows, 'No unpaid booking whose payment window is over', screen);
  });
}

/** Runs one transaction for each departure, in the global lock order. */
async function expireLapsed({ audited }: Context, lapsed: BookingLead[]): Promise<void> {
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

import { findStandingLeads } from '../../../services/api/bookings/booking-lead.repository';
import { findDepartureById } from '../../../services/api/departures/departure.repository';
import type { NamedDeparture, TourOfDeparture } from '../../../services/api/departures/find-departures';
import { cancelAll } from '../../../services/api/seats/changes/cancel-all';
import { cancelDeparture } from '../../../services/api/seats/changes/change-departure';
import { performBulk } from '../../../services/api/seats/perform';
import { byOperator } from '../../../services/api/tenants/actor';
import { changeSeats } from '../../engine/change-seats';
import type { AuditedContext } from '../../engine/context';
import { nameOfDeparture, toAuditedDeparture } from './document';

/**
 * Cancels the departure and, with `cancelling`, its bookings, also those of sandbox tenants. Returns the bookings as they were before: the
 * cancelled ones or, if the bookings stay, those whose customers must be informed. A sandbox booking has no customer.
 * @param cancelling the reason of the bookings' cancellation; null: the bookings stay
 */
export async function cancelWithAudit(
  context: Pick<AuditedContext, 'audited' | 'operator'>,
  tour: TourOfDeparture,
  named: NamedDeparture,
  cancelling: { reason: string | null } | null,
) {
  return changeSeats(context, { action: 'departure.cancel' }, async (transaction, note) => {
    const { trx } = transaction;
    const done = await performBulk(transaction, await cancelDeparture(trx, tour, named));
    const { id } = done.before;
    const by = byOperator(context.operator);
    const bookings = cancelling
      ? await performBulk(transaction, cancelAll(done.before, { by, ...cancelling }))
      : await findStandingLeads(trx, id);
    const cancelledRefs = cancelling ? bookings.map(({ bookingRef }) => bookingRef) : [];
    const [before, after] = [toAuditedDeparture(done.before), toAuditedDeparture(done.after)];
    const noted = cancelledRefs.length > 0 ? { bookings_cancelled: cancelledRefs, ...cancelling } : {};
    note(before, { ...after, ...noted }, { subject: `${tour.slug} ${nameOfDeparture(done.before)}` });
    // Counts the seats again: those of the cancelled bookings are free.
    const counted = await findDepartureById(trx, id, false);
    return { ...done, after: counted ?? done.after, bookings, cancelledRefs };
  });
}

import type { Trx } from '../../../platform/database/database';
import { changedFields } from '../../audit/changed-fields';
import type { BookingLead } from '../../bookings/booking-lead';
import { recordPickups, type RenewedPickup } from '../../bookings/booking-answers.repository';
import { findLeadsById, lockStandingLeads } from '../../bookings/booking-lead.repository';
import { enqueueBookingEvents } from '../../bookings/booking-events';
import {
  findNamedDeparture,
  type NamedDeparture,
  type TourOfDeparture,
} from '../../departures/find-departures';
import { PickupPointNotFoundError } from '../../pickups/manage-pickup-points';
import { pickupAt } from '../../pickups/pickup';
import { hasPickupPoint } from '../../pickups/pickup-point.repository';
import type { Actor } from '../../tenants/actor';
import type { BulkChange } from '../bulk-change';

/** A stop of a departure, and when its guests are fetched. */
export interface StopTime {
  departure: NamedDeparture;
  /** The code of the point. */
  point: string;
  /** RFC 3339, UTC. */
  at: string;
  by: Actor;
}

/**
 * Sets when the guests of all standing bookings of a stop are fetched, until their departure starts at another time. Enqueues `booking.updated`
 * for each.
 * @throws errors of findNamedDeparture; the change PickupPointNotFoundError for a point that neither the catalog nor a booking has
 */
export async function setPickupTime(
  trx: Trx,
  tour: TourOfDeparture,
  { departure, point, at, by }: StopTime,
): Promise<BulkChange<BookingLead[]>> {
  const id = await findNamedDeparture(trx, tour, departure);
  return {
    departureIds: [id],
    change: async () => {
      const locked = await lockStandingLeads(trx, id);
      const standing = await findLeadsById(
        trx,
        locked.map((lead) => lead.id),
      );
      const waiting = standing.filter(({ asked }) => asked?.pickup?.chosen?.point === point);
      if (waiting.length === 0 && !(await hasPickupPoint(trx, point)))
        throw new PickupPointNotFoundError(point);
      await recordPickups(
        trx,
        waiting.map((lead) => renewedPickup(lead, at)),
        by,
      );
      const changed = await findLeadsById(
        trx,
        waiting.map((lead) => lead.id),
      );
      await enqueueBookingEvents(trx, 'booking.updated', changed);
      return { result: changed, changed: [] };
    },
  };
}

function renewedPickup(lead: BookingLead, at: string): RenewedPickup {
  const pickup = pickupAt(lead.asked!.pickup, at, lead);
  const fields = changedFields([{}, {}], [{ pickup: lead.asked!.pickup }, { pickup }]);
  return { leadId: lead.id, pickup, fields };
}

import { type ExpiredSeats, markExpiredSeats } from '../../departures/mark-expired-seats';
import type { BulkChange } from '../bulk-change';

/**
 * Builds the expiry of the holds and unpaid bookings of a departure, with their events.
 * @param departureId null: the bookings without a date
 */
export function expire(departureId: string | null): BulkChange<ExpiredSeats> {
  if (departureId === null)
    return {
      departureIds: [],
      change: async (trx, { at }) => ({ result: await markExpiredSeats(trx, null, at), changed: [] }),
    };
  // The engine marks the expired holds and bookings of each departure that it locks.
  return {
    departureIds: [departureId],
    change: async (_, { expired }) => ({ result: expired, changed: [] }),
  };
}

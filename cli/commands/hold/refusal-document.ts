import { listRefusals } from '../../../services/api/departures/list-refusals';
import type { Refusal, RefusalFilter } from '../../../services/api/departures/refusal';
import type { Db } from '../../../services/platform/database';
import type { Screen } from '../../screen';
import { shortTime, table } from '../../table';

const MOST = 100;

export function toRefusalDocument(refusal: Refusal) {
  return {
    id: refusal.id,
    at: refusal.at.toISOString(),
    tenant: refusal.tenant,
    operation: refusal.operation,
    code: refusal.code,
    tour: refusal.tour,
    departure_date: refusal.departureDate,
    quantity: refusal.quantity,
    seats_available: refusal.seatsAvailable,
    external_ref: refusal.externalRef,
    hold_id: refusal.holdId,
    booking_ref: refusal.bookingRef,
    request_id: refusal.requestId,
  };
}

export async function findRefusalsDocument(db: Db, filter: Omit<RefusalFilter, 'limit'>) {
  return (await listRefusals(db, { ...filter, limit: MOST })).map(toRefusalDocument);
}

export function describeRefusals(refusals: ReturnType<typeof toRefusalDocument>[], screen: Screen): string {
  const rows = refusals.map((r) => [
    ...[shortTime(r.at), r.tenant, r.operation, r.code, r.tour, r.departure_date, r.quantity],
    ...[r.seats_available, r.external_ref, r.request_id],
  ]);
  const tour = { heading: 'tour', least: 8 };
  const reference = { heading: 'reference', least: 8 };
  const request = { heading: 'request', least: 8 };
  const columns = ['at (utc)', 'tenant', 'what', 'why', tour, 'date', 'seats', 'free', reference, request];
  return table(columns, rows, 'Nothing was refused', screen);
}

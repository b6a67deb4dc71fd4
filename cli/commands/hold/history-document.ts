import { listChangesOf } from '../../../services/api/audit/changes-of';
import { listRefusals } from '../../../services/api/departures/list-refusals';
import type { Refusal, RefusalFilter } from '../../../services/api/departures/refusal';
import type { Db } from '../../../services/platform/database';
import type { Screen } from '../../screen';
import { shortTime, table } from '../../table';

const MOST = 100;

interface Moment {
  at: Date;
  event: string;
  by: string | null;
  detail: string | null;
}

export function toHistoryDocument(moments: Moment[]) {
  return moments.map(({ at, event, by, detail }) => ({ at: at.toISOString(), event, by, detail }));
}

export function describeHistory(moments: Moment[], screen: Screen): string {
  const rows = moments.map(({ at, event, by, detail }) => [shortTime(at), event, by, detail]);
  const columns = ['at (utc)', 'what', 'by', { heading: 'detail', least: 12 }];
  return table(columns, rows, 'Nothing happened yet', screen);
}

/** Who did something to it at a terminal, or looked at its customer. */
export async function findChangesDocument(db: Db, subjects: string[]) {
  const changes = await listChangesOf(db, subjects);
  return changes.map(({ at, actor, host, action, subject }) => ({
    ...{ at: at.toISOString(), actor, host, action, subject },
  }));
}

export function describeChanges(
  changes: Awaited<ReturnType<typeof findChangesDocument>>,
  screen: Screen,
): string {
  const rows = changes.map(({ at, actor, host, action }) => [shortTime(at), actor, host, action]);
  return table(['at (utc)', 'who', { heading: 'host', least: 8 }, 'action'], rows, 'Nobody', screen);
}

export function toRefusalDocument(refusal: Refusal) {
  return {
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

/** Parts below each other under their titles; those that are empty are left out. */
export function sections(parts: [title: string, text: string | undefined][]): string {
  return parts.flatMap(([title, text]) => (text ? [title ? `${title}\n${text}` : text] : [])).join('\n\n');
}

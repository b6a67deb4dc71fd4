import type { Refusal, RefusalFilter } from '../../../services/api/refusals/refusal';
import { findRefusals } from '../../../services/api/refusals/refusal.repository';
import type { Db } from '../../../services/platform/database';
import type { Context } from '../../engine/context';
import { DEFAULT_LIMIT } from '../../engine/flags';
import { answerPage, findTenantId, oneMoreThan } from '../../engine/list-page';
import { type Cell, type Column, shortTime, tableOf } from '../../terminal/table';

export type RefusalDocument = ReturnType<typeof toRefusalDocument>;

function toRefusalDocument(refusal: Refusal) {
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

const MOST_REFUSALS = 100;

export async function findRefusalDocuments(
  db: Db,
  filter: Omit<RefusalFilter, 'limit'>,
): Promise<RefusalDocument[]> {
  return (await findRefusals(db, { ...filter, limit: MOST_REFUSALS })).map(toRefusalDocument);
}

const REFUSAL_COLUMNS: Column[] = [
  'at (utc)',
  'tenant',
  { heading: 'what', aside: true },
  'why',
  { heading: 'tour', least: 8 },
  { heading: 'date', aside: true },
  { heading: 'seats', aside: true },
  { heading: 'free', aside: true },
  { heading: 'reference', least: 8, aside: true },
  { heading: 'request', least: 8, aside: true },
];

const toRefusalRow = (r: RefusalDocument): Cell[] => [
  shortTime(r.at),
  r.tenant,
  r.operation,
  r.code,
  r.tour,
  r.departure_date,
  r.quantity,
  r.seats_available,
  r.external_ref,
  r.request_id,
];

export const describeRefusals = tableOf(REFUSAL_COLUMNS, toRefusalRow, 'No refusals');

interface RefusalListOptions extends Omit<RefusalFilter, 'tenantId' | 'limit'> {
  tenant?: string;
  limit?: number;
}

/** Lists refused holds and bookings with their reasons. */
export async function listRefusalsCommand(
  { db, output }: Context,
  { tenant, limit = DEFAULT_LIMIT, since, code, externalRef, sandbox, after }: RefusalListOptions,
): Promise<void> {
  const tenantId = await findTenantId(db, tenant);
  const kind = sandbox ?? (tenantId === undefined ? false : undefined);
  const filter = { tenantId, sandbox: kind, since, code, externalRef, after, limit: oneMoreThan(limit) };
  const found = (await findRefusals(db, filter)).map(toRefusalDocument);
  answerPage(output, found, { limit, after: ({ id }) => id }, describeRefusals);
}

import type { Refusal, RefusalFilter } from '../../../services/api/refusals/refusal';
import { findRefusals } from '../../../services/api/refusals/refusal.repository';
import type { Db } from '../../../services/platform/database/database';
import { findTenantId, listOf } from '../../engine/list';
import { type ItemColumn, shortTime, tableOf } from '../../terminal/table';
import { departureOf } from './document';

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
    departure_time: refusal.departureTime,
    quantity: refusal.quantity,
    seats_available: refusal.seatsAvailable,
    reason: refusal.resource === null ? null : 'resource',
    resource: refusal.resource,
    external_ref: refusal.externalRef,
    hold_id: refusal.holdId,
    booking_ref: refusal.bookingRef,
    request_id: refusal.requestId,
  };
}

const REFUSALS_MAX = 100;

export async function findRefusalDocuments(
  db: Db,
  filter: Omit<RefusalFilter, 'limit'>,
): Promise<RefusalDocument[]> {
  return (await findRefusals(db, { ...filter, limit: REFUSALS_MAX })).map(toRefusalDocument);
}

const COLUMNS: ItemColumn<RefusalDocument>[] = [
  { heading: 'at (utc)', cell: ({ at }) => shortTime(at) },
  'tenant',
  { heading: 'what', aside: true, cell: ({ operation }) => operation },
  { heading: 'why', cell: ({ code, resource }) => (resource === null ? code : `resource ${resource}`) },
  { heading: 'tour', least: 8 },
  { heading: 'date', aside: true, cell: departureOf },
  { heading: 'seats', aside: true, cell: ({ quantity }) => quantity },
  { heading: 'free', aside: true, cell: (refusal) => refusal.seats_available },
  { heading: 'reference', least: 8, aside: true, cell: (refusal) => refusal.external_ref },
  { heading: 'request', least: 8, aside: true, cell: (refusal) => refusal.request_id },
];

/** Draws the refusals as a table. Returns an empty text if there are none. */
export const describeRefusals = tableOf(COLUMNS, '');

interface RefusalListOptions extends Omit<RefusalFilter, 'tenantId'> {
  tenant?: string;
}

/** Lists refused holds and bookings with their reasons. */
export const listRefusalsCommand = listOf({
  find: async (db: Db, options: RefusalListOptions) => {
    const { tenant, since, code, externalRef, sandbox, after, limit } = options;
    const tenantId = await findTenantId(db, tenant);
    const kind = sandbox ?? (tenantId === undefined ? false : undefined);
    const filter = { tenantId, sandbox: kind, since, code, externalRef, after, limit };
    return (await findRefusals(db, filter)).map(toRefusalDocument);
  },
  columns: COLUMNS,
  empty: 'No refusals',
  after: ({ id }) => id,
});

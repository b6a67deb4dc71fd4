import { CLOCK, type Db } from '../../platform/database/database';
import { searchPeople } from '../customers/search-people';
import { tenantIdOf, type TenantScope } from '../tenants/tenant';
import type { BookingLead, LeadPosition } from './booking-lead';
import type { BookingStatus } from './booking-status';
import {
  LEAD_COLUMNS,
  LEAD_STATUS,
  LEAD_TABLES,
  LEAD_UPDATED_AT,
  toLead,
  UPDATED_AT,
} from './booking-lead.repository';

export interface LeadFilter {
  externalRef?: string;
  /** UUID */
  tourId?: string;
  /** A name, phone number, e-mail address or reference to search for (customers/search-people.ts). */
  search?: string;
  status?: BookingStatus;
  /** Inclusive dates of creation, UTC. */
  from?: string;
  to?: string;
  since?: Date;
  until?: Date;
  /** Inclusive dates of departure. */
  departureFrom?: string;
  departureTo?: string;
  /** True: only standing bookings that lack required answers. */
  missingAnswers?: boolean;
  /** Changed at this time or later, RFC 3339. */
  updatedSince?: string;
  /** The last lead of the previous page. */
  after?: LeadPosition;
  limit: number;
}

/**
 * The conditions of each status, by the database's clock. A lead has the status if one of its conditions is true. Each condition can use an
 * index (0107_leads.sql).
 */
const HAVING_STATUS: Record<BookingStatus, string[]> = {
  pending_payment: ['lead_is_unpaid(l.status, l.payment_due_at, clock.at)'],
  confirmed: ["l.status = 'confirmed'"],
  cancelled: ["l.status = 'cancelled'"],
  expired: ["l.status = 'expired'", 'lead_lapsed(l.status, l.payment_due_at, clock.at)'],
};

/** SQL that selects leads `l` in the order of an index, so that all pages cost the same. */
interface LeadSource {
  from: string;
  order: string;
  after: string;
  where?: string;
}

/** An order in which leads are listed. Its leads come from one source or from several. */
interface LeadOrder {
  key: string;
  order: string;
  sources: LeadSource[];
}

const byOneIndex = (key: string, order: string, after: string): LeadOrder => ({
  key,
  order,
  sources: [{ from: 'booking_leads l', order, after }],
});
const BY_CREATION = byOneIndex('null', 'l.id desc', 'l.id < :afterId');
/**
 * The order of BY_CREATION, written as `-l.id`. With `l.id desc`, the planner would use the primary key, and would read all bookings if
 * only few bookings have the status.
 */
const BY_CREATION_OF_STATUS = byOneIndex('null', '-l.id', '-l.id > -(:afterId::bigint)');
const BY_DEPARTURE = byOneIndex(
  'l.departure_date::text',
  'l.departure_date, l.id',
  '(l.departure_date, l.id) > (:afterKey::date, :afterId)',
);
/**
 * Reads two sources. The second source contains the leads whose departure changed its status after the last change of the lead. The first
 * source contains all other leads.
 */
const BY_UPDATE: LeadOrder = {
  key: `(${UPDATED_AT})::text`,
  order: `${UPDATED_AT}, l.id`,
  sources: [
    {
      from: 'booking_leads l',
      where: `${LEAD_UPDATED_AT} >= :updatedSince::timestamptz and not exists (
        select from departures d where d.id = l.departure_id and d.status_changed_at > ${LEAD_UPDATED_AT})`,
      order: `${LEAD_UPDATED_AT}, l.id`,
      after: `(${LEAD_UPDATED_AT}, l.id) > (:afterKey::timestamptz, :afterId)`,
    },
    {
      from: 'departures d join booking_leads l on l.departure_id = d.id',
      where: `d.status_changed_at >= :updatedSince::timestamptz and d.status_changed_at > ${LEAD_UPDATED_AT}`,
      order: 'd.status_changed_at, l.id',
      // The first condition follows from the second one, and can use an index.
      after: `d.status_changed_at >= :afterKey::timestamptz
        and (d.status_changed_at, l.id) > (:afterKey::timestamptz, :afterId)`,
    },
  ],
};

/**
 * Returns leads. With `updatedSince`: by time of change. A lead that changes while a client reads the pages thus appears again on a later
 * page. With `departureFrom` or `departureTo`: by date of departure. Otherwise: newest first.
 */
export async function findLeads(
  db: Db,
  scope: TenantScope,
  { after, ...filter }: LeadFilter,
): Promise<{ lead: BookingLead; position: LeadPosition }[]> {
  const list = orderOf(scope, filter);
  const { search, ...others } = filter;
  const found = search === undefined ? undefined : searchPeople('l', search);
  const parts = list.sources.flatMap((source) =>
    statusConditions(scope, filter.status).map(
      (condition) => `(select l.id from clock, ${source.from}
       where (:tenantId::uuid is null or l.tenant_id = :tenantId::uuid) and ${condition} ${leadConditions(others)}
         ${found ? `and ${found.condition}` : ''}
         ${source.where ? `and ${source.where}` : ''} ${after ? `and ${source.after}` : ''}
       order by ${source.order} limit :limit)`,
    ),
  );
  const { rows } = await db.raw(
    `${CLOCK}, page as (${parts.join(' union all ')})
     select ${LEAD_COLUMNS}, ${list.key} as position_key from ${LEAD_TABLES} join page on page.id = l.id
     order by ${list.order} limit :limit`,
    {
      ...others,
      ...found?.bindings,
      tenantId: tenantIdOf(scope),
      ...(after && { afterId: after.id, afterKey: after.key ?? null }),
    },
  );
  return rows.map((row: { positionKey: string | null }) => {
    const lead = toLead(row);
    return { lead, position: { id: lead.id, key: row.positionKey ?? undefined } };
  });
}

function orderOf(scope: TenantScope, filter: Omit<LeadFilter, 'after'>): LeadOrder {
  if (filter.updatedSince !== undefined) return BY_UPDATE;
  if (filter.departureFrom !== undefined || filter.departureTo !== undefined) return BY_DEPARTURE;
  return filter.status === undefined || tenantIdOf(scope) === null ? BY_CREATION : BY_CREATION_OF_STATUS;
}

/**
 * Returns the conditions of a status: a lead must meet one of them. For one tenant, the conditions can use an index. For all tenants, no
 * index has the status: the condition is checked while the newest bookings are read, until the page is full.
 */
function statusConditions(scope: TenantScope, status: BookingStatus | undefined): string[] {
  if (status === undefined) return ['true'];
  return tenantIdOf(scope) === null ? [`${LEAD_STATUS} = :status`] : HAVING_STATUS[status];
}

const CONDITIONS: { [F in keyof LeadFilter]?: string } = {
  externalRef: 'l.external_ref = :externalRef',
  tourId: 'l.tour_id = :tourId::uuid',
  from: "l.created_at >= (:from::date)::timestamp at time zone 'UTC'",
  to: "l.created_at < (:to::date + 1)::timestamp at time zone 'UTC'",
  since: 'l.created_at >= :since',
  until: 'l.created_at < :until',
  departureFrom: 'l.departure_date >= :departureFrom::date',
  departureTo: 'l.departure_date <= :departureTo::date',
  missingAnswers: `exists (select from booking_answers a where a.lead_id = l.id and a.missing > 0)
    and lead_stands(l.status, l.payment_due_at, clock.at)`,
};

function leadConditions(filter: LeadFilter): string {
  const given = (Object.keys(CONDITIONS) as (keyof LeadFilter)[]).filter(
    (name) => filter[name] !== undefined,
  );
  return given.map((name) => `and ${CONDITIONS[name]}`).join(' ');
}

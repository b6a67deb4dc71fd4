import { CLOCK, type Db } from '../../platform/database';
import { tenantIdOf, type TenantScope } from '../tenants/tenant';
import type { BookingLead, BookingStatus, LeadPosition } from './booking-lead';
import {
  LEAD_COLUMNS,
  LEAD_STATUS,
  LEAD_TABLES,
  LEAD_UPDATED_AT,
  type LeadRow,
  toLead,
  UPDATED_AT,
} from './booking-lead.repository';

export interface LeadFilter {
  externalRef?: string;
  status?: BookingStatus;
  /** Inclusive dates of creation, UTC. */
  from?: string;
  to?: string;
  since?: Date;
  until?: Date;
  /** Inclusive dates of departure. */
  departureFrom?: string;
  departureTo?: string;
  /** Changed at this time or later, RFC 3339. */
  updatedSince?: string;
  /** The last lead of the previous page. */
  after?: LeadPosition;
  limit: number;
}

/** The status by the database's clock, as conditions that an index serves (0107_leads.sql). */
const HAVING_STATUS: Record<BookingStatus, string[]> = {
  pending_payment: ["l.status = 'pending_payment' and not lead_lapsed(l.status, l.payment_due_at, clock.at)"],
  confirmed: ["l.status = 'confirmed'"],
  cancelled: ["l.status = 'cancelled'"],
  expired: ["l.status = 'expired'", "l.status = 'pending_payment' and l.payment_due_at <= clock.at"],
};

/** The leads `l` of a list, in an order that an index has, so that all pages cost the same. */
interface LeadSource {
  from: string;
  order: string;
  after: string;
  where?: string;
}

/** An order of the list, made of one source or several. */
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
/** The same order, written as `-l.id`: for `l.id desc` the planner takes the primary key, and reads all bookings when few have the status. */
const BY_CREATION_OF_STATUS = byOneIndex('null', '-l.id', '-l.id > -(:afterId::bigint)');
const BY_DEPARTURE = byOneIndex(
  'l.departure_date::text',
  'l.departure_date, l.id',
  '(l.departure_date, l.id) > (:afterKey::date, :afterId)',
);
/** The leads that changed themselves last, and those whose departure was cancelled or reopened since. */
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
      // The first condition is read from an index.
      after: `d.status_changed_at >= :afterKey::timestamptz
        and (d.status_changed_at, l.id) > (:afterKey::timestamptz, :afterId)`,
    },
  ],
};

/**
 * Returns leads: with `updatedSince` in the order of their changes, so that a lead that changes while a client reads the pages comes
 * again; else with a date of departure in its order; else newest first.
 */
export async function findLeads(
  db: Db,
  scope: TenantScope,
  { after, ...filter }: LeadFilter,
): Promise<{ lead: BookingLead; position: LeadPosition }[]> {
  const list = orderOf(scope, filter);
  const parts = list.sources.flatMap((source) =>
    statusConditions(scope, filter.status).map(
      (condition) => `(select l.id from clock, ${source.from}
       where (:tenantId::uuid is null or l.tenant_id = :tenantId::uuid) and ${condition} ${leadConditions(filter)}
         ${source.where ? `and ${source.where}` : ''} ${after ? `and ${source.after}` : ''}
       order by ${source.order} limit :limit)`,
    ),
  );
  const { rows } = await db.raw(
    `${CLOCK}, page as (${parts.join(' union all ')})
     select ${LEAD_COLUMNS}, ${list.key} as position_key from ${LEAD_TABLES} join page on page.id = l.id
     order by ${list.order} limit :limit`,
    {
      ...filter,
      tenantId: tenantIdOf(scope),
      ...(after && { afterId: after.id, afterKey: after.key ?? null }),
    },
  );
  return rows.map(({ positionKey, ...row }: LeadRow & { positionKey: string | null }) => ({
    lead: toLead(row),
    position: { id: row.id, key: positionKey ?? undefined },
  }));
}

function orderOf(scope: TenantScope, filter: Omit<LeadFilter, 'after'>): LeadOrder {
  if (filter.updatedSince !== undefined) return BY_UPDATE;
  if (filter.departureFrom !== undefined || filter.departureTo !== undefined) return BY_DEPARTURE;
  return filter.status === undefined || tenantIdOf(scope) === null ? BY_CREATION : BY_CREATION_OF_STATUS;
}

/**
 * Returns conditions that an index serves. For all tenants there is none: no index has their bookings by status, but the newest page is
 * soon full.
 */
function statusConditions(scope: TenantScope, status: BookingStatus | undefined): string[] {
  if (status === undefined) return ['true'];
  return tenantIdOf(scope) === null ? [`${LEAD_STATUS} = :status`] : HAVING_STATUS[status];
}

const CONDITIONS: { [F in keyof LeadFilter]?: string } = {
  externalRef: 'l.external_ref = :externalRef',
  from: "l.created_at >= (:from::date)::timestamp at time zone 'UTC'",
  to: "l.created_at < (:to::date + 1)::timestamp at time zone 'UTC'",
  since: 'l.created_at >= :since',
  until: 'l.created_at < :until',
  departureFrom: 'l.departure_date >= :departureFrom::date',
  departureTo: 'l.departure_date <= :departureTo::date',
};

function leadConditions(filter: LeadFilter): string {
  const given = (Object.keys(CONDITIONS) as (keyof LeadFilter)[]).filter(
    (name) => filter[name] !== undefined,
  );
  return given.map((name) => `and ${CONDITIONS[name]}`).join(' ');
}

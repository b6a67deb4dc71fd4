import { CLOCK, type Db, type Trx } from '../../platform/database';
import type { Departure } from '../departures/departure';
import { octoDetails } from '../holds/octo-booking';
import type { PartialCustomer } from '../holds/seat-hold';
import type { Party } from '../pricing/party';
import { lockedPrices, priceColumns, type Prices } from '../pricing/prices';
import { changeColumns, type NewSaleChange, type SaleChange } from '../sales/changed-fields';
import type { Actor } from '../tenants/actor';
import { tenantIdOf, type TenantScope } from '../tenants/tenant';

import type { BookingLead, BookingStatus, LeadPosition, Traveller } from './booking-lead';

/** The status by the database's clock, also before the sweeper writes it. */
const LEAD_STATUS = `case when lead_lapsed(l.status, l.payment_due_at, clock.at) then 'expired' else l.status end`;

/** The index booking_leads_by_update (migration 0019) has this expression. */
const UPDATED_AT =
  'coalesce(l.updated_at, greatest(l.created_at, l.confirmed_at, l.cancelled_at, l.expired_at, l.anonymized_at))';

/** The columns that toLead reads. */
const LEAD_COLUMNS = `
  l.id, l.booking_ref, l.tenant_id, n.slug as tenant_slug, l.sandbox, l.tour_id, t.slug as tour_slug, l.departure_id,
  l.departure_date, l.hold_id, l.adults, l.children, l.single_supplements, l.travellers,
  ${LEAD_STATUS} as status, ${lockedPrices('l')} as prices, l.total_minor, l.deposit_minor,
  l.currency, l.currency_digits, l.price_breakdown, l.payment_method, l.external_ref, l.source, l.customer_name,
  l.customer_phone, l.customer_email, l.notes, l.created_at, l.payment_due_at, l.created_by, l.confirmed_at, l.confirmed_by,
  l.cancelled_at, l.cancelled_by, l.cancel_reason, l.expired_at, l.anonymized_at,
  ${UPDATED_AT} as updated_at, ${octoDetails('l.hold_id')} as octo`;

/** Follows CLOCK. */
const LEAD_TABLES =
  'clock, booking_leads l join tours t on t.id = l.tour_id join tenants n on n.id = l.tenant_id';

export async function findLead(
  db: Db,
  scope: TenantScope,
  bookingRef: string,
): Promise<BookingLead | undefined> {
  const { rows } = await db.raw(
    `${CLOCK} select ${LEAD_COLUMNS} from ${LEAD_TABLES}
     where l.booking_ref = :bookingRef and (:tenantId::uuid is null or l.tenant_id = :tenantId::uuid)`,
    { bookingRef, tenantId: tenantIdOf(scope) },
  );
  return rows[0] && toLead(rows[0]);
}

/** Returns the bookings that consumed the holds, in no order. */
export async function findLeadsOfHolds(db: Db, holdIds: string[]): Promise<BookingLead[]> {
  const { rows } = await db.raw(
    `${CLOCK} select ${LEAD_COLUMNS} from ${LEAD_TABLES} where l.hold_id = any(:holdIds::uuid[])`,
    { holdIds },
  );
  return rows.map(toLead);
}

/** Returns unpaid bookings past their payment window that the sweeper has not written as expired, the oldest first. */
export async function findLapsedLeads(db: Db, limit: number): Promise<BookingLead[]> {
  const { rows } = await db.raw(
    `${CLOCK} select ${LEAD_COLUMNS} from ${LEAD_TABLES}
     where lead_lapsed(l.status, l.payment_due_at, clock.at) order by l.payment_due_at, l.id limit :limit`,
    { limit },
  );
  return rows.map(toLead);
}

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

/** The status by the database's clock, as conditions that an index serves (migration 0024). */
const HAVING_STATUS: Record<BookingStatus, string[]> = {
  pending_payment: ["l.status = 'pending_payment' and not lead_lapsed(l.status, l.payment_due_at, clock.at)"],
  confirmed: ["l.status = 'confirmed'"],
  cancelled: ["l.status = 'cancelled'"],
  expired: ["l.status = 'expired'", "l.status = 'pending_payment' and l.payment_due_at <= clock.at"],
};

/** The orders of the list. Each has an index, so that all its pages cost the same. */
const BY_CREATION = { key: 'null', order: 'l.id desc', after: 'l.id < :afterId' };
/** The same. The planner takes the primary key for `id desc`, and reads all bookings when few have the status. */
const BY_CREATION_OF_STATUS = { key: 'null', order: '-l.id', after: '-l.id > -(:afterId::bigint)' };
const BY_DEPARTURE = {
  key: 'l.departure_date::text',
  order: 'l.departure_date, l.id',
  after: '(l.departure_date, l.id) > (:afterKey::date, :afterId)',
};
const BY_UPDATE = {
  key: `(${UPDATED_AT})::text`,
  order: `${UPDATED_AT}, l.id`,
  after: `(${UPDATED_AT}, l.id) > (:afterKey::timestamptz, :afterId)`,
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
  const parts = statusConditions(scope, filter.status).map(
    (condition) => `(select l.id from clock, booking_leads l
       where (:tenantId::uuid is null or l.tenant_id = :tenantId::uuid) and ${condition} ${leadConditions(filter)}
         ${after ? `and ${list.after}` : ''}
       order by ${list.order} limit :limit)`,
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

function orderOf(scope: TenantScope, filter: Omit<LeadFilter, 'after'>) {
  if (filter.updatedSince !== undefined) return BY_UPDATE;
  if (filter.departureFrom !== undefined || filter.departureTo !== undefined) return BY_DEPARTURE;
  return filter.status === undefined || tenantIdOf(scope) === null ? BY_CREATION : BY_CREATION_OF_STATUS;
}

/** No index has the bookings of all tenants by status; their newest page is soon full. */
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
  updatedSince: `${UPDATED_AT} >= :updatedSince::timestamptz`,
};

function leadConditions(filter: LeadFilter): string {
  const given = (Object.keys(CONDITIONS) as (keyof LeadFilter)[]).filter(
    (name) => filter[name] !== undefined,
  );
  return given.map((name) => `and ${CONDITIONS[name]}`).join(' ');
}

/** Locks the lead. The caller has locked its departure, if it has one; this lock orders the changes of leads without. */
export async function lockLead(trx: Trx, id: number): Promise<void> {
  await trx('booking_leads').select('id').where({ id }).forUpdate();
}

/** @param reason of a cancellation */
export async function setLeadStatus(
  trx: Trx,
  id: number,
  status: 'confirmed' | 'cancelled',
  { by, reason }: { by: Actor | null; reason: string | null },
): Promise<void> {
  await trx('booking_leads')
    .where({ id })
    .update({
      ...{ status, [`${status}_at`]: trx.raw('clock_timestamp()'), [`${status}_by`]: by },
      ...(reason !== null && { cancel_reason: reason }),
    });
}

/** The values of a lead after its change. */
export interface AmendedLead {
  departure: Pick<Departure, 'id' | 'departureDate'> | null;
  party: Party;
  prices: Prices;
  totalMinor: number;
  depositMinor: number;
  priceBreakdown: Record<string, unknown>;
  customer: PartialCustomer;
  notes: string | null;
  externalRef: string | null;
  travellers: Traveller[] | null;
}

/** Writes the values of a lead after its change. The caller holds the locks of both departures and of the lead. */
export async function amendLeadRow(trx: Trx, id: number, amended: AmendedLead): Promise<void> {
  const { departure, party, prices, customer, travellers } = amended;
  await trx('booking_leads')
    .where({ id })
    .update({
      departure_id: departure?.id ?? null,
      departure_date: departure?.departureDate ?? null,
      ...{ adults: party.adult, children: party.child, single_supplements: party.single_supplement },
      ...priceColumns(prices),
      ...{ total_minor: amended.totalMinor, deposit_minor: amended.depositMinor },
      price_breakdown: JSON.stringify(amended.priceBreakdown),
      ...{ customer_name: customer.name, customer_phone: customer.phone, customer_email: customer.email },
      ...{ notes: amended.notes, external_ref: amended.externalRef },
      travellers: travellers && JSON.stringify(travellers),
    });
}

export async function insertBookingChange(trx: Trx, leadId: number, change: NewSaleChange): Promise<void> {
  await trx('booking_changes').insert({ lead_id: leadId, ...changeColumns(trx, change) });
}

/** Returns a booking's changes, the oldest first. */
export async function findBookingChanges(db: Db, leadId: number): Promise<SaleChange[]> {
  return db('booking_changes')
    .where({ lead_id: leadId })
    .orderBy('at')
    .select<SaleChange[]>('at', 'by', 'fields');
}

/** Erases the customer and notes. @param externalRef replaces the reference */
export async function eraseCustomerOfLead(trx: Trx, id: number, externalRef: string | null): Promise<void> {
  await trx('booking_leads')
    .where({ id })
    .update({
      ...{ customer_name: null, customer_phone: null, customer_email: null, notes: null, travellers: null },
      cancel_reason: null,
      external_ref: externalRef,
      anonymized_at: trx.raw('clock_timestamp()'),
    });
}

type LeadRow = Omit<BookingLead, 'tenant' | 'tour' | 'customer' | 'party'> &
  Record<'adults' | 'children' | 'singleSupplements', number> &
  Record<'tenantId' | 'tenantSlug' | 'tourId' | 'tourSlug', string> &
  Record<'customerName' | 'customerPhone' | 'customerEmail', string | null>;

function toLead(row: LeadRow): BookingLead {
  const { tenantId, tenantSlug, tourId, tourSlug, customerName, customerPhone, customerEmail, ...others } =
    row;
  const { adults, children, singleSupplements, ...lead } = others;
  return {
    ...lead,
    party: { adult: adults, child: children, single_supplement: singleSupplements },
    tenant: { id: tenantId, slug: tenantSlug },
    tour: { id: tourId, slug: tourSlug },
    customer: { name: customerName, phone: customerPhone, email: customerEmail },
  };
}

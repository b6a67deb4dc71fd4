import { CLOCK, type Db, type Trx } from '../../platform/database';
import type { Actor } from '../tenants/actor';
import { tenantIdOf, type TenantScope } from '../tenants/tenant-scope';
import type { HoldStatus, PartialCustomer, SeatHold } from './seat-hold';

const HOLD_COLUMNS = `
  h.id, h.tenant_id, n.slug as tenant_slug, h.departure_id, h.quantity, h.hold_minutes, h.expires_at, h.unit_price_minor, h.currency,
  h.currency_digits, h.price_breakdown, h.external_ref, h.customer_name, h.customer_phone, h.customer_email, h.created_at,
  h.placed_by, h.ended_at, h.ended_by,
  case when hold_lapsed(h.status, h.expires_at, clock.at) then 'expired' else h.status end as status,
  t.id as tour_id, t.slug as tour_slug, d.departure_date,
  case when departure_is_open(d.status, d.departure_date, d.closes_at, t.time_zone, clock.at)
       then greatest(d.seats_total - seats_taken(d.id, clock.at), 0) else 0 end as seats_available`;

const HOLD_TABLES = `clock, seat_holds h
  join departures d on d.id = h.departure_id
  join tours t on t.id = d.tour_id
  join tenants n on n.id = h.tenant_id`;

export interface NewHold {
  tenantId: string;
  departureId: string;
  quantity: number;
  holdMinutes: number;
  unitPriceMinor: number;
  currency: string;
  currencyDigits: number;
  priceBreakdown: Record<string, unknown>;
  externalRef: string | null;
  customer: PartialCustomer;
  by: Actor | null;
}

/** @param at when it was decided: the hold's life begins there, not at the transaction's start */
export async function insertHold(trx: Trx, hold: NewHold, at: string): Promise<string> {
  const { rows } = await trx.raw(
    `insert into seat_holds (tenant_id, departure_id, quantity, hold_minutes, created_at, expires_at, unit_price_minor,
       currency, currency_digits, price_breakdown, external_ref, customer_name, customer_phone, customer_email, placed_by)
     values (:tenantId, :departureId, :quantity, :holdMinutes, :at::timestamptz,
       :at::timestamptz + make_interval(mins => :holdMinutes), :unitPriceMinor,
       :currency, :currencyDigits, :priceBreakdown, :externalRef, :name, :phone, :email, :by)
     returning id`,
    { ...hold, ...hold.customer, priceBreakdown: JSON.stringify(hold.priceBreakdown), at },
  );
  return rows[0].id;
}

export async function findHold(db: Db, scope: TenantScope, id: string): Promise<SeatHold | undefined> {
  const { rows } = await db.raw(
    `${CLOCK} select ${HOLD_COLUMNS} from ${HOLD_TABLES}
     where h.id = :id and (:tenantId::uuid is null or h.tenant_id = :tenantId::uuid)`,
    { tenantId: tenantIdOf(scope), id },
  );
  return rows[0] && toHold(rows[0]);
}

export interface HoldFilter {
  status?: HoldStatus;
  since?: Date;
  externalRef?: string;
  /** Id of the hold behind which it goes on: lists run from the newest to the oldest. */
  after?: string;
  limit: number;
}

const BEHIND = 'and (h.created_at, h.id) < (select l.created_at, l.id from seat_holds l where l.id = :after)';

/** Newest first. */
export async function findHolds(
  db: Db,
  scope: TenantScope,
  { status, since, externalRef, after, limit }: HoldFilter,
): Promise<SeatHold[]> {
  const { rows } = await db.raw(
    `${CLOCK} select * from (select ${HOLD_COLUMNS} from ${HOLD_TABLES}
       where (:tenantId::uuid is null or h.tenant_id = :tenantId::uuid)
         and (:externalRef::text is null or h.external_ref = :externalRef)
         and h.created_at >= coalesce(:since::timestamptz, '-infinity')
         ${after === undefined ? '' : BEHIND}) hold
     where :status::text is null or status = :status order by created_at desc, id desc limit :limit`,
    {
      tenantId: tenantIdOf(scope),
      status: status ?? null,
      since: since ?? null,
      externalRef: externalRef ?? null,
      ...(after !== undefined && { after }),
      limit,
    },
  );
  return rows.map(toHold);
}

/** The tenant's live holds on a departure with this reference; two at most, since only exactly one means anything. */
export async function findLiveHoldsByReference(
  trx: Trx,
  tenantId: string,
  departureId: string,
  externalRef: string,
): Promise<SeatHold[]> {
  const { rows } = await trx.raw(
    `${CLOCK} select ${HOLD_COLUMNS} from ${HOLD_TABLES}
     where h.tenant_id = :tenantId and h.departure_id = :departureId and h.external_ref = :externalRef
       and hold_lives(h.status, h.expires_at, clock.at)
     limit 2`,
    { tenantId, departureId, externalRef },
  );
  return rows.map(toHold);
}

/** The tenant's live holds altogether, and the seats they keep of one departure. */
export async function countLiveHolds(
  trx: Trx,
  tenantId: string,
  departureId: string,
  at: string,
): Promise<{ holds: number; seatsOfDeparture: number }> {
  const { rows } = await trx.raw(
    `select count(*) as holds, coalesce(sum(quantity) filter (where departure_id = :departureId), 0) as seats
     from seat_holds where tenant_id = :tenantId and hold_lives(status, expires_at, :at)`,
    { tenantId, departureId, at },
  );
  return { holds: Number(rows[0].holds), seatsOfDeparture: Number(rows[0].seats) };
}

/** @param externalRef what is left of the reference */
export async function forgetHoldCustomer(trx: Trx, id: string, externalRef: string | null): Promise<void> {
  await trx('seat_holds')
    .where({ id })
    .update({ customer_name: null, customer_phone: null, customer_email: null, external_ref: externalRef });
}

/** Ends an active hold; the caller holds the departure's lock. */
export async function endHold(
  trx: Trx,
  id: string,
  status: 'released' | 'converted',
  { at, by }: { at: string; by: Actor | null },
): Promise<void> {
  await trx('seat_holds').where({ id, status: 'active' }).update({ status, ended_at: at, ended_by: by });
}

interface HoldRow {
  id: string;
  tenant_id: string;
  tenant_slug: string;
  departure_id: string;
  quantity: number;
  hold_minutes: number;
  expires_at: Date;
  unit_price_minor: number;
  currency: string;
  currency_digits: number;
  price_breakdown: Record<string, unknown>;
  external_ref: string | null;
  customer_name: string | null;
  customer_phone: string | null;
  customer_email: string | null;
  created_at: Date;
  placed_by: Actor | null;
  ended_at: Date | null;
  ended_by: Actor | null;
  status: HoldStatus;
  tour_id: string;
  tour_slug: string;
  departure_date: string;
  seats_available: number;
}

function toHold(row: HoldRow): SeatHold {
  return {
    id: row.id,
    tenant: { id: row.tenant_id, slug: row.tenant_slug },
    tour: { id: row.tour_id, slug: row.tour_slug },
    departureId: row.departure_id,
    departureDate: row.departure_date,
    quantity: row.quantity,
    holdMinutes: row.hold_minutes,
    status: row.status,
    expiresAt: row.expires_at,
    unitPriceMinor: row.unit_price_minor,
    currency: row.currency,
    currencyDigits: row.currency_digits,
    priceBreakdown: row.price_breakdown,
    externalRef: row.external_ref,
    customer: { name: row.customer_name, phone: row.customer_phone, email: row.customer_email },
    createdAt: row.created_at,
    placedBy: row.placed_by,
    endedAt: row.ended_at,
    endedBy: row.ended_by,
    seatsAvailable: row.seats_available,
  };
}

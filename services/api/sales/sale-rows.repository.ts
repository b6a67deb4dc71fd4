import { runPrepared, type Trx } from '../../platform/database';
import { sqlState, UNIQUE_VIOLATION } from '../../platform/errors';
import { priceColumns } from '../pricing/prices';
import type { Actor } from '../tenants/actor';
import { referencePrefix } from '../bookings/booking-lead';
import type { GrantedBooking } from '../bookings/create-booking';
import { OctoUuidTakenError } from '../holds/hold.errors';
import type { NewOctoDetails } from '../holds/octo-booking';
import type { GrantedHold } from '../holds/place-hold';

/** @param at the clock reading of the decision; the holds begin then, not at the transaction's start */
export async function insertHolds(trx: Trx, holds: GrantedHold[], at: string): Promise<void> {
  await runPrepared(
    trx,
    `insert into seat_holds (id, tenant_id, sandbox, departure_id, quantity, hold_minutes, status, created_at, expires_at, ended_at,
       ended_by, children, unit_price_minor, child_price_minor, single_supplement_minor, currency, currency_digits, price_breakdown,
       external_ref, customer_name, customer_phone, customer_email, placed_by)
     select h.id, h.tenant_id, h.sandbox, h.departure_id, h.quantity, h.hold_minutes, h.status, :at::timestamptz,
       :at::timestamptz + make_interval(mins => h.hold_minutes), case when h.status <> 'active' then :at::timestamptz end,
       h.ended_by, h.children, h.unit_price_minor, h.child_price_minor, h.single_supplement_minor, h.currency, h.currency_digits, h.price_breakdown, h.external_ref, h.customer_name,
       h.customer_phone, h.customer_email, h.placed_by
     from json_to_recordset(:holds::json) as h (id uuid, tenant_id uuid, sandbox boolean, departure_id uuid, quantity integer,
       hold_minutes integer, status text, ended_by text, children integer, unit_price_minor bigint, child_price_minor bigint,
       single_supplement_minor bigint, currency text, currency_digits smallint,
       price_breakdown jsonb, external_ref text, customer_name text, customer_phone text, customer_email text, placed_by text)`,
    { at, holds: JSON.stringify(holds.map(toHoldRow)) },
  );
}

function toHoldRow({ sale, held }: GrantedHold) {
  return {
    id: held.id,
    tenant_id: held.tenantId,
    sandbox: sale.tenant.sandbox,
    departure_id: held.departureId,
    quantity: held.quantity,
    hold_minutes: sale.holdMinutes,
    status: held.status,
    ended_by: held.endedBy ?? null,
    children: held.children,
    currency: held.currency,
    currency_digits: held.currencyDigits,
    price_breakdown: held.priceBreakdown,
    external_ref: held.externalRef,
    customer_name: sale.customer.name,
    customer_phone: sale.customer.phone,
    customer_email: sale.customer.email,
    placed_by: sale.by,
    ...priceColumns(held.prices),
  };
}

/**
 * Inserts the details of holds that are inserted before.
 * @throws OctoUuidTakenError when another transaction has used one of the UUIDs meanwhile; the transaction is lost then
 */
export async function insertOctoDetails(
  trx: Trx,
  rows: { tenantId: string; holdId: string; octo: NewOctoDetails }[],
  at: string,
): Promise<void> {
  const inserting = runPrepared(
    trx,
    `insert into octo_bookings (tenant_id, uuid, hold_id, request_digest, contact, unit_items, notes, updated_at)
     select o.tenant_id, o.uuid, o.hold_id, decode(o.request_digest, 'hex'), o.contact, o.unit_items, o.notes, :at::timestamptz
     from json_to_recordset(:rows::json) as o (tenant_id uuid, uuid uuid, hold_id uuid, request_digest text, contact jsonb,
       unit_items jsonb, notes text)`,
    {
      at,
      rows: JSON.stringify(
        rows.map(({ tenantId, holdId, octo: { uuid, fingerprint, contact, unitItems, notes } }) => ({
          tenant_id: tenantId,
          uuid,
          hold_id: holdId,
          request_digest: fingerprint.toString('hex'),
          contact,
          unit_items: unitItems,
          notes,
        })),
      ),
    },
  );
  await inserting.catch((error: unknown) => {
    throw sqlState(error) === UNIQUE_VIOLATION ? new OctoUuidTakenError() : error;
  });
}

/**
 * Ends active holds as converted; their seats become free for the bookings that are inserted after it.
 * @returns the number of holds
 */
export async function convertHolds(
  trx: Trx,
  holds: { id: string; by: Actor | null }[],
  at: string,
): Promise<number> {
  const { rowCount } = await runPrepared(
    trx,
    `update seat_holds h set status = 'converted', ended_at = :at, ended_by = c.by
     from unnest(:ids::uuid[], :by::text[]) as c (id, by)
     where h.id = c.id and h.status = 'active'`,
    // Arrays, because PostgreSQL plans for 100 entries of a JSON text and then reads all live holds.
    { at, ids: holds.map(({ id }) => id), by: holds.map(({ by }) => by) },
  );
  return rowCount!;
}

/** The columns of a new lead that the database writes. */
export interface NewLeadRow {
  /** Its index in the list. */
  n: number;
  id: number;
  bookingRef: string;
  priceBreakdown: Record<string, unknown>;
  createdAt: Date;
  paymentDueAt: Date | null;
}

/** Inserts the leads with ids in order of arrival. */
export async function insertLeads(trx: Trx, leads: GrantedBooking[], at: string): Promise<NewLeadRow[]> {
  const { rows } = await runPrepared(
    trx,
    `with numbered as materialized (
       select nextval(pg_get_serial_sequence('booking_leads', 'id')) as id, l.*
       from json_to_recordset(:leads::json) as l (n integer, prefix text, window_minutes integer, tenant_id uuid, sandbox boolean, tour_id uuid,
         departure_id uuid, departure_date date, hold_id uuid, adults integer, children integer, single_supplements integer,
         unit_price_minor bigint, child_price_minor bigint, single_supplement_minor bigint, travellers jsonb, total_minor bigint,
         deposit_minor bigint, currency text, currency_digits smallint, price_breakdown jsonb, payment_method text,
         external_ref text, customer_name text, customer_phone text, customer_email text, notes text, source text, created_by text)
     ), inserted as (
       insert into booking_leads (id, booking_ref, tenant_id, sandbox, tour_id, departure_id, departure_date, hold_id, adults,
         children, single_supplements, unit_price_minor, child_price_minor, single_supplement_minor, travellers, total_minor, deposit_minor, currency, currency_digits, price_breakdown, payment_method,
         external_ref, customer_name, customer_phone, customer_email, notes, source, created_by, created_at, payment_due_at)
       overriding system value
       select id, prefix || '-' || id, tenant_id, sandbox, tour_id, departure_id, departure_date, hold_id, adults,
         children, single_supplements, unit_price_minor, child_price_minor, single_supplement_minor, travellers, total_minor, deposit_minor, currency, currency_digits, price_breakdown, payment_method,
         external_ref, customer_name, customer_phone, customer_email, notes, source, created_by, :at::timestamptz,
         :at::timestamptz + make_interval(mins => window_minutes)
       from numbered
       returning id, booking_ref, price_breakdown, created_at, payment_due_at
     )
     select numbered.n, id, inserted.booking_ref as "bookingRef",
       inserted.price_breakdown as "priceBreakdown", inserted.created_at as "createdAt",
       inserted.payment_due_at as "paymentDueAt"
     from inserted join numbered using (id)`,
    { at, leads: JSON.stringify(leads.map(toLeadRow)) },
  );
  return rows;
}

function toLeadRow({ sale, departure, held, price, ...lead }: GrantedBooking, n: number) {
  return {
    n,
    prefix: referencePrefix(sale.tenant),
    window_minutes: sale.tenant.paymentWindowMinutes,
    tenant_id: sale.tenant.id,
    sandbox: sale.tenant.sandbox,
    tour_id: sale.tour.id,
    departure_id: departure?.id ?? null,
    departure_date: departure?.departureDate ?? null,
    hold_id: held?.id ?? null,
    adults: sale.party.adult,
    children: sale.party.child,
    single_supplements: sale.party.single_supplement,
    travellers: sale.travellers,
    total_minor: lead.totalMinor,
    deposit_minor: lead.depositMinor,
    currency: price.currency,
    currency_digits: price.currencyDigits,
    price_breakdown: lead.priceBreakdown,
    payment_method: sale.paymentMethod,
    external_ref: lead.externalRef,
    customer_name: sale.customer.name,
    customer_phone: sale.customer.phone,
    customer_email: sale.customer.email,
    notes: sale.notes,
    source: sale.source,
    created_by: sale.by,
    ...priceColumns(price.prices),
  };
}

import type { NewOctoDetails } from '../holds/octo-booking';
import { customerColumns } from '../holds/seat-hold';
import { priceColumns } from '../pricing/price-categories';
import type { Decided, NewHold, NewLead } from './decided';
import type { HeldSeats } from './read/sale-facts';
import type { Part } from './write-changed-rows';

/** Returns the parts that write new holds and bookings, and mark the holds that the bookings consume. */
export function newRows(decided: Decided<unknown>[]): Part[] {
  const holds = decided.flatMap(({ newHold }) => newHold ?? []);
  const leads = decided.flatMap(({ newLead }) => newLead ?? []);
  return [converted(holds, leads), insertedHolds(holds), insertedOctoDetails(holds), insertedLeads(leads)];
}

/** Marks stored holds as converted. A hold that is granted and consumed in the same transaction is inserted as converted. */
function converted(holds: NewHold[], leads: NewLead[]): Part {
  const added = new Set(holds.map(({ held }) => held));
  const stored = leads.filter(({ held }) => held && !added.has(held));
  return {
    rows: stored.length,
    counted: 'converted',
    sql: `converted as (
      update seat_holds h set status = 'converted', ended_at = :at::timestamptz, ended_by = c.by
      from unnest(:convertedIds::uuid[], :convertedBy::text[]) as c (id, by)
      where h.id = c.id and h.status = 'active' returning 1)`,
    values: {
      convertedIds: stored.map(({ held }) => held!.id),
      convertedBy: stored.map(({ lead }) => lead.createdBy),
    },
  };
}

function insertedHolds(holds: NewHold[]): Part {
  return {
    rows: holds.length,
    sql: `new_hold as (
      insert into seat_holds (id, tenant_id, sandbox, departure_id, quantity, hold_minutes, status, created_at, expires_at, ended_at,
        ended_by, children, unit_price_minor, child_price_minor, single_supplement_minor, currency, currency_digits, price_breakdown,
        external_ref, customer_name, customer_phone, customer_phone_as_sent, customer_email, placed_by)
      select h.id, h.tenant_id, h.sandbox, h.departure_id, h.quantity, h.hold_minutes, h.status, :at::timestamptz,
        :at::timestamptz + make_interval(mins => h.hold_minutes), case when h.status <> 'active' then :at::timestamptz end,
        h.ended_by, h.children, h.unit_price_minor, h.child_price_minor, h.single_supplement_minor, h.currency, h.currency_digits,
        h.price_breakdown, h.external_ref, h.customer_name, h.customer_phone,
        h.customer_phone_as_sent, h.customer_email, h.placed_by
      from json_to_recordset(:holds::json) as h (id uuid, tenant_id uuid, sandbox boolean, departure_id uuid, quantity integer,
        hold_minutes integer, status text, ended_by text, children integer, unit_price_minor bigint, child_price_minor bigint,
        single_supplement_minor bigint, currency text, currency_digits smallint, price_breakdown jsonb, external_ref text,
        customer_name text, customer_phone text, customer_phone_as_sent text, customer_email text, placed_by text))`,
    values: { holds: JSON.stringify(holds.map(toHoldRow)) },
  };
}

function toHoldRow({ sale, held }: NewHold) {
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
    ...customerColumns(sale.customer),
    placed_by: sale.by,
    ...priceColumns(held.prices),
  };
}

function insertedOctoDetails(holds: NewHold[]): Part {
  const rows = holds.flatMap(({ sale: { octo }, held, departureDate }) =>
    octo ? [toOctoRow(held, departureDate, octo)] : [],
  );
  return {
    rows: rows.length,
    sql: `new_octo as (
      insert into octo_bookings (tenant_id, uuid, hold_id, departure_date, request_digest, contact, unit_items, notes, updated_at)
      select o.tenant_id, o.uuid, o.hold_id, o.departure_date, decode(o.request_digest, 'hex'), o.contact, o.unit_items, o.notes, :at::timestamptz
      from json_to_recordset(:octo::json) as o (tenant_id uuid, uuid uuid, hold_id uuid, departure_date date, request_digest text,
        contact jsonb, unit_items jsonb, notes text))`,
    values: { octo: JSON.stringify(rows) },
  };
}

function toOctoRow({ tenantId, id: holdId }: HeldSeats, departureDate: string, octo: NewOctoDetails) {
  return {
    tenant_id: tenantId,
    uuid: octo.uuid,
    hold_id: holdId,
    departure_date: departureDate,
    request_digest: octo.fingerprint.toString('hex'),
    contact: octo.contact,
    unit_items: octo.unitItems,
    notes: octo.notes,
  };
}

/** The columns of a booking that the statement takes from its values unchanged. */
const BOOKED_COLUMNS = `status, confirmed_by, adults, children, single_supplements, unit_price_minor, child_price_minor, single_supplement_minor, travellers,
  total_minor, deposit_minor, currency, currency_digits, price_breakdown, payment_method, external_ref, customer_name, customer_phone,
  customer_phone_as_sent, customer_email, notes, source, created_by`;

function insertedLeads(leads: NewLead[]): Part {
  return {
    rows: leads.length,
    sql: `new_lead as (
      insert into booking_leads (id, booking_ref, tenant_id, sandbox, tour_id, departure_id, departure_date, hold_id, created_at,
        payment_due_at, confirmed_at, ${BOOKED_COLUMNS})
      overriding system value
      select id, booking_ref, tenant_id, sandbox, tour_id, departure_id, departure_date, hold_id, :at::timestamptz,
        :at::timestamptz + make_interval(mins => window_minutes), case when status = 'confirmed' then :at::timestamptz end,
        ${BOOKED_COLUMNS}
      from json_to_recordset(:leads::json) as l (id bigint, booking_ref text, window_minutes integer, status text, confirmed_by text, tenant_id uuid, sandbox boolean,
        tour_id uuid, departure_id uuid, departure_date date, hold_id uuid, adults integer, children integer,
        single_supplements integer, unit_price_minor bigint, child_price_minor bigint, single_supplement_minor bigint,
        travellers jsonb, total_minor bigint, deposit_minor bigint, currency text, currency_digits smallint, price_breakdown jsonb,
        payment_method text, external_ref text, customer_name text, customer_phone text,
        customer_phone_as_sent text, customer_email text, notes text,
        source text, created_by text))`,
    values: { leads: JSON.stringify(leads.map(toLeadRow)) },
  };
}

function toLeadRow({ lead, paymentWindowMinutes }: NewLead) {
  return {
    id: lead.id,
    booking_ref: lead.bookingRef,
    window_minutes: paymentWindowMinutes,
    status: lead.status,
    confirmed_by: lead.confirmedBy,
    tenant_id: lead.tenant.id,
    sandbox: lead.sandbox,
    tour_id: lead.tour.id,
    departure_id: lead.departureId,
    departure_date: lead.departureDate,
    hold_id: lead.holdId,
    adults: lead.party.adult,
    children: lead.party.child,
    single_supplements: lead.party.single_supplement,
    travellers: lead.travellers,
    total_minor: lead.totalMinor,
    deposit_minor: lead.depositMinor,
    currency: lead.currency,
    currency_digits: lead.currencyDigits,
    price_breakdown: lead.priceBreakdown,
    payment_method: lead.paymentMethod,
    external_ref: lead.externalRef,
    ...customerColumns(lead.customer),
    notes: lead.notes,
    source: lead.source,
    created_by: lead.createdBy,
    ...priceColumns(lead.prices),
  };
}

import { runPrepared, type Trx } from '../../platform/database/database';
import { LOCK_NOT_AVAILABLE, sqlState } from '../../platform/errors';
import { bindEvents, INSERT_EVENTS } from '../../webhook-queue/enqueue-delivery';
import { eventOfLead } from '../bookings/change-booking';
import { type BookingLead, referencePrefix } from '../bookings/booking-lead';
import { paymentDueAt } from '../bookings/payment-window';
import type { NewOctoDetails, OctoDetails } from '../holds/octo-booking';
import { customerColumns, type SeatHold } from '../holds/seat-hold';
import { IdempotencyInProgressError } from '../idempotency/idempotency.errors';
import { bindAnswers, INSERT_ANSWERS } from '../idempotency/idempotency.repository';
import { priceColumns } from '../pricing/price-categories';
import type { GrantedBooking } from './decide/decide-booking';
import type { GrantedHold } from './decide/decide-hold';
import type { Departure } from '../departures/departure';
import type { SeatChange } from './seat-change';
import type { ChangedDate, Decided, StoredChange } from './stored-change';
import { changedRows, type Part } from './write-changed-rows';
import type { HeldSeats } from './read/sale-facts';

/** A granted change of a stored hold or booking. */
interface GrantedChange {
  kind: 'change';
  sale: StoredChange;
  decided: Decided<unknown>;
}

export type Granted = GrantedHold | GrantedBooking | GrantedChange;

/** A change that was written, its result, and the dates whose seats it changed. */
interface Written {
  sale: SeatChange;
  result: unknown;
  changed: ChangedDate[];
}

/** The holds and leads that a transaction wrote. */
export interface WrittenRows {
  newHolds: string[];
  newLeads: number[];
  changedHolds: string[];
  changedLeads: number[];
}

export function countRows(rows: WrittenRows): number {
  const { newHolds, newLeads, changedHolds, changedLeads } = rows;
  return newHolds.length + newLeads.length + changedHolds.length + changedLeads.length;
}

const NO_ROWS: WrittenRows = { newHolds: [], newLeads: [], changedHolds: [], changedLeads: [] };

/**
 * Writes all granted changes with one statement: converts holds, inserts holds, leads, events with their deliveries, and the answers of
 * Idempotency-Keys, and updates the rows of stored changes. A trigger counts the seats again at the end of the statement (ADR 8).
 * @param leadIds a number for each booking, ascending
 * @param at the clock reading of the decisions: holds and leads begin at this time, not at the transaction's start
 * @throws IdempotencyInProgressError (409) when the answer of a key cannot be stored: the key was erased meanwhile, or another request with
 *   the same key has stored its row or holds the lock on it. The caller must then roll back the transaction.
 */
export async function writeSales(
  trx: Trx,
  granted: Granted[],
  leadIds: number[],
  at: string,
): Promise<{ written: Written[]; rows: WrittenRows }> {
  if (granted.length === 0) return { written: [], rows: NO_ROWS };
  const createdAt = new Date(at);
  const numbers = leadIds.values();
  const holds = granted.filter((one) => one.kind === 'hold');
  const bookings = granted.filter((one) => one.kind === 'booking');
  const changes = granted.filter((one) => one.kind === 'change');
  const leads = bookings.map((booking) => toBookingLead(booking, numbers.next().value!, createdAt));
  const written: Written[] = [
    ...holds.map((hold) => ({
      sale: hold.sale,
      result: toSeatHold(hold, createdAt),
      changed: [dateOf(hold.departure)],
    })),
    ...bookings.map((booking, n) => ({
      sale: booking.sale,
      result: leads[n],
      changed: booking.departure ? [dateOf(booking.departure)] : [],
    })),
    ...changes.map(({ sale, decided: { result, changed } }) => ({ sale, result, changed })),
  ];
  const parts = [
    converted(holds, bookings),
    insertedHolds(holds),
    insertedOctoDetails(holds),
    insertedLeads(bookings, leads),
    ...changes.flatMap(({ decided }) => changedRows(decided)),
    events(bookings, leads, changes),
    storedAnswers(written),
  ].filter(({ rows }) => rows > 0);
  if (parts.length > 0)
    await write(trx, at, parts).catch((error: unknown) => {
      const waitedForKey =
        sqlState(error) === LOCK_NOT_AVAILABLE && written.some(({ sale: { claim } }) => claim !== null);
      throw waitedForKey ? new IdempotencyInProgressError() : error;
    });
  const rows = {
    newHolds: holds.map(({ held }) => held.id),
    newLeads: leads.map(({ id }) => id),
    changedHolds: changes.flatMap(({ decided }) => decided.hold?.id ?? []),
    changedLeads: changes.flatMap(({ decided }) => decided.lead?.id ?? []),
  };
  return { written, rows };
}

function dateOf({ tour, departureDate, sandbox }: Departure): ChangedDate {
  return { tourId: tour.id, date: departureDate, sandbox };
}

async function write(trx: Trx, at: string, parts: Part[]): Promise<void> {
  const counted = parts.filter((part) => part.counted !== undefined);
  const counts = counted.map(({ counted: name }) => `, (select count(*) from "${name}") as "${name}"`);
  const values = Object.fromEntries(parts.flatMap((part) => Object.entries(part.values)));
  const { rows } = await runPrepared<Record<string, number>>(
    trx,
    `with ${parts.map(({ sql }) => sql).join(', ')} select :at::text as at${counts.join('')}`,
    { ...values, at },
  );
  for (const { counted: name, rows: wanted } of counted)
    if (rows[0]![name!] !== wanted)
      throw name === 'stored'
        ? new IdempotencyInProgressError()
        : new Error(`${name}: a hold changed under the lock of its departure`);
}

/** Marks stored holds as converted. A hold that is granted and consumed in the same transaction is inserted as converted. */
function converted(holds: GrantedHold[], bookings: GrantedBooking[]): Part {
  const added = new Set(holds.map(({ held }) => held));
  const stored = bookings.filter(({ held }) => held && !added.has(held));
  return {
    rows: stored.length,
    counted: 'converted',
    sql: `converted as (
      update seat_holds h set status = 'converted', ended_at = :at::timestamptz, ended_by = c.by
      from unnest(:convertedIds::uuid[], :convertedBy::text[]) as c (id, by)
      where h.id = c.id and h.status = 'active' returning 1)`,
    values: {
      convertedIds: stored.map(({ held }) => held!.id),
      convertedBy: stored.map(({ sale }) => sale.by),
    },
  };
}

function insertedHolds(holds: GrantedHold[]): Part {
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
    ...customerColumns(sale.customer),
    placed_by: sale.by,
    ...priceColumns(held.prices),
  };
}

function insertedOctoDetails(holds: GrantedHold[]): Part {
  const rows = holds.flatMap(({ sale: { octo }, held, departure }) =>
    octo ? [toOctoRow(held, departure.departureDate, octo)] : [],
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

const LEAD_COLUMNS = `adults, children, single_supplements, unit_price_minor, child_price_minor, single_supplement_minor, travellers,
  total_minor, deposit_minor, currency, currency_digits, price_breakdown, payment_method, external_ref, customer_name, customer_phone,
  customer_phone_as_sent, customer_email, notes, source, created_by`;

function insertedLeads(bookings: GrantedBooking[], leads: BookingLead[]): Part {
  return {
    rows: leads.length,
    sql: `new_lead as (
      insert into booking_leads (id, booking_ref, tenant_id, sandbox, tour_id, departure_id, departure_date, hold_id, created_at,
        payment_due_at, ${LEAD_COLUMNS})
      overriding system value
      select id, booking_ref, tenant_id, sandbox, tour_id, departure_id, departure_date, hold_id, :at::timestamptz,
        :at::timestamptz + make_interval(mins => window_minutes), ${LEAD_COLUMNS}
      from json_to_recordset(:leads::json) as l (id bigint, booking_ref text, window_minutes integer, tenant_id uuid, sandbox boolean,
        tour_id uuid, departure_id uuid, departure_date date, hold_id uuid, adults integer, children integer,
        single_supplements integer, unit_price_minor bigint, child_price_minor bigint, single_supplement_minor bigint,
        travellers jsonb, total_minor bigint, deposit_minor bigint, currency text, currency_digits smallint, price_breakdown jsonb,
        payment_method text, external_ref text, customer_name text, customer_phone text,
        customer_phone_as_sent text, customer_email text, notes text,
        source text, created_by text))`,
    values: {
      leads: JSON.stringify(
        leads.map((lead, n) => toLeadRow(lead, bookings[n]!.sale.tenant.paymentWindowMinutes)),
      ),
    },
  };
}

function toLeadRow(lead: BookingLead, windowMinutes: number | null) {
  return {
    id: lead.id,
    booking_ref: lead.bookingRef,
    window_minutes: windowMinutes,
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

function events(sold: GrantedBooking[], leads: BookingLead[], changes: GrantedChange[]): Part {
  const created = leads.map((lead, n) => ({
    ...eventOfLead('booking.created', lead),
    traceparent: sold[n]!.sale.traceparent,
  }));
  const changed = changes.flatMap(({ sale: { traceparent }, decided }) =>
    (decided.events ?? []).map((event) => ({ ...event, traceparent })),
  );
  const all = [...created, ...changed];
  return { rows: all.length, sql: INSERT_EVENTS, values: bindEvents(all) };
}

function storedAnswers(written: Written[]): Part {
  const answers = written.flatMap(({ sale: { claim }, result }) => {
    if (!claim) return [];
    const { tenantId, operation, key, erasedKey, fingerprint, keepHours } = claim;
    const { status, body } = claim.toResponse(result as never);
    return [{ tenantId, operation, key, erasedKey, fingerprint, keepHours, status, body }];
  });
  return {
    rows: answers.length,
    counted: 'stored',
    sql: `stored as (${INSERT_ANSWERS})`,
    values: bindAnswers(answers),
  };
}

const MINUTE_MS = 60_000;

function toSeatHold({ sale, departure, held, seatsAvailable }: GrantedHold, createdAt: Date): SeatHold {
  const { tenant, tour, holdMinutes, customer, octo, by } = sale;
  return {
    id: held.id,
    tour,
    departureId: held.departureId,
    quantity: held.quantity,
    children: held.children,
    holdMinutes,
    prices: held.prices,
    currency: held.currency,
    currencyDigits: held.currencyDigits,
    priceBreakdown: held.priceBreakdown,
    tenant: { id: tenant.id, slug: tenant.slug },
    departureDate: departure.departureDate,
    departureTime: departure.startTime,
    // The status when the request was answered: active. A later booking of the same transaction may consume the hold.
    status: 'active',
    expiresAt: new Date(createdAt.getTime() + holdMinutes * MINUTE_MS),
    externalRef: held.externalRef,
    customer,
    seatsAvailable,
    octo: octo && toOctoDetails(octo, createdAt),
    createdAt,
    placedBy: by,
    endedAt: null,
    endedBy: null,
    anonymizedAt: null,
  };
}

function toOctoDetails({ fingerprint: _, ...octo }: NewOctoDetails, at: Date): OctoDetails {
  return { ...octo, cancelReason: null, updatedAt: at.toISOString() };
}

/** Returns the lead of a granted booking. @param id its number */
function toBookingLead(booking: GrantedBooking, id: number, createdAt: Date): BookingLead {
  const { sale, departure, held, price, totalMinor, depositMinor, priceBreakdown, externalRef } = booking;
  const { tenant, tour, party, travellers, paymentMethod, customer, notes, source, by } = sale;
  const { prices, currency, currencyDigits } = price;
  return {
    id,
    bookingRef: `${referencePrefix(tenant)}-${id}`,
    tour,
    tenant: { id: tenant.id, slug: tenant.slug },
    sandbox: tenant.sandbox,
    departureId: departure?.id ?? null,
    departureDate: departure?.departureDate ?? null,
    departureTime: departure?.startTime ?? null,
    departureStatus: departure && 'scheduled',
    holdId: held?.id ?? null,
    party,
    travellers,
    status: 'pending_payment',
    prices,
    totalMinor,
    depositMinor,
    currency,
    currencyDigits,
    priceBreakdown,
    paymentMethod,
    externalRef,
    source,
    customer,
    notes,
    createdAt,
    updatedAt: createdAt,
    paymentDueAt: paymentDueAt(createdAt, tenant),
    createdBy: by,
    confirmedAt: null,
    confirmedBy: null,
    cancelledAt: null,
    cancelledBy: null,
    expiredAt: null,
    cancelReason: null,
    // Always null, even for an OCTO booking: the code that confirms an OCTO booking reads the lead again.
    octo: null,
    anonymizedAt: null,
  };
}

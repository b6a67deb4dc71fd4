import type { Trx } from '../../platform/database';
import { enqueueBookingEvents } from '../bookings/booking-event';
import type { BookingLead } from '../bookings/booking-lead';
import type { GrantedBooking } from '../bookings/create-booking';
import type { GrantedHold } from '../holds/place-hold';
import type { NewOctoDetails, OctoDetails } from '../holds/octo-booking';
import type { SeatHold } from '../holds/seat-hold';
import type { Sale, Sold } from './sale';
import {
  convertHolds,
  insertHolds,
  insertLeads,
  insertOctoDetails,
  type NewLeadRow,
} from './sale-rows.repository';

export type Granted = GrantedHold | GrantedBooking;

/** Inserts the rows. Converts holds first, so that the recount of seats (ADR 9) never counts seats twice. */
export async function writeGranted(trx: Trx, granted: Granted[], at: string): Promise<[Sale, Sold][]> {
  const holds = granted.filter((one) => one.kind === 'hold');
  const bookings = granted.filter((one) => one.kind === 'booking');
  await convertStoredHolds(trx, holds, bookings, at);
  if (holds.length > 0) await insertHolds(trx, holds, at);
  await insertOctoDetailsOf(trx, holds, at);
  const rows = bookings.length > 0 ? await insertLeads(trx, bookings, at) : [];
  const leads = rows.sort((a, b) => a.n - b.n).map((row) => toBookingLead(bookings[row.n]!, row));
  await enqueueBookingEvents(trx, 'booking.created', leads);
  return [
    ...holds.map((hold): [Sale, Sold] => [hold.sale, toSeatHold(hold, new Date(at))]),
    ...bookings.map((booking, n): [Sale, Sold] => [booking.sale, leads[n]!]),
  ];
}

/** Holds that are granted and consumed in this transaction are inserted as converted. */
async function convertStoredHolds(
  trx: Trx,
  holds: GrantedHold[],
  bookings: GrantedBooking[],
  at: string,
): Promise<void> {
  const added = new Set(holds.map(({ held }) => held));
  const stored = bookings.flatMap(({ held, sale }) =>
    held && !added.has(held) ? [{ id: held.id, by: sale.by }] : [],
  );
  if (stored.length === 0) return;
  const converted = await convertHolds(trx, stored, at);
  if (converted !== stored.length) throw new Error('a hold changed under the lock of its departure');
}

async function insertOctoDetailsOf(trx: Trx, holds: GrantedHold[], at: string): Promise<void> {
  const rows = holds.flatMap(({ sale: { octo }, held: { id: holdId, tenantId } }) =>
    octo ? [{ tenantId, holdId, octo }] : [],
  );
  if (rows.length > 0) await insertOctoDetails(trx, rows, at);
}

const MINUTE_MS = 60_000;

function toSeatHold({ sale, departure, held, seatsAvailable }: GrantedHold, createdAt: Date): SeatHold {
  const { tenant, tour, holdMinutes, customer, octo, by } = sale;
  const {
    id,
    departureId,
    quantity,
    children,
    prices,
    currency,
    currencyDigits,
    priceBreakdown,
    externalRef,
  } = held;
  return {
    id,
    tour,
    departureId,
    quantity,
    children,
    holdMinutes,
    prices,
    currency,
    currencyDigits,
    priceBreakdown,
    tenant: { id: tenant.id, slug: tenant.slug },
    departureDate: departure.departureDate,
    // A booking that consumes it came later.
    status: 'active',
    expiresAt: new Date(createdAt.getTime() + holdMinutes * MINUTE_MS),
    externalRef,
    customer,
    seatsAvailable,
    octo: octo && toOctoDetails(octo, createdAt),
    createdAt,
    placedBy: by,
    endedAt: null,
    endedBy: null,
  };
}

function toOctoDetails({ fingerprint: _, ...octo }: NewOctoDetails, at: Date): OctoDetails {
  return { ...octo, cancelReason: null, updatedAt: at.toISOString() };
}

function toBookingLead(booking: GrantedBooking, row: NewLeadRow): BookingLead {
  const { sale, departure, held, price, totalMinor, depositMinor, externalRef } = booking;
  const { tenant, tour, party, travellers, paymentMethod, customer, notes, source, by } = sale;
  const { id, bookingRef, priceBreakdown, createdAt, paymentDueAt } = row;
  const { prices, currency, currencyDigits } = price;
  return {
    id,
    bookingRef,
    tour,
    tenant: { id: tenant.id, slug: tenant.slug },
    sandbox: tenant.sandbox,
    departureId: departure?.id ?? null,
    departureDate: departure?.departureDate ?? null,
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
    paymentDueAt,
    createdBy: by,
    confirmedAt: null,
    confirmedBy: null,
    cancelledAt: null,
    cancelledBy: null,
    expiredAt: null,
    cancelReason: null,
    // The confirmation of an OCTO booking reads the lead again.
    octo: null,
    anonymizedAt: null,
  };
}

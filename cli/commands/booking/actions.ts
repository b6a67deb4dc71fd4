import type {
  BookingLead,
  BookingStatus,
  ChangedBooking,
  NamedBooking,
} from '../../../services/api/bookings/booking-lead';
import { findLapsedLeads } from '../../../services/api/bookings/booking-lead.repository';
import { cancelBooking, confirmBooking } from '../../../services/api/bookings/change-booking';
import { getBooking, listBookings } from '../../../services/api/bookings/find-booking';
import { recordTerminalChange } from '../../../services/api/catalog/tour.repository';
import { expireSeats } from '../../../services/api/departures/free-expired-seats';
import type { ReplayedResponse } from '../../../services/api/idempotency/run-idempotent';
import { toMajor } from '../../../services/api/pricing/currency';
import { byOperator } from '../../../services/api/tenants/actor';
import { findTenant } from '../../../services/api/tenants/find-tenant';
import { ANY_TENANT, type TenantScope } from '../../../services/api/tenants/tenant';
import type { Db, Trx } from '../../../services/platform/database';
import { HIDDEN } from '../../../services/platform/mask-personal-data';
import type { Context } from '../../engine/context';
import { DEFAULT_LIMIT } from '../../engine/flags';
import {
  CUSTOMER_COLUMN,
  describeCustomer,
  recordReveal,
  type RevealOptions,
  toCustomerDocument,
  toReferenceDocument,
} from '../../engine/personal-data';
import { type Column, properties, shortTime, table } from '../../terminal/table';

/** Converts a booking for lists and the audit log, without the customer. */
export function toBookingDocument(lead: BookingLead, reveal = false) {
  return {
    booking_ref: lead.bookingRef,
    lead_id: lead.id,
    tenant: lead.tenant.slug,
    tour: lead.tour.slug,
    departure_date: lead.departureDate,
    adults: lead.adults,
    status: lead.status,
    total_price: toMajor(lead.totalMinor, lead.currencyDigits),
    deposit_total: toMajor(lead.depositMinor, lead.currencyDigits),
    currency: lead.currency,
    payment_method: lead.paymentMethod,
    external_ref: toReferenceDocument(lead.externalRef, lead.customer, reveal),
    source: lead.source,
    hold_id: lead.holdId,
    created_at: lead.createdAt.toISOString(),
    payment_due_at: lead.paymentDueAt?.toISOString() ?? null,
    anonymized_at: lead.anonymizedAt?.toISOString() ?? null,
  };
}

/** Converts a booking for `show` and `export`, with its customer and price breakdown; masks personal data unless revealed. */
export function toBookingDetailDocument(lead: BookingLead, reveal: boolean) {
  return {
    ...toBookingDocument(lead, reveal),
    unit_price: toMajor(lead.unitPriceMinor, lead.currencyDigits),
    customer: toCustomerDocument(lead.customer, reveal),
    notes: lead.notes === null || reveal ? lead.notes : HIDDEN,
    price_breakdown: lead.priceBreakdown,
  };
}

/** Holds the filters of list and export. */
export interface BookingFilterOptions {
  tenant?: string;
  status?: BookingStatus;
  externalRef?: string;
  since?: Date;
  until?: Date;
}

interface BookingFilter {
  tenantId: string | undefined;
  scope: TenantScope;
  filter: Omit<BookingFilterOptions, 'tenant'>;
}

export async function toBookingFilter(db: Db, options: BookingFilterOptions): Promise<BookingFilter> {
  const { tenant, status, externalRef, since, until } = options;
  const tenantId = tenant === undefined ? undefined : (await findTenant(db, tenant)).id;
  return { tenantId, scope: tenantId ?? ANY_TENANT, filter: { status, externalRef, since, until } };
}

/** Describes the filter for the audit row of a reveal, without the reference: it may contain a customer's name. */
export function describeFilter({ status, since, until }: BookingFilterOptions): Record<string, unknown> {
  return {
    ...(status && { status }),
    ...(since && { since: since.toISOString() }),
    ...(until && { until: until.toISOString() }),
  };
}

interface BookingListOptions extends BookingFilterOptions, RevealOptions {
  before?: string;
  limit?: number;
}

const COLUMNS: Column[] = [
  'booking',
  {
    heading: 'status',
    tones: { confirmed: 'good', pending_payment: 'waiting', cancelled: 'quiet', expired: 'quiet' },
  },
  { heading: 'tour', least: 10 },
  'date',
  { heading: 'adults', right: true },
  { heading: 'total', right: true },
  { heading: 'deposit', right: true },
  'created (utc)',
  { heading: 'reference', least: 8 },
];

export async function listBookingsCommand(context: Context, options: BookingListOptions): Promise<void> {
  const { db, output } = context;
  const { before, reveal = false, limit = DEFAULT_LIMIT } = options;
  const { tenantId, scope, filter } = await toBookingFilter(db, options);
  const beforeId = before === undefined ? undefined : (await getBooking(db, scope, before)).id;
  const { items: leads } = await listBookings(db, scope, { ...filter, beforeId, limit });
  if (reveal) {
    const shown = { ...describeFilter(options), bookings: leads.length };
    await recordReveal(context, { action: 'booking.reveal', tenantId }, shown);
  }
  const items = leads.map((lead) => ({
    ...toBookingDocument(lead, reveal),
    customer: toCustomerDocument(lead.customer, reveal),
  }));
  output.answer({ items }, (screen) => {
    const columns = reveal ? [...COLUMNS, CUSTOMER_COLUMN] : COLUMNS;
    return table(columns, leads.map(reveal ? toRevealedRow : (lead) => toRow(lead)), 'No bookings', screen);
  });
}

function toRow(booking: BookingLead, reveal = false) {
  const lead = toBookingDocument(booking, reveal);
  return [
    lead.booking_ref,
    lead.status,
    lead.tour,
    lead.departure_date,
    lead.adults,
    `${lead.total_price} ${lead.currency}`,
    lead.deposit_total,
    shortTime(lead.created_at),
    lead.external_ref,
  ];
}

function toRevealedRow(booking: BookingLead) {
  return [...toRow(booking, true), describeCustomer(booking.customer)];
}

export async function confirmBookingCommand(context: Context, _options: object, ref: string): Promise<void> {
  await change(context, 'booking.confirm', ref, confirmBooking);
}

export async function cancelBookingCommand(context: Context, _options: object, ref: string): Promise<void> {
  const { adults, tour, departureDate, status } = await getBooking(context.db, ANY_TENANT, ref);
  if (status !== 'cancelled')
    await context.confirm(`Cancel ${ref}: ${adults} adults, ${tour.slug}, ${departureDate ?? 'no date'}?`);
  await change(context, 'booking.cancel', ref, cancelBooking);
}

async function change(
  { audited, operator, output }: Context,
  action: string,
  ref: string,
  use: (trx: Trx, scope: TenantScope, named: NamedBooking) => Promise<ChangedBooking | ReplayedResponse>,
): Promise<void> {
  const { changed, document } = await audited({ action, subject: ref }, async (trx, note) => {
    // Without an idempotency key there is no replayed response.
    const { before, after } = (await use(trx, ANY_TENANT, {
      bookingRef: ref,
      by: byOperator(operator),
    })) as ChangedBooking;
    if (before !== after) await recordTerminalChange(trx, after.tour.id);
    note(toBookingDocument(before), toBookingDocument(after), { tenantId: after.tenant.id });
    return { changed: before !== after, document: toBookingDocument(after) };
  });
  output.answer(document, (screen) => properties(document, screen));
  if (!changed) output.note(`${ref} was already ${document.status}: nothing was changed`);
}

const PAGE = 1000;
const EXPIRED_COLUMNS = [
  'booking',
  'tenant',
  { heading: 'tour', least: 10 },
  'date',
  'adults',
  'was due (utc)',
];

/**
 * Expires unpaid bookings whose payment window is over, and enqueues their events. A running API does so within 15 seconds;
 * this command does it without one.
 */
export async function expireBookingsCommand(
  context: Context,
  { dryRun = false }: { dryRun?: boolean },
): Promise<void> {
  const { db, output } = context;
  const expired: BookingLead[] = [];
  for (let more = true; more;) {
    const lapsed = await findLapsedLeads(db, PAGE);
    expired.push(...lapsed);
    if (!dryRun) await expireLapsed(context, lapsed);
    more = !dryRun && lapsed.length === PAGE;
  }
  const items = expired.map((lead) => toBookingDocument(lead));
  output.answer({ items, dry_run: dryRun }, (screen) => {
    const rows = items.map((b) => [
      ...[b.booking_ref, b.tenant, b.tour, b.departure_date, b.adults, shortTime(b.payment_due_at)],
    ]);
    return table(EXPIRED_COLUMNS, rows, 'No unpaid booking whose payment window is over', screen);
  });
}

/** Runs one transaction for each departure, in the global lock order. */
async function expireLapsed({ audited }: Context, lapsed: BookingLead[]): Promise<void> {
  const departures = [...new Set(lapsed.map(({ departureId }) => departureId))].sort();
  for (const departureId of departures) {
    const { tour, departureDate } = lapsed.find((lead) => lead.departureId === departureId)!;
    const subject = departureId ? `${tour.slug} ${departureDate}` : 'without a date';
    await audited({ action: 'booking.expire', subject }, async (trx, note) => {
      const { bookingRefs, holds } = await expireSeats(trx, departureId);
      const nothing = bookingRefs.length + holds.length === 0;
      note(null, nothing ? null : { bookings: bookingRefs, holds });
    });
  }
}

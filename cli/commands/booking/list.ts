import type { BookingLead, BookingStatus } from '../../../services/api/bookings/booking-lead';
import { getBooking, listBookings } from '../../../services/api/bookings/find-booking';
import { ANY_TENANT, type TenantScope } from '../../../services/api/tenants/tenant';
import type { Db } from '../../../services/platform/database';
import type { Context } from '../../engine/context';
import { DEFAULT_LIMIT } from '../../engine/flags';
import { findTenantId } from '../../engine/list-page';
import { formatMoney } from '../../engine/money';
import {
  CUSTOMER_COLUMN,
  describeCustomer,
  recordReveal,
  type RevealOptions,
  toCustomerDocument,
} from '../../engine/personal-data';
import { type Column, shortTime, table } from '../../terminal/table';
import { toBookingDocument } from './document';

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
  const tenantId = await findTenantId(db, tenant);
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
  { heading: 'party', right: true },
  { heading: 'total', right: true },
  { heading: 'deposit', right: true, aside: true },
  { heading: 'created (utc)', aside: true },
  { heading: 'reference', least: 8, aside: true },
];

export async function listBookingsCommand(context: Context, options: BookingListOptions): Promise<void> {
  const { db, output } = context;
  const { before, reveal = false, limit = DEFAULT_LIMIT } = options;
  const { tenantId, scope, filter } = await toBookingFilter(db, options);
  const after = before === undefined ? undefined : { id: (await getBooking(db, scope, before)).id };
  const { items: leads } = await listBookings(db, scope, { ...filter, after, limit });
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
    lead.departure_status === 'cancelled' ? `${lead.departure_date} cancelled` : lead.departure_date,
    lead.adults + lead.children,
    formatMoney(lead.total_price, lead.currency),
    formatMoney(lead.deposit_total, lead.currency),
    shortTime(lead.created_at),
    lead.external_ref,
  ];
}

function toRevealedRow(booking: BookingLead) {
  return [...toRow(booking, true), describeCustomer(booking.customer)];
}

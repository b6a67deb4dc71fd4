import { createWriteStream } from 'node:fs';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { BookingLead, BookingStatus } from '../../../services/api/bookings/booking-lead';
import { getBooking, listBookings, walkBookings } from '../../../services/api/bookings/find-booking';
import type { PartialCustomer } from '../../../services/api/holds/seat-hold';
import { ANY_TENANT, type TenantScope } from '../../../services/api/tenants/tenant';
import { csvLine } from '../../../services/platform/csv-cells';
import type { Db } from '../../../services/platform/database';
import type { Context } from '../../engine/context';
import { FileNotWrittenError } from '../../engine/failure';
import { DEFAULT_LIMIT, findTenantId } from '../../engine/list';
import {
  CUSTOMER_COLUMN,
  describeContacts,
  describeTraveller,
  recordReveal,
  type RevealOptions,
  toCustomerDocument,
} from '../../engine/personal-data';
import { formatMoney } from '../../engine/values';
import { type ItemColumn, shortTime, tableOf } from '../../terminal/table';
import { countOf } from '../../terminal/text';
import { toBookingDetailDocument, toBookingDocument } from './document';

/** Holds the filters of list and export. */
interface BookingFilterOptions {
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

async function toBookingFilter(db: Db, options: BookingFilterOptions): Promise<BookingFilter> {
  const { tenant, status, externalRef, since, until } = options;
  const tenantId = await findTenantId(db, tenant);
  return { tenantId, scope: tenantId ?? ANY_TENANT, filter: { status, externalRef, since, until } };
}

/** Describes the filter for the audit row of a reveal, without the reference: it may contain a customer's name. */
function describeFilter({ status, since, until }: BookingFilterOptions): Record<string, unknown> {
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

type ListedBooking = ReturnType<typeof toBookingDocument> & { customer: PartialCustomer };

const COLUMNS: ItemColumn<ListedBooking>[] = [
  { heading: 'booking', cell: (booking) => booking.booking_ref },
  {
    heading: 'status',
    tones: { confirmed: 'good', pending_payment: 'waiting', cancelled: 'quiet', expired: 'quiet' },
  },
  { heading: 'tour', least: 10 },
  {
    heading: 'date',
    cell: ({ departure_date: date, departure_status: status }) =>
      status === 'cancelled' ? `${date} cancelled` : date,
  },
  { heading: 'party', right: true, cell: ({ adults, children }) => adults + children },
  { heading: 'total', right: true, cell: (booking) => formatMoney(booking.total_price, booking.currency) },
  {
    heading: 'deposit',
    right: true,
    aside: true,
    cell: (booking) => formatMoney(booking.deposit_total, booking.currency),
  },
  { heading: 'created (utc)', aside: true, cell: (booking) => shortTime(booking.created_at) },
  { heading: 'reference', least: 8, aside: true, cell: (booking) => booking.external_ref },
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
  const columns = reveal ? [...COLUMNS, CUSTOMER_COLUMN] : COLUMNS;
  output.answer({ items }, (screen) => tableOf(columns, 'No bookings')(items, screen));
}

interface ExportOptions extends BookingFilterOptions, RevealOptions {
  out?: string;
}

/** Reads page by page, so that memory and locks do not grow with the bookings. */
export async function exportBookingsCommand(context: Context, options: ExportOptions): Promise<void> {
  const { db, output } = context;
  const { out, reveal = false } = options;
  const { tenantId, scope, filter } = await toBookingFilter(db, options);
  // Writes the audit row first, because an interrupted export has already shown names.
  if (reveal) {
    await recordReveal(
      context,
      { action: 'booking.reveal', tenantId },
      { ...describeFilter(options), export: true },
    );
  }
  let bookings = 0;
  async function* lines() {
    yield CSV_HEAD;
    for await (const lead of walkBookings(db, scope, filter)) {
      bookings++;
      yield toCsvLine(lead, reveal);
    }
  }
  if (out === undefined) await output.pour(lines(), 'csv');
  else await writeTo(out, Readable.from(lines()));
  const count = countOf(bookings, 'booking');
  if (out === undefined) output.note(count);
  else output.answer({ file: out, bookings }, () => `${out}: ${count}`);
}

/** Writes a new file with mode 0600, because it may contain customer data. */
async function writeTo(file: string, text: Readable): Promise<void> {
  try {
    await pipeline(text, createWriteStream(file, { flags: 'wx', mode: 0o600 }));
  } catch (error) {
    const { code, syscall, message } = error as NodeJS.ErrnoException;
    if (!syscall) throw error;
    throw new FileNotWrittenError(file, code === 'EEXIST' ? 'it exists' : message, ': name another file');
  }
}

const CSV_COLUMNS = [
  'booking_ref',
  'tenant',
  'status',
  'tour',
  'departure_date',
  'adults',
  'unit_price',
  'total_price',
  'deposit_total',
  'currency',
  'payment_method',
  'external_ref',
  'created_at',
  'payment_due_at',
  'customer_name',
  'customer_phone',
  'customer_email',
  'notes',
  'children',
  'single_supplements',
  'travellers',
  'octo_uuid',
  'octo_contacts',
  'departure_status',
] as const;

/** Holds the column names and the line break of RFC 4180. */
const CSV_HEAD = csvLine(CSV_COLUMNS);

function toCsvLine(lead: BookingLead, reveal: boolean): string {
  const { customer, travellers: named, octo, ...booking } = toBookingDetailDocument(lead, reveal);
  const { name: customer_name, phone: customer_phone, email: customer_email } = customer;
  const travellers = named && named.map(describeTraveller).join('; ');
  const octo_uuid = octo && octo.uuid;
  const octo_contacts = describeContacts(octo).join('; ') || null;
  const people = { customer_name, customer_phone, customer_email, travellers, octo_contacts };
  const values = { ...booking, ...people, octo_uuid };
  return csvLine(CSV_COLUMNS.map((column) => values[column]));
}

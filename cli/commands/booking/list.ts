import { createWriteStream } from 'node:fs';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { AdjustmentAnswer } from '../../../services/api/bookings/adjustment';
import type { BookingLead, LeadPosition } from '../../../services/api/bookings/booking-lead';
import type { BookingStatus } from '../../../services/api/bookings/booking-status';
import { seesCustomers } from '../../../services/platform/people/tasks';
import { NOT_SHOWN } from '../../engine/hide-customers';
import { getBooking, listBookings, walkBookings } from '../../../services/api/bookings/find-booking';
import { findTour } from '../../../services/api/catalog/find-tour';
import { ANY_TENANT, type TenantScope } from '../../../services/api/tenants/tenant';
import { csvLine } from '../../../services/platform/csv-cells';
import type { Db } from '../../../services/platform/database/database';
import { describeAnswer } from '../../engine/answers';
import { describePickup } from '../../engine/pickup';
import type { AuditedContext } from '../../engine/context';
import { FileNotWrittenError, UsageError } from '../../engine/failure';
import { answerItems, DEFAULT_LIMIT, findTenantId } from '../../engine/list';
import {
  CUSTOMER_COLUMN,
  describeContacts,
  describeTraveller,
  recordReveal,
  type RevealOptions,
  toCustomerDocument,
} from '../../engine/personal-data';
import { formatMoney } from '../../engine/values';
import { type ItemColumn, shortTime } from '../../terminal/table';
import type { Tone } from '../../terminal/screen';
import { countOf } from '../../terminal/text';
import { departureOf, freeText, toBookingDetailDocument, toBookingDocument } from './document';
import type { CustomerAnswer } from '../../../services/api/customers/customer';

/** Holds the filters of list and export. */
export interface BookingFilterOptions {
  tenant?: string;
  /** Id or slug. */
  tour?: string;
  status?: BookingStatus;
  externalRef?: string;
  since?: Date;
  until?: Date;
  /** YYYY-MM-DD, both included. */
  departureFrom?: string;
  departureTo?: string;
  search?: string;
  /** True: only bookings that lack required answers. */
  missingAnswers?: boolean;
}

interface BookingFilter {
  tenantId: string | undefined;
  scope: TenantScope;
  filter: Omit<BookingFilterOptions, 'tenant' | 'tour'> & { tourId: string | undefined };
}

async function toBookingFilter(db: Db, options: BookingFilterOptions): Promise<BookingFilter> {
  const { tenant, tour, ...filter } = filterOf(options);
  const tenantId = await findTenantId(db, tenant);
  const tourId = tour === undefined ? undefined : (await findTour(db, tour)).id;
  return {
    tenantId,
    scope: tenantId ?? ANY_TENANT,
    filter: { ...filter, tourId },
  };
}

function filterOf(options: BookingFilterOptions): BookingFilterOptions {
  const {
    tenant,
    tour,
    status,
    externalRef,
    since,
    until,
    departureFrom,
    departureTo,
    search,
    missingAnswers,
  } = options;
  return {
    tenant,
    tour,
    status,
    externalRef,
    since,
    until,
    departureFrom,
    departureTo,
    search,
    missingAnswers,
  };
}

/**
 * Describes the filter for the audit row of a reveal, without the reference and the searched text: they may contain a customer's name.
 */
function describeFilter(options: BookingFilterOptions): Record<string, unknown> {
  const { tour, status, since, until, departureFrom, departureTo, search, missingAnswers } = options;
  return {
    ...(missingAnswers && { missing_answers: true }),
    ...(tour !== undefined && { tour }),
    ...(status && { status }),
    ...(since && { since: since.toISOString() }),
    ...(until && { until: until.toISOString() }),
    ...(departureFrom !== undefined && { departure_from: departureFrom }),
    ...(departureTo !== undefined && { departure_to: departureTo }),
    ...(search !== undefined && { searched: true }),
  };
}

interface BookingListOptions extends BookingFilterOptions, RevealOptions {
  before?: string;
  limit?: number;
}

type ListedBooking = ReturnType<typeof toBookingDocument> & { customer: CustomerAnswer };

const COLUMNS: ItemColumn<ListedBooking>[] = [
  { heading: 'booking', cell: (booking) => booking.booking_ref },
  {
    heading: 'status',
    tones: {
      confirmed: 'good',
      pending_payment: 'waiting',
      cancelled: 'quiet',
      expired: 'quiet',
    } satisfies Record<BookingStatus, Tone>,
  },
  { heading: 'tour', least: 10 },
  {
    heading: 'date',
    cell: (booking) => {
      const name = departureOf(booking);
      return booking.departure_status === 'cancelled' ? `${name} cancelled` : name;
    },
  },
  { heading: 'party', right: true, cell: ({ people }) => people },
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

export async function listBookingsCommand(
  context: AuditedContext,
  options: BookingListOptions,
): Promise<void> {
  const { db, output } = context;
  const { before, search, reveal = false, limit = DEFAULT_LIMIT } = options;
  const { tenantId, scope, filter } = await toBookingFilter(db, options);
  const after = before === undefined ? undefined : positionOf(await getBooking(db, scope, before), options);
  // Reads one booking more than the limit, to know whether there are more.
  const { items: leads } = await listBookings(db, scope, { ...filter, after, limit: limit + 1 });
  if (reveal) {
    const shown = { ...describeFilter(options), bookings: Math.min(limit, leads.length) };
    await recordReveal(context, { action: 'booking.reveal', tenantId }, shown);
  }
  const items = leads.map((lead) => ({
    ...toBookingDocument(lead, reveal),
    customer: toCustomerDocument(lead.customer, reveal),
  }));
  await answerItems(output, items, limit, {
    columns: columnsFor(search !== undefined, reveal),
    empty: 'No bookings',
    after: (booking) => booking.booking_ref,
    cursor: '--before',
  });
}

/**
 * Returns the columns of the list. If the customer is searched or revealed, the customer stands next to the booking, so that a narrow
 * screen keeps it.
 */
function columnsFor(searched: boolean, reveal: boolean): ItemColumn<ListedBooking>[] {
  return searched || reveal ? COLUMNS.toSpliced(2, 0, CUSTOMER_COLUMN) : COLUMNS;
}

/**
 * Returns the position of a booking in the sorted list.
 * @throws UsageError if the list is sorted by departure and the booking has no date
 */
function positionOf(lead: BookingLead, { departureFrom, departureTo }: BookingFilterOptions): LeadPosition {
  if ((departureFrom ?? departureTo) === undefined) return { id: lead.id };
  if (lead.departureDate === null)
    throw new UsageError('--before must be a booking of this list: this one has no date of departure');
  return { id: lead.id, key: lead.departureDate };
}

interface ExportOptions extends BookingFilterOptions, RevealOptions {
  out?: string;
}

/** Exports bookings as CSV. Reads the bookings page by page, so that memory and locks do not grow with the number of bookings. */
export async function exportBookingsCommand(context: AuditedContext, options: ExportOptions): Promise<void> {
  const { db, output, person } = context;
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
  const hides = person !== undefined && !seesCustomers(person.roles);
  if (out === undefined) output.note(count);
  else await output.answer({ file: out, bookings, ...(hides && { hidden: true }) }, () => `${out}: ${count}`);
  if (hides) output.note(NOT_SHOWN);
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
  'departure_time',
  'child_unit_price',
  'single_supplement_unit_price',
  'refund_percent',
  'refund_amount',
  'party',
  'prices',
  'source',
  'adjustment_amount',
  'adjustment_reason',
  'answers',
  'pickup',
  'customer_phone_as_sent',
] as const;

/** The first line: the names of the columns. */
const CSV_HEAD = csvLine(CSV_COLUMNS);

/** Returns the cells of an adjustment. */
function adjustmentCells(adjustment: AdjustmentAnswer | null, reveal: boolean) {
  const { amount = null, reason = null } = adjustment ?? {};
  return { adjustment_amount: amount, adjustment_reason: freeText(reason, reveal) };
}

/** Returns the cells of a customer. */
function customerCells({ name, phone, phone_as_sent = null, email }: CustomerAnswer) {
  return {
    customer_name: name,
    customer_phone: phone,
    customer_phone_as_sent: phone_as_sent,
    customer_email: email,
  };
}

function toCsvLine(lead: BookingLead, reveal: boolean): string {
  const {
    customer,
    travellers: named,
    octo,
    refund,
    adjustment,
    answers: asked,
    pickup: fetched,
    ...booking
  } = toBookingDetailDocument(lead, reveal);
  const travellers = named && named.map(describeTraveller).join('; ');
  const answers = asked.map(describeAnswer).join('; ') || null;
  const pickup = fetched && describePickup(fetched);
  const octo_uuid = octo && octo.uuid;
  const octo_contacts = describeContacts(octo).join('; ') || null;
  const unitPrices = {
    child_unit_price: booking.prices['child'] ?? null,
    single_supplement_unit_price: booking.prices['single_supplement'] ?? null,
    prices: JSON.stringify(booking.prices),
  };
  const party = JSON.stringify(booking.party);
  const refunded = { refund_percent: refund?.percent ?? null, refund_amount: refund?.amount ?? null };
  const values = {
    ...booking,
    ...customerCells(customer),
    ...unitPrices,
    ...refunded,
    ...adjustmentCells(adjustment, reveal),
    travellers,
    party,
    answers,
    pickup,
    octo_uuid,
    octo_contacts,
  };
  return csvLine(CSV_COLUMNS.map((column) => values[column]));
}

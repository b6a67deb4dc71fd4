import { createWriteStream } from 'node:fs';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { BookingLead } from '../../../services/api/bookings/booking-lead';
import { walkBookings } from '../../../services/api/bookings/find-booking';
import { csvLine } from '../../../services/platform/csv-cells';
import { AppError } from '../../../services/platform/errors';
import type { Context } from '../../engine/context';
import {
  describeContacts,
  describeTraveller,
  recordReveal,
  type RevealOptions,
} from '../../engine/personal-data';
import { type BookingFilterOptions, describeFilter, toBookingFilter } from './list';
import { toBookingDetailDocument } from './document';
import { countOf } from '../../terminal/text';

interface ExportOptions extends BookingFilterOptions, RevealOptions {
  out?: string;
}

class ExportNotWrittenError extends AppError {
  readonly code = 'file_not_written';

  constructor(file: string, reason: string) {
    super(`${file} cannot be written (${reason}): name another file`);
  }
}

/** Reads page by page, so that memory and locks do not grow with the bookings. */
export async function exportBookingsCommand(context: Context, options: ExportOptions): Promise<void> {
  const { db, output } = context;
  const { out, reveal = false } = options;
  const { tenantId, scope, filter } = await toBookingFilter(db, options);
  // Records first: an interrupted export has already shown names.
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
    throw new ExportNotWrittenError(file, code === 'EEXIST' ? 'it exists' : message);
  }
}

const COLUMNS = [
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
const CSV_HEAD = csvLine(COLUMNS);

function toCsvLine(lead: BookingLead, reveal: boolean): string {
  const { customer, travellers: named, octo, ...booking } = toBookingDetailDocument(lead, reveal);
  const { name: customer_name, phone: customer_phone, email: customer_email } = customer;
  const travellers = named && named.map(describeTraveller).join('; ');
  const octo_uuid = octo && octo.uuid;
  const octo_contacts = describeContacts(octo).join('; ') || null;
  const people = { customer_name, customer_phone, customer_email, travellers, octo_contacts };
  const values = { ...booking, ...people, octo_uuid };
  return csvLine(COLUMNS.map((column) => values[column]));
}

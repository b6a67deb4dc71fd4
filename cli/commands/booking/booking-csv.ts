import type { BookingLead } from '../../../services/api/bookings/booking-lead';
import { toBookingDetailDocument } from './booking-document';

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
] as const;

/** Nothing of these is seen in a cell. */
const UNSEEN = '[\\s\\p{Cc}\\p{Cf}]*';
const FORMULA = '[=+\\-@＝＋－＠]';
const FIRST = new RegExp(`^(?:[\\t\\r\\n]|${UNSEEN}${FORMULA})`, 'u');
/** Where a spreadsheet that was told of another separator, or guessed it, begins a cell. */
const LATER = new RegExp(`([;|\\t\\r\\n](?:${UNSEEN}["'])?${UNSEEN})(?=${FORMULA})`, 'gu');

/** RFC 4180: the names of the columns, with its line break. */
export const CSV_HEAD = line(COLUMNS);

export function toCsvLine(lead: BookingLead, reveal: boolean): string {
  const { customer, ...booking } = toBookingDetailDocument(lead, reveal);
  const { name: customer_name, phone: customer_phone, email: customer_email } = customer;
  const values = { ...booking, customer_name, customer_phone, customer_email };
  return line(COLUMNS.map((column) => values[column]));
}

function line(values: readonly (string | number | null)[]): string {
  return `${values.map((value) => quote(typeof value === 'string' ? disarm(value) : String(value ?? ''))).join(',')}\r\n`;
}

/** A spreadsheet takes a cell that begins so for a formula, and what others wrote would run in it; the apostrophe makes it text. */
function disarm(text: string): string {
  const later = text.replace(LATER, "$1'");
  return FIRST.test(text) ? `'${later}` : later;
}

function quote(text: string): string {
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

import { createWriteStream } from 'node:fs';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { walkBookings } from '../../../services/api/bookings/find-booking';
import { AppError } from '../../../services/platform/errors';
import type { Context } from '../../context';
import { recordReveal, type RevealOptions } from '../../reveal';
import { CSV_HEAD, toCsvLine } from './booking-csv';
import { type BookingFilterOptions, describeFilter, toBookingFilter } from './booking-filter';

interface ExportOptions extends BookingFilterOptions, RevealOptions {
  out?: string;
}

class ExportNotWrittenError extends AppError {
  readonly code = 'file_not_written';

  constructor(file: string, reason: string) {
    super(`${file} cannot be written (${reason})`);
  }
}

/** A page at a time, so that neither memory nor a lock grows with the number of bookings. */
export async function exportBookingsCommand(context: Context, options: ExportOptions): Promise<void> {
  const { db, io, output } = context;
  const { out, reveal = false } = options;
  const { tenantId, scope, filter } = await toBookingFilter(db, options);
  // Before the first name leaves: who breaks off half-way has seen half of them.
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
  const text = Readable.from(lines());
  if (out === undefined) await pipeline(text, io.stdout, { end: false });
  else await writeTo(out, text);
  const count = bookings === 1 ? '1 booking' : `${bookings} bookings`;
  if (out === undefined) output.note(count);
  else output.answer({ file: out, bookings }, () => `${out}: ${count}`);
}

/** Into a new file that its owner alone reads: there may be customers in it. */
async function writeTo(file: string, text: Readable): Promise<void> {
  try {
    await pipeline(text, createWriteStream(file, { flags: 'wx', mode: 0o600 }));
  } catch (error) {
    const { code, syscall, message } = error as NodeJS.ErrnoException;
    if (!syscall) throw error;
    throw new ExportNotWrittenError(file, code === 'EEXIST' ? 'it exists' : message);
  }
}

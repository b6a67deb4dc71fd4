import type { Trx } from '../../platform/database/database';
import { AppError } from '../../platform/errors';
import type { Departure } from '../departures/departure';
import { partyOfRequest, wantedSeats } from '../parties/requested-party';
import { addMissingSeats } from '../seats/changes/change-departure';
import type { ImportedBooking } from '../seats/changes/import-booking';
import { lockForChanges, type OperatorTransaction, performBulk, performTogether } from '../seats/perform';
import type { SeatChange } from '../seats/seat-change';
import type { Actor } from '../tenants/actor';
import type { Tenant } from '../tenants/tenant';
import { BookingImportRunningError, ImportOvertakenError } from './booking-import.errors';
import { type BookingImportReport, Tally } from './booking-import-report';
import { claimBookingImport, findImportedRows, insertImport, leaveOutReminders } from './imports.repository';
import type { CheckedImport } from './check-bookings';
import { type BookingImportOptions, changeOf, type PlacedRow } from './sale-of-row';

/**
 * Writes a checked import in the transaction of an operator, all of it or nothing: locks its departures in the order of their ids, then decides
 * each row again and writes set by set.
 * @throws BookingImportRunningError, ImportOvertakenError; DepartureBusyError after two seconds
 */
export async function writeBookings(
  transaction: OperatorTransaction,
  { options, rows, report }: CheckedImport,
  { importId, by }: { importId: string; by: Actor },
): Promise<BookingImportReport> {
  const { trx } = transaction;
  const { tenant, isSilent, key } = options;
  if (!(await claimBookingImport(trx))) throw new BookingImportRunningError();
  for (const references of rows.references()) await assertNew(trx, references, options);
  await lockForChanges(trx, rows.departureIds);
  const importedAt = await insertImport(trx, { id: importId, tenantId: tenant.id, by, isSilent, key });
  const written = { ...report, import_id: importId, created: 0, tenfold_totals: [] };
  const tally = new Tally(written);
  for (const chunk of rows.byDeparture()) {
    if (options.addsSeats) await addSeats(transaction, tenant, chunk);
    const changes = chunk
      .map((one) => changeOf(one, options, { importId, importedAt, by }))
      .map(changeOrThrow);
    const sold = await performTogether(transaction, changes).catch(refuseOvertaken);
    for (const [index, booking] of sold.entries()) tally.add(chunk[index]!.row, booking);
  }
  if (isSilent) await leaveOutReminders(trx, importId);
  tally.end();
  return written;
}

/** @throws ImportOvertakenError if one of the references was imported since the rows were checked */
async function assertNew(
  trx: Trx,
  references: string[],
  { tenant, key }: BookingImportOptions,
): Promise<void> {
  const known = await findImportedRows(trx, tenant.id, references, key);
  if (known.size > 0) throw new ImportOvertakenError('another import has imported some of the rows.');
}

/** Gives each departure of the rows the seats that it lacks. */
async function addSeats(transaction: OperatorTransaction, tenant: Tenant, chunk: PlacedRow[]): Promise<void> {
  const byDeparture = new Map<string, PlacedRow[]>();
  for (const one of chunk) {
    const id = one.choice.departureId!;
    const others = byDeparture.get(id);
    if (others) others.push(one);
    else byDeparture.set(id, [one]);
  }
  for (const rows of byDeparture.values()) {
    const [{ tour, row }] = rows as [PlacedRow];
    const seatsOf = ({ tour: { categories } }: Departure) =>
      rows.reduce((sum, one) => {
        const party = partyOfRequest({ party: one.row.party }, categories);
        return sum + wantedSeats(party, categories);
      }, 0);
    const named = { date: row.departureDate, time: row.departureTime };
    const raise = await addMissingSeats(transaction.trx, tenant, tour, named, seatsOf);
    await performBulk(transaction, raise);
  }
}

function changeOrThrow(built: ReturnType<typeof changeOf>): SeatChange<ImportedBooking> {
  if ('refusal' in built) throw new ImportOvertakenError(built.refusal.message);
  return built.change;
}

function refuseOvertaken(error: unknown): never {
  if (error instanceof AppError) throw new ImportOvertakenError(error.message);
  throw error;
}

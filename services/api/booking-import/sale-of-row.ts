import { AppError, InvalidInputError } from '../../platform/errors';
import type { ImportTerms } from '../bookings/import-terms';
import type { Tour } from '../catalog/tour';
import type { ChoiceOfDate } from '../departures/choose-departure';
import { InsufficientSeatsError } from '../departures/departure.errors';
import { importBooking, type ImportedBooking } from '../seats/changes/import-booking';
import { type SeatChange, sellerWithoutKey } from '../seats/seat-change';
import type { Actor } from '../tenants/actor';
import type { Tenant } from '../tenants/tenant';
import { type BookingRow, digestOfRow } from './booking-row';
import { columnOf, type ImportMap } from './import-map';

export interface BookingImportOptions {
  tenant: Tenant;
  map: ImportMap;
  /** CURSOR_KEY, for the digests of rows and of erased references. */
  key: string;
  addsSeats: boolean;
  hasPolicy: boolean;
  isSilent: boolean;
}

/** A row that becomes a booking, with its place in the catalog. */
export interface PlacedRow {
  row: BookingRow;
  tour: Tour;
  choice: ChoiceOfDate;
}

/** The import to which bookings belong. */
export interface WrittenImport {
  importId: string;
  importedAt: string;
  by: Actor | null;
}

/** The import of a check. */
export const DRY_IMPORT: WrittenImport = { importId: '', importedAt: new Date(0).toISOString(), by: null };

/** Returns the sale of a row, or why its party cannot be sold. */
export function changeOf(
  { row, tour, choice }: PlacedRow,
  options: BookingImportOptions,
  { importId, importedAt, by }: WrittenImport,
): { change: SeatChange<ImportedBooking> } | { refusal: AppError } {
  const { tenant, key, addsSeats, hasPolicy, isSilent } = options;
  const { importRef, createdAt, total, currency, deposit } = row;
  const imported: ImportTerms = {
    importId,
    importRef,
    digest: digestOfRow(row, key),
    importedAt,
    createdAt,
    total,
    currency,
    deposit,
    addsSeats,
    hasPolicy,
    isSilent,
  };
  const isConfirmed = row.status === 'confirmed';
  const request = {
    departureDate: row.departureDate,
    departureTime: row.departureTime,
    party: { party: row.party },
    travellers: row.travellers,
    customer: { name: row.name, phone: null, email: row.email, ...row.phone },
    paymentMethod: row.paymentMethod,
    holdId: null,
    expectedTotal: null,
    externalRef: importRef,
    notes: row.notes,
    source: 'import' as const,
    desk: { payBy: isConfirmed ? null : row.paymentDueAt, adjustment: null },
    imported,
    isConfirmed,
    by,
  };
  try {
    return { change: importBooking(sellerWithoutKey(tenant), tour, request, choice) };
  } catch (refusal) {
    if (!(refusal instanceof AppError)) throw refusal;
    return { refusal };
  }
}

/** The fields that refusals without a field concern. */
const FIELD_OF_CODE: Record<string, string> = { tour_not_found: 'tour', pay_by_past: 'payment_due_at' };

/** Returns the column that a refusal concerns, and its text. */
export function describeRefusal(refusal: AppError, map: ImportMap): [column: string, message: string] {
  const [issue] = refusal instanceof InvalidInputError ? refusal.errors : [];
  const field = issue?.field ?? FIELD_OF_CODE[refusal.code] ?? 'departure_date';
  const column = columnOf(field, map);
  if (issue) return [column, issue.message];
  if (refusal.code === 'pay_by_past') return [column, 'must be in the future'];
  if (!(refusal instanceof InsufficientSeatsError)) return [column, refusal.message];
  return [column, describeLackOfSeats(refusal)];
}

/** The departure itself lacks seats only without --add-seats, so its text names this flag. */
function describeLackOfSeats({ seatsAvailable, wanted, resource, because }: InsufficientSeatsError): string {
  const missing = wanted.quantity - seatsAvailable;
  const cure = resource === null ? '; --add-seats adds them' : because;
  return `lacks ${missing} of ${wanted.quantity} seats: ${seatsAvailable} are free${cure}`;
}

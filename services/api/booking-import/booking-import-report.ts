import { toMajor } from '../pricing/currency';
import type { ImportedBooking } from '../seats/changes/import-booking';
import type { BookingRow } from './booking-row';
import type { RowPlace } from './row-issues';

/** A departure in the report of an import. */
export interface DepartureOfImport {
  tour: string;
  departure_date: string;
  departure_time: string | null;
  seats_before: number;
  imported: number;
  seats_after: number;
  seats_total: number;
}

/** A row that is named in a report: its reference and its place. */
export interface NamedRow extends RowPlace {
  external_ref: string;
}

/** A total that is ten times that of today or more, or a tenth or less. */
export interface TenfoldTotal extends NamedRow {
  total: number;
  today: number;
  currency: string;
}

/** The answer of an import. Amounts are in major units. */
export interface BookingImportReport {
  /** Null: nothing was written. */
  import_id: string | null;
  /** The rows of the files. */
  rows: number;
  created: number;
  /** Rows that an earlier import has imported. */
  equal: number;
  /** Rows that differ from the row of an earlier import, also those that are cancelled since. Their bookings stay as they are. */
  changed: number;
  /** Cancelled rows that were not imported before, and rows of past departures. */
  left_out: number;
  faulty: number;
  totals: { currency: string; amount: number }[];
  departures: DepartureOfImport[];
  changed_rows: NamedRow[];
  tenfold_totals: TenfoldTotal[];
}

export function emptyReport(): BookingImportReport {
  return {
    import_id: null,
    rows: 0,
    created: 0,
    equal: 0,
    changed: 0,
    left_out: 0,
    faulty: 0,
    totals: [],
    departures: [],
    changed_rows: [],
    tenfold_totals: [],
  };
}

export function namedRow({ importRef, places: [place] }: Pick<BookingRow, 'importRef' | 'places'>): NamedRow {
  return { external_ref: importRef, ...place! };
}

/** Compares texts by their code units. */
export function compareTexts(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}

/** Sums the bookings of an import for its report. */
export class Tally {
  private readonly departures = new Map<string, DepartureOfImport>();
  private readonly totals = new Map<string, { minor: number; digits: number }>();

  constructor(private readonly report: BookingImportReport) {}

  add(row: BookingRow, { lead, todayMinor, seatsBefore, seatsTotal }: ImportedBooking): void {
    this.report.created++;
    const { minor = 0 } = this.totals.get(lead.currency) ?? {};
    this.totals.set(lead.currency, { minor: minor + lead.totalMinor, digits: lead.currencyDigits });
    const departure = this.departures.get(lead.departureId!) ?? {
      tour: lead.tour.slug,
      departure_date: lead.departureDate!,
      departure_time: lead.departureTime,
      seats_before: seatsBefore,
      imported: 0,
      seats_after: seatsBefore,
      seats_total: seatsTotal,
    };
    departure.imported++;
    departure.seats_after += lead.seats;
    departure.seats_total = Math.max(departure.seats_total, departure.seats_after);
    this.departures.set(lead.departureId!, departure);
    const isTenfold = lead.totalMinor >= 10 * todayMinor || lead.totalMinor * 10 <= todayMinor;
    if (!isTenfold) return;
    const [total, today] = [lead.totalMinor, todayMinor].map((amount) =>
      toMajor(amount, lead.currencyDigits),
    );
    const { currency } = lead;
    this.report.tenfold_totals.push({ ...namedRow(row), total: total!, today: today!, currency });
  }

  end(): void {
    const nameOf = (one: DepartureOfImport) =>
      `${one.departure_date} ${one.departure_time ?? ''} ${one.tour}`;
    this.report.departures = [...this.departures.values()].sort((a, b) => compareTexts(nameOf(a), nameOf(b)));
    this.report.totals = [...this.totals].map(([currency, { minor, digits }]) => ({
      currency,
      amount: toMajor(minor, digits),
    }));
  }
}

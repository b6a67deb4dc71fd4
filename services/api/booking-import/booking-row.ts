import { createHmac } from 'node:crypto';
import { stringify } from 'safe-stable-stringify';
import { instantForm, isCalendarDate } from '../../platform/forms/days';
import type { Form } from '../../platform/forms/form';
import { isCategoryCode, isSlug, readWholeNumber } from '../../platform/forms/text-forms';
import { emailForm, notesForm, personNameForm, referenceForm } from '../../platform/forms/texts';
import type { Traveller } from '../bookings/booking-lead';
import { readStartTime } from '../catalog/start-time';
import { BOOKING_PAYMENT_METHODS, type BookingPaymentMethod } from '../tenants/payment-method';
import { type PhoneInput, phoneForm } from '../customers/phone';
import { UNITS_MAX } from '../parties/party-rules';
import { isCurrencyCode } from '../pricing/currency';
import { columnOf, type ImportMap, ROW_STATUSES, type RowStatus } from './import-map';
import { type LocalTime, readAmount } from './read-words';
import type { SourceCell, SourceRow } from './read-booking-file';
import { readTravellers } from './read-travellers';
import type { RowIssues, RowPlace } from './row-issues';

/** A row in our own words. Amounts are decimal texts in major units, because their currency is not known yet. */
export interface BookingRow {
  /** The lines of the row: several if each traveller has one. */
  places: RowPlace[];
  importRef: string;
  /** Slug. */
  tour: string;
  /** YYYY-MM-DD */
  departureDate: string;
  /** HH:MM. Undefined: not named. */
  departureTime: string | undefined;
  /** Units by category. */
  party: Record<string, number>;
  name: string;
  status: Exclude<RowStatus, 'cancelled'>;
  phone: PhoneInput | null;
  email: string | null;
  total: string | null;
  currency: string | null;
  deposit: string | null;
  /** RFC 3339. */
  paymentDueAt: string | null;
  createdAt: string | null;
  paymentMethod: BookingPaymentMethod | null;
  notes: string | null;
  travellers: Traveller[] | null;
}

/** A row that is cancelled in the other system, or has a status that the map leaves out. */
export interface CancelledRow extends Pick<BookingRow, 'places' | 'importRef'> {
  status: 'cancelled';
}

/** A booking of the files: one row, or the rows of its travellers. */
export interface SourceBooking {
  places: RowPlace[];
  cells: SourceRow['cells'];
  /** The units that the rows of travellers name. */
  units: Map<string, number>;
}

/** The units of a category, and the column that names them. */
interface NamedUnits {
  code: string;
  units: number;
  column: string;
}

/** The fields of the tenant that the reading of rows needs. */
export interface RowReading {
  map: ImportMap;
  issues: RowIssues;
  /** ISO 3166 alpha-2, for phone numbers without a country code. */
  country: string;
}

/** Returns the keyed digest by which the same row is found again, also with its columns in another order. @param key CURSOR_KEY */
export function digestOfRow({ places: _, ...row }: BookingRow, key: string): string {
  return createHmac('sha256', key).update(stringify(row)).digest('hex');
}

/** Reads the row of a booking. Undefined: it is faulty. `left out`: the map leaves its tour out. Adds all its issues. */
export function readBookingRow(
  source: SourceBooking,
  reading: RowReading,
): BookingRow | CancelledRow | 'left out' | undefined {
  const reader = new RowReader(source, reading);
  const status = reader.status();
  const tour = reader.tour();
  if (tour === null) return reader.isFaulty ? undefined : 'left out';
  if (status === 'cancelled') return cancelledRow(source, reader);
  const { date, time } = reader.departure();
  const row = {
    places: source.places,
    importRef: reader.required('external_ref', referenceForm),
    tour,
    departureDate: date,
    departureTime: time,
    party: reader.party(),
    name: reader.name(),
    status,
    phone: reader.optional('phone', phoneForm({ country: reading.country })),
    email: reader.optional('email', emailForm()),
    total: reader.amount('total'),
    currency: reader.currency(),
    deposit: reader.amount('deposit'),
    paymentDueAt: reader.instant('payment_due_at'),
    createdAt: reader.instant('created_at'),
    paymentMethod: reader.paymentMethod(),
    notes: reader.optional('notes', notesForm),
    travellers: reader.travellers(),
  };
  return reader.isFaulty ? undefined : (row as BookingRow);
}

function cancelledRow({ places }: SourceBooking, reader: RowReader): CancelledRow | 'left out' | undefined {
  const importRef = reader.optional('external_ref', referenceForm);
  if (reader.isFaulty) return undefined;
  return importRef ? { status: 'cancelled', importRef, places } : 'left out';
}

/** Reads the cells of one booking. Each method adds the issue of its field, and then returns undefined. */
class RowReader {
  isFaulty = false;

  constructor(
    private readonly source: SourceBooking,
    private readonly reading: RowReading,
  ) {}

  private issue(column: string, message: string): undefined {
    this.isFaulty = true;
    this.reading.issues.add(this.source.places[0]!, column, message);
  }

  private cell(field: string): SourceCell | undefined {
    return this.source.cells.get(field)?.[0];
  }

  /** Returns the text of a field. Null: it is missing. */
  private text(field: string): { column: string; text: string } | null {
    const cell = this.cell(field);
    if (!cell) return null;
    const { column, value } = cell;
    return { column, text: typeof value === 'string' ? value.trim() : String(value) };
  }

  private read<T>(field: string, form: Form<T>): T | null | undefined {
    const given = this.text(field);
    if (!given) return null;
    const { value, issue } = form(given.text);
    return issue === undefined ? value : this.issue(given.column, issue);
  }

  optional<T>(field: string, form: Form<T>): T | null | undefined {
    return this.read(field, form);
  }

  required<T>(field: string, form: Form<T>): T | undefined {
    const value = this.read(field, form);
    return value === null ? this.issue(field, 'is missing') : value;
  }

  /** Reads the name, which may have two columns. */
  name(): string | undefined {
    const cells = this.source.cells.get('name') ?? [];
    if (cells.length === 0) return this.issue('name', 'is missing');
    const { value, issue } = personNameForm(cells.map((cell) => String(cell.value).trim()).join(' '));
    return issue === undefined ? value : this.issue(cells[0]!.column, issue);
  }

  /** Reads the slug of the tour. Null: the map leaves its bookings out. */
  tour(): string | null | undefined {
    const given = this.text('tour');
    if (!given) return this.issue('tour', 'is missing');
    const { tours } = this.reading.map;
    if (Object.hasOwn(tours, given.text)) return tours[given.text]!;
    return isSlug(given.text) ? given.text : this.unknown('tour', given);
  }

  private unknown(kind: 'tour' | 'status', { column, text }: { column: string; text: string }): undefined {
    this.isFaulty = true;
    this.reading.issues.addUnknown(kind, text, this.source.places[0]!, column);
  }

  /** Reads the status. A status that the map leaves out is as cancelled. */
  status(): RowStatus | undefined {
    const given = this.text('status');
    if (!given) return 'confirmed';
    const mapped = this.mapped('status', given.text);
    if (mapped === null) return 'cancelled';
    const known = ROW_STATUSES.find((status) => status === (mapped ?? given.text));
    return known ?? this.unknown('status', given);
  }

  private mapped(
    field: 'status' | 'payment_method' | 'currency' | 'party',
    word: string,
  ): string | null | undefined {
    const words: Record<string, string | null> = this.reading.map.values[field] ?? {};
    return Object.hasOwn(words, word) ? words[word] : undefined;
  }

  currency(): string | null | undefined {
    const given = this.text('currency');
    if (!given) return null;
    const code = this.mapped('currency', given.text) ?? given.text;
    return isCurrencyCode(code)
      ? code
      : this.issue(given.column, 'must be an ISO 4217 code such as EUR, or be in values.currency of the map');
  }

  paymentMethod(): BookingPaymentMethod | null | undefined {
    const given = this.text('payment_method');
    if (!given) return null;
    const named = this.mapped('payment_method', given.text) ?? given.text;
    const known = BOOKING_PAYMENT_METHODS.find((method) => method === named);
    return (
      known ??
      this.issue(
        given.column,
        `must be ${BOOKING_PAYMENT_METHODS.join(', ')}, or be in values.payment_method of the map`,
      )
    );
  }

  amount(field: 'total' | 'deposit'): string | null | undefined {
    const given = this.text(field);
    if (!given) return null;
    const decimal = this.reading.map.formats.decimal ?? '.';
    const amount = readAmount(given.text, decimal);
    return (
      amount ??
      this.issue(given.column, `must be an amount without a currency; its decimal sign is ${decimal}`)
    );
  }

  /** Reads the date and the time of the departure. */
  departure(): { date: string | undefined; time: string | undefined } {
    const given = this.text('departure_date');
    if (!given) return { date: this.issue('departure_date', 'is missing'), time: undefined };
    const read = this.localTime(given.text);
    if (!read) {
      const rule =
        'must be a calendar date, YYYY-MM-DD, or have its form in formats.date or formats.datetime of the map';
      return { date: this.issue(given.column, rule), time: undefined };
    }
    const clock = this.text('departure_time');
    return { date: read.date, time: clock ? this.startTime(clock) : read.time };
  }

  private startTime({ column, text }: { column: string; text: string }): string | undefined {
    const time = this.reading.map.readTime?.(text)?.time ?? readStartTime(text);
    return time ?? this.issue(column, 'must be HH:MM, or have its form in formats.time of the map');
  }

  /** Reads a date, with or without a time: ISO, or by the forms of the map. Undefined: it has none of them, or there is no such date. */
  private localTime(text: string): (LocalTime & { date: string }) | undefined {
    const { readDate, readDateTime } = this.reading.map;
    const iso = /^(\d{4}-\d{2}-\d{2})(?:[T ](\d{2}:\d{2})(?::\d{2})?)?$/.exec(text);
    const read = iso ? { date: iso[1], time: iso[2] } : (readDateTime?.(text) ?? readDate?.(text));
    const date = read?.date;
    return date !== undefined && isCalendarDate(date) ? { date, time: read!.time } : undefined;
  }

  /** Reads an instant: RFC 3339, or a local time in the time zone of the map. */
  instant(field: 'payment_due_at' | 'created_at'): string | null | undefined {
    const given = this.text(field);
    if (!given) return null;
    const { column, text } = given;
    const exact = instantForm(text);
    if (exact.issue === undefined) return exact.value;
    const read = this.localTime(text);
    const rule = 'must be a time with its zone (RFC 3339), or have its form in formats.datetime of the map';
    return read ? this.instantInZone(column, read) : this.issue(column, rule);
  }

  private instantInZone(
    column: string,
    { date, time = '00:00' }: LocalTime & { date: string },
  ): string | undefined {
    const { instantsOf } = this.reading.map;
    if (!instantsOf) return this.issue(column, 'has no time zone: name it in formats.time_zone of the map');
    const [instant, other] = instantsOf(date, `${time}:00`);
    if (instant === undefined) return this.issue(column, 'is a time that does not exist in the time zone');
    if (other === undefined) return instant;
    return this.issue(column, 'is a time that comes twice in the time zone: write it with its offset');
  }

  /** Reads the party: the units of the rows of travellers, the columns of categories, and one text. */
  party(): Record<string, number> | undefined {
    const [columns, written] = [this.unitsOfColumns(), this.unitsOfText()];
    if (!columns || !written) return undefined;
    const column = columnOf('party', this.reading.map);
    const grouped = [...this.source.units].map(([code, units]) => ({ code, units, column }));
    return this.joined([...grouped, ...columns, ...written]);
  }

  /**
   * Returns the party of the named units. A category has one of them, as in a request: a row that names it twice is faulty, also with 0.
   * @rule a category that a row names twice: test/cli/booking-import-party.test.ts
   */
  private joined(named: NamedUnits[]): Record<string, number> | undefined {
    const columnOfCode = new Map<string, string>();
    for (const { code, column } of named) {
      const other = columnOfCode.get(code);
      if (other !== undefined)
        return this.issue(column, `must not come with ${other}, which names the category ${code} too`);
      columnOfCode.set(code, column);
    }
    const party = named.filter(({ units }) => units > 0).map(({ code, units }) => [code, units] as const);
    return party.length > 0
      ? Object.fromEntries(party)
      : this.issue('party', 'is missing: name adults, or party.<code>');
  }

  private unitsOfColumns(): NamedUnits[] | undefined {
    const named: NamedUnits[] = [];
    for (const [field, [cell]] of this.source.cells) {
      const code = codeOfField(field);
      if (code === undefined || !cell) continue;
      const units = readWholeNumber(String(cell.value));
      if (units === undefined || units > UNITS_MAX)
        return this.issue(cell.column, `must be a whole number from 0 to ${UNITS_MAX}`);
      named.push({ code, units, column: cell.column });
    }
    return named;
  }

  /** Reads the party of one text, or of a JSON object. Adds the units of its names that mean one category. */
  private unitsOfText(): NamedUnits[] | undefined {
    const cell = this.cell('party');
    if (!cell) return [];
    const { column, value } = cell;
    const read = typeof value === 'string' ? this.reading.map.readParty?.(value) : partyOfObject(value);
    const entries = [...(read ?? [])].map(([name, units]) => [this.codeOf(name), units] as const);
    const isKnown = entries.every(([code, units]) => code !== undefined && units >= 0 && units <= UNITS_MAX);
    if (!read || !isKnown)
      return this.issue(
        column,
        'must have the form of formats.party of the map, with categories of the tour or of values.party',
      );
    const sums = new Map<string, number>();
    for (const [code, units] of entries) sums.set(code!, (sums.get(code!) ?? 0) + units);
    return [...sums].map(([code, units]) => ({ code, units, column }));
  }

  private codeOf(name: string): string | undefined {
    return this.mapped('party', name) ?? [name.toLowerCase()].find(isCategoryCode);
  }

  travellers(): Traveller[] | null | undefined {
    const cell = this.cell('travellers');
    if (!cell) return null;
    const read = readTravellers(cell.value);
    return Array.isArray(read) ? read : this.issue(cell.column, read.issue);
  }
}

/** Returns the category of a column of units. */
function codeOfField(field: string): string | undefined {
  if (field === 'adults') return 'adult';
  if (field === 'children') return 'child';
  return field.startsWith('party.') ? field.slice('party.'.length) : undefined;
}

function partyOfObject(value: unknown): Map<string, number> | undefined {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined;
  const entries = Object.entries(value as Record<string, unknown>);
  const isValid = entries.every(([, units]) => Number.isInteger(units));
  return isValid ? new Map(entries as [string, number][]) : undefined;
}

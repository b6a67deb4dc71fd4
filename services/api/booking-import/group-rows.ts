import { isDeepStrictEqual } from 'node:util';
import { isCategoryCode } from '../../platform/forms/text-forms';
import { referenceForm } from '../../platform/forms/texts';
import type { SourceBooking } from './booking-row';
import type { ImportMap } from './import-map';
import { PackedList } from './packed-list';
import { addCell, type SourceRow } from './read-booking-file';
import type { RowIssues } from './row-issues';

/** A row as it is packed: its file, its line, and its cells with the numbers of their columns. */
type PackedRow = [file: string, line: number, cells: [column: number, value: unknown][]];

interface Column {
  field: string;
  column: string;
}

/** Returns a reference as its booking will have it, so that two spellings of it are one. A faulty one stays as it is. */
function sameReference(value: unknown): string {
  const { value: read, issue } = referenceForm(String(value).trim());
  return issue === undefined ? read : String(value);
}

/** Makes bookings of the rows of the files. Keeps only what a later row needs: the lines of the references, or the rows of travellers. */
export class SourceBookings {
  private readonly lineOf = new Map<string, number>();
  /** The numbers of the rows of travellers, by booking. */
  private readonly travellersOf = new Map<string | symbol, number[]>();
  private readonly travellers = new PackedList<PackedRow>();
  private readonly columns: Column[] = [];

  constructor(
    private readonly map: ImportMap,
    private readonly issues: RowIssues,
  ) {}

  /** Adds a row. Returns its booking; undefined: its reference is that of an earlier row, or `grouped` in the map joins it with others. */
  add(row: SourceRow): SourceBooking | undefined {
    const { file, line, cells } = row;
    const [reference] = cells.get('external_ref') ?? [];
    const key = reference && sameReference(reference.value);
    if (this.map.grouped) return this.keep(row, key);
    const known = key === undefined ? undefined : this.lineOf.get(key);
    if (known !== undefined)
      return this.issues.add(row, reference!.column, `is the reference of line ${known} too`);
    if (key !== undefined) this.lineOf.set(key, line);
    return { places: [{ file, line }], cells, units: new Map() };
  }

  private keep({ file, line, cells }: SourceRow, reference: string | undefined): undefined {
    const packed = [...cells].flatMap(([field, some]) =>
      some.map(({ column, value }): [number, unknown] => [this.numberOf({ field, column }), value]),
    );
    const number = this.travellers.add([file, line, packed]);
    const key = reference ?? Symbol('a row without a reference');
    const others = this.travellersOf.get(key);
    if (others) others.push(number);
    else this.travellersOf.set(key, [number]);
  }

  /** Returns the number of a column. A file has few. */
  private numberOf({ field, column }: Column): number {
    const known = this.columns.findIndex((one) => one.column === column && one.field === field);
    return known >= 0 ? known : this.columns.push({ field, column }) - 1;
  }

  private unpack([file, line, packed]: PackedRow): SourceRow {
    const cells: SourceRow['cells'] = new Map();
    for (const [number, value] of packed) {
      const { field, column } = this.columns[number]!;
      addCell(cells, field, { column, value });
    }
    return { file, line, cells };
  }

  /** Yields the bookings of `grouped` rows, in the order of their first rows. */
  *takeGrouped(): Generator<SourceBooking> {
    for (const numbers of this.travellersOf.values()) {
      const booking: SourceBooking = { places: [], cells: new Map(), units: new Map() };
      for (const number of numbers) {
        const row = this.unpack(this.travellers.get(number));
        booking.places.push({ file: row.file, line: row.line });
        this.addTraveller(booking, row);
      }
      yield booking;
    }
  }

  /** Adds the row of a traveller. The other fields of the rows of a booking must be equal, or empty. */
  private addTraveller(booking: SourceBooking, row: SourceRow): void {
    for (const [field, cells] of row.cells) {
      if (field === 'party') {
        this.addUnit(booking, row);
        continue;
      }
      const before = booking.cells.get(field);
      if (!before) booking.cells.set(field, cells);
      else if (!isDeepStrictEqual(before, cells))
        this.issues.add(row, cells[0]!.column, `must be as in line ${booking.places[0]!.line}, or empty`);
    }
  }

  private addUnit({ units }: SourceBooking, row: SourceRow): void {
    const [{ column, value }] = row.cells.get('party') as [{ column: string; value: unknown }];
    const name = String(value);
    const words = this.map.values.party ?? {};
    const code = Object.hasOwn(words, name) ? words[name]! : name.toLowerCase();
    if (isCategoryCode(code)) units.set(code, (units.get(code) ?? 0) + 1);
    else this.issues.add(row, column, 'must be a category of the tour, or be in values.party of the map');
  }
}

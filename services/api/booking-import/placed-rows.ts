import { compareTexts } from './booking-import-report';
import type { BookingRow } from './booking-row';
import { PackedList } from './packed-list';
import type { PlacedRow } from './sale-of-row';

/** The most changes of one statement. All rows of a departure are in one. */
const ROWS_A_STATEMENT = 250;

/** A placed row in a list. */
export interface NumberedRow extends PlacedRow {
  number: number;
}

type Place = Omit<NumberedRow, 'row'>;

/** The rows that become bookings. Only those that are asked for are unpacked. */
export class PlacedRows {
  private readonly rows = new PackedList<BookingRow>();
  private places: Place[] = [];

  get size(): number {
    return this.places.length;
  }

  get departureIds(): string[] {
    return [...new Set(this.places.flatMap(({ choice }) => choice.departureId ?? []))];
  }

  add({ row, tour, choice }: PlacedRow): void {
    this.places.push({ number: this.rows.add(row), tour, choice });
  }

  /** Drops all other rows. */
  keep(numbers: ReadonlySet<number>): void {
    this.places = this.places.filter(({ number }) => numbers.has(number));
  }

  /** Yields the references of some rows at a time. */
  *references(): Generator<string[]> {
    for (let at = 0; at < this.size; at += ROWS_A_STATEMENT)
      yield this.places.slice(at, at + ROWS_A_STATEMENT).map((place) => this.unpack(place).row.importRef);
  }

  /** Yields the rows for one statement at a time, by departure. The rows of one departure are yielded together. */
  *byDeparture(): Generator<NumberedRow[]> {
    const keyOf = ({ choice }: Place) => choice.departureId ?? '';
    this.places.sort((a, b) => compareTexts(keyOf(a), keyOf(b)) || a.number - b.number);
    for (let begin = 0, end = 0; begin < this.size; begin = end) {
      const isNext = () => keyOf(this.places[end]!) !== keyOf(this.places[end - 1]!);
      do end++;
      while (end < this.size && (end - begin < ROWS_A_STATEMENT || !isNext()));
      yield this.places.slice(begin, end).map((place) => this.unpack(place));
    }
  }

  private unpack(place: Place): NumberedRow {
    return { ...place, row: this.rows.get(place.number) };
  }
}

import type { Db } from '../../platform/database';
import type { Departure } from './departure';
import { findDepartureWithHorizon, findTourHorizon } from './departure-sales.repository';

/** The departure of one date, the same for every tenant of a kind; undefined when the tour has none. */
export interface SeatFacts {
  departure: Departure | undefined;
  asOf: Date;
}

/** Loaded seat facts and their validity. */
export interface SeatEntry {
  /** The tour's revision, read in the same statement. */
  revision: number;
  facts: SeatFacts;
  /** Counted from the start of the load. */
  freshMs: number;
  ttlMs: number;
}

export type StoredSeatEntry = Omit<SeatEntry, 'ttlMs'>;

const FRESH_MS = 10_000;
const STALE_MS = 60_000;
const ABSENT_FRESH_MS = 5_000;
/** Limits the age of a list of departures, which has no `as_of`, when a process ends between COMMIT and the invalidation. */
const TOUR_FRESH_MS = 2_000;

/**
 * Loads the entry of a date, or of all dates of the tour (null), which has no departure. It never outlives the first expiry or
 * closing time that it counted, by the database's clock.
 */
export async function loadSeatFacts(
  db: Db,
  { tourId, date, sandbox }: { tourId: string; date: string | null; sandbox: boolean },
): Promise<SeatEntry> {
  const { departure, revision, asOf, countedUntil } =
    date === null
      ? await findTourHorizon(db, tourId, sandbox)
      : await findDepartureWithHorizon(db, tourId, date, sandbox);
  const horizonMs = countedUntil ? countedUntil.getTime() - asOf.getTime() : Infinity;
  const [freshMs, ttlMs] =
    date === null
      ? [TOUR_FRESH_MS, TOUR_FRESH_MS]
      : [departure ? FRESH_MS : ABSENT_FRESH_MS, FRESH_MS + STALE_MS];
  const facts = { departure, asOf };
  return { revision, facts, freshMs: Math.min(freshMs, horizonMs), ttlMs: Math.min(ttlMs, horizonMs) };
}

export function writeEntry({ revision, facts, freshMs }: SeatEntry): string {
  return JSON.stringify({ revision, facts, freshMs });
}

/** Parses an entry. @returns undefined for any other text, because a store may hold anything */
export function readEntry(text: string): StoredSeatEntry | undefined {
  try {
    const { revision, facts, freshMs } = JSON.parse(text) as SeatEntry;
    const asOf = readDate(facts.asOf);
    if (!Number.isInteger(revision) || typeof freshMs !== 'number') return undefined;
    return { revision, freshMs, facts: { asOf, departure: readDeparture(facts.departure) } };
  } catch {
    return undefined;
  }
}

function readDeparture(departure: Departure | undefined): Departure | undefined {
  if (departure === undefined) return undefined;
  const { seatsTotal, seatsTaken, prices, tour } = departure;
  const numbers = [seatsTotal, seatsTaken, prices.adult, tour.currencyDigits];
  if (!numbers.every(Number.isInteger) || typeof tour.currency !== 'string')
    throw new TypeError('not a departure');
  return { ...departure, asOf: readDate(departure.asOf) };
}

function readDate(written: unknown): Date {
  const date = new Date(written as string);
  if (Number.isNaN(date.getTime())) throw new TypeError('not a time');
  return date;
}

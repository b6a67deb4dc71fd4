import type { Departure } from './departure';

/** What the cache knows of a date: facts that are the same for every tenant, or that there is no departure. */
export interface SeatFacts {
  departure: Departure | undefined;
  asOf: Date;
}

/** Seat facts as they were loaded, and how long they may be told. */
export interface SeatEntry {
  /** The tour's, under which they were loaded. */
  revision: number;
  facts: SeatFacts;
  /** From the beginning of the load on. */
  freshMs: number;
  ttlMs: number;
}

export function writeEntry({ revision, facts, freshMs }: SeatEntry): string {
  return JSON.stringify({ revision, facts, freshMs });
}

/** @returns undefined for whatever writeEntry has not written: a store may hold anything */
export function readEntry(text: string): Omit<SeatEntry, 'ttlMs'> | undefined {
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
  const { seatsTotal, seatsTaken, prices } = departure;
  if (![seatsTotal, seatsTaken, prices.adult].every(Number.isInteger)) throw new TypeError('not a departure');
  return { ...departure, asOf: readDate(departure.asOf) };
}

function readDate(written: unknown): Date {
  const date = new Date(written as string);
  if (Number.isNaN(date.getTime())) throw new TypeError('not a time');
  return date;
}

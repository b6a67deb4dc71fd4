import type { Db } from '../../platform/database';
import { findDepartureWithHorizon } from './departure.repository';
import type { SeatEntry } from './seat-facts';

const FRESH_MS = 10_000;
const STALE_MS = 60_000;
const ABSENT_FRESH_MS = 5_000;

/** Never past the first instant at which something that was counted ends; how far away that is, the database says. */
export async function loadSeatFacts(
  db: Db,
  tourId: string,
  date: string,
  revision: number,
): Promise<SeatEntry> {
  const { departure, asOf, countedUntil } = await findDepartureWithHorizon(db, tourId, date);
  const horizonMs = countedUntil ? countedUntil.getTime() - asOf.getTime() : Infinity;
  return {
    revision,
    facts: { departure, asOf },
    freshMs: Math.min(departure ? FRESH_MS : ABSENT_FRESH_MS, horizonMs),
    ttlMs: Math.min(FRESH_MS + STALE_MS, horizonMs),
  };
}

import type { Db } from '../../platform/database';
import { AppError } from '../../platform/errors';
import type { CachedReads } from '../../platform/read-cache/read-cache';
import type { PricedTour } from '../pricing/price-categories';
import { cachedQuote, cachedQuoter, createQuoter, type Quote } from '../pricing/quote-tenant-price';
import type { Tenant } from '../tenants/tenant';
import type { SeatFacts } from './availability-cache';
import {
  type Departure,
  departureStatus,
  type DepartureStatus,
  type ListedDeparture,
  seatsAvailable,
} from './departure';
import {
  type DepartureRange,
  findDepartureId,
  findDepartureIds,
  findDepartures,
} from './departure.repository';
import { LRUCache } from 'lru-cache';

export interface PricedDeparture {
  departure: ListedDeparture;
  quote: Quote;
}

/** Returns one page of a tour's departures by date, with the tenant's prices; `lastDate` starts the next page, null ends it. */
export async function listDepartures(
  reads: CachedReads,
  tenant: Tenant,
  tour: { id: string },
  page: Omit<DepartureRange, 'sandbox'>,
): Promise<{ items: PricedDeparture[]; lastDate: string | null }> {
  const found = await findDepartures(reads.db, tour.id, {
    ...page,
    sandbox: tenant.sandbox,
    limit: page.limit + 1,
  });
  const departures = found.slice(0, page.limit);
  const quote = await cachedQuoter(reads, tenant, tour);
  const items = departures.map((departure) => ({
    departure,
    quote: quote(departure.tour, departure.prices, departure.departureDate),
  }));
  return { items, lastDate: found.length > page.limit ? departures.at(-1)!.departureDate : null };
}

/** Returns the departures of holds and bookings, also cancelled and past ones, with the tenant's prices of today. */
export async function departuresOfSales(db: Db, tenant: Tenant, ids: string[]): Promise<PricedDeparture[]> {
  const found = await findDepartures(db, null, { ids, sandbox: tenant.sandbox, limit: ids.length });
  const tours = new Set(found.map(({ tour }) => tour.id));
  const quote = await createQuoter(db, tenant, [...tours]);
  return found.map((departure) => ({
    departure,
    quote: quote(departure.tour, departure.prices, departure.departureDate),
  }));
}

/** The tour of a departure that a command shows or changes. */
export interface TourOfDeparture {
  id: string;
  slug: string;
}

/** Only the terminal shows this error; departure.errors.ts has those of HTTP. */
export class DepartureNotFoundError extends AppError {
  readonly code = 'departure_not_found';

  constructor(tourSlug: string, date: string) {
    super(`${tourSlug} has no departure on ${date}`);
  }
}

/**
 * Returns one departure with its real seats, also a cancelled or past one.
 * @param date YYYY-MM-DD
 * @throws DepartureNotFoundError
 */
export async function findTourDeparture(db: Db, tour: TourOfDeparture, date: string): Promise<Departure> {
  const [departure] = await findDepartures(db, tour.id, { sandbox: false, from: date, to: date, limit: 1 });
  if (!departure) throw new DepartureNotFoundError(tour.slug, date);
  return departure;
}

export interface Availability {
  status: DepartureStatus;
  seatsAvailable: number;
  /** The tour as read with the departure's prices; without a departure, the given tour. */
  tour: PricedTour;
  /** Undefined without a departure. */
  quote: Quote | undefined;
}

/**
 * Returns the free seats of a date and the tenant's price now. The seats may come from the cache. The caller has checked that
 * the tenant sees the tour.
 */
export async function checkAvailability(
  reads: CachedReads,
  tenant: Tenant,
  tour: PricedTour,
  { departure }: SeatFacts,
  date: string,
): Promise<Availability> {
  if (!departure) return { status: 'gone', seatsAvailable: 0, tour, quote: undefined };
  return {
    status: departureStatus(departure),
    seatsAvailable: seatsAvailable(departure),
    tour: departure.tour,
    quote: await cachedQuote(reads, tenant, departure.tour, departure.prices, date),
  };
}

export { findDepartureId };

const IDS_MAX = 200_000;
const TTL_MS = 60_000;

/**
 * Finds the departures that requests name by date. Keeps the ids of a tour's upcoming departures for one revision of the tour: each import,
 * and each new departure, revises it.
 */
export class DepartureIds {
  private readonly known: LRUCache<string, Map<string, string>, { id: string }>;

  constructor(private readonly db: Db) {
    this.known = new LRUCache({
      maxSize: IDS_MAX,
      // After a restore, a revision may name other departures.
      ttl: TTL_MS,
      sizeCalculation: (ids) => ids.size + 1,
      fetchMethod: (_key, _stale, { context }) => findDepartureIds(db, context.id),
    });
  }

  /**
   * Returns the id of the tour's departure on the date. Asks the database for a date that is not known, because the revision may be up to a second old.
   * @param date YYYY-MM-DD
   * @returns null when the tour has no departure on the date
   */
  async find(tour: { id: string; revision: number }, date: string): Promise<string | null> {
    const ids = await this.known.fetch(`${tour.id} ${tour.revision}`, { context: tour });
    return ids?.get(date) ?? findDepartureId(this.db, tour.id, date);
  }
}

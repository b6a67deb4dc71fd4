import type { CachedReads } from '../../platform/read-cache/read-cache';
import { cachedQuote, type Quote } from '../pricing/quote-tenant-price';
import type { PricedTour } from '../pricing/prices';
import type { Tenant } from '../tenants/tenant';
import type { AvailabilityCache, CachedSeatFacts } from './availability-cache';
import { type DepartureStatus, departureStatus, seatsAvailable } from './departure';

interface AvailableTour extends PricedTour {
  revision: number;
}

export interface Availability {
  facts: CachedSeatFacts;
  status: DepartureStatus;
  seatsAvailable: number;
  /** The tour as read with the departure's prices; without a departure, the given tour. */
  tour: PricedTour;
  /** Undefined without a departure. */
  quote: Quote | undefined;
}

/**
 * Returns the free seats of a date and the tenant's price. The seats may come from the cache; the price is quoted now. The
 * caller has checked that the tenant sees the tour.
 */
export async function checkAvailability(
  reads: CachedReads,
  cache: AvailabilityCache,
  tenant: Tenant,
  tour: AvailableTour,
  date: string,
): Promise<Availability> {
  const facts = await cache.get(tour.id, date, tour.revision);
  const { departure } = facts;
  if (!departure) return { facts, status: 'gone', seatsAvailable: 0, tour, quote: undefined };
  return {
    facts,
    status: departureStatus(departure),
    seatsAvailable: seatsAvailable(departure),
    tour: departure.tour,
    quote: await cachedQuote(reads, tenant, departure.tour, departure.prices, date),
  };
}

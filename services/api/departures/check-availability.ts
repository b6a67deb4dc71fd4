import type { CachedReads } from '../../platform/read-cache/read-cache';
import { cachedQuote, type Quote } from '../pricing/quote-tenant-price';
import type { PricedTour } from '../pricing/prices';
import type { Tenant } from '../tenants/tenant';
import type { SeatFacts } from './cached-seats';
import { departureStatus, type DepartureStatus, seatsAvailable } from './departure';

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

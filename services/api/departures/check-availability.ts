import type { LeasedReads } from '../../platform/change-lease/leased-cache';
import type { Quote } from '../pricing/quote-tenant-price';
import { recallQuote } from '../pricing/recall-quote';
import type { Tenant } from '../tenants/tenant';
import type { AvailabilityCache, CachedSeatFacts } from './availability-cache';
import { type DepartureStatus, departureStatus, seatsAvailable } from './departure';

interface AvailableTour {
  id: string;
  continent: string;
  currency: string;
  currencyDigits: number;
  revision: number;
}

export interface Availability {
  facts: CachedSeatFacts;
  status: DepartureStatus;
  seatsAvailable: number;
  /** Undefined where there is no departure. */
  quote: Quote | undefined;
}

/**
 * Are there seats on this date? The facts may come from the cache; visibility was judged by whoever found the tour, and the
 * tenant's price is made now.
 */
export async function checkAvailability(
  reads: LeasedReads,
  cache: AvailabilityCache,
  tenant: Tenant,
  tour: AvailableTour,
  date: string,
): Promise<Availability> {
  const facts = await cache.get(tour.id, date, tour.revision);
  const { departure } = facts;
  if (!departure) return { facts, status: 'gone', seatsAvailable: 0, quote: undefined };
  return {
    facts,
    status: departureStatus(departure),
    seatsAvailable: seatsAvailable(departure),
    quote: await recallQuote(reads, tenant, tour, departure.prices, date),
  };
}

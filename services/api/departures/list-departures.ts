import type { LeasedReads } from '../../platform/change-lease/leased-cache';
import type { Quote } from '../pricing/quote-tenant-price';
import { recallQuoter } from '../pricing/recall-quote';
import type { PricedTour } from '../pricing/prices';
import type { Tenant } from '../tenants/tenant';
import type { Departure } from './departure';
import { type DeparturePage, findDepartures } from './departure.repository';

export interface PricedDeparture {
  departure: Departure;
  quote: Quote;
}

/** One page of a tour's departures by date, with the tenant's prices; `lastDate` starts the next page, null ends the list. */
export async function listDepartures(
  reads: LeasedReads,
  tenant: Tenant,
  tour: PricedTour,
  page: DeparturePage,
): Promise<{ items: PricedDeparture[]; lastDate: string | null }> {
  const found = await findDepartures(reads.db, tour.id, { ...page, limit: page.limit + 1 });
  const departures = found.slice(0, page.limit);
  const quote = await recallQuoter(reads, tenant, tour);
  const items = departures.map((departure) => ({
    departure,
    quote: quote(tour, departure.prices, departure.departureDate),
  }));
  return { items, lastDate: found.length > page.limit ? departures.at(-1)!.departureDate : null };
}

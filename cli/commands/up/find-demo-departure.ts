import { listCatalog } from '../../../services/api/catalog/list-catalog';
import { getVisibleTour } from '../../../services/api/catalog/find-visible-tour';
import { departureStatus, seatsAvailable } from '../../../services/api/departures/departure';
import { listDepartures } from '../../../services/api/departures/list-departures';
import { findTenant } from '../../../services/api/tenants/find-tenant';
import type { Tenant } from '../../../services/api/tenants/tenant';
import { readAnew } from '../../../services/platform/change-lease/leased-cache';
import type { Db } from '../../../services/platform/database';
import { demoSlugs } from '../../../seeds/demo-catalog';

export interface DemoDeparture {
  tour: string;
  date: string;
}

const SEATS_FOR_THE_EXAMPLES = 4;
/** So that the examples still work when they are pasted tomorrow. */
const DAYS_AHEAD = 14;

/** A departure that the examples can hold and book: of the flagship, else of any tour that has one. */
export async function findDemoDeparture(db: Db, slug: string): Promise<DemoDeparture | undefined> {
  const tenant = await findTenant(db, slug);
  const { items } = await listCatalog(db, tenant, { limit: 100 });
  for (const tour of [demoSlugs.flagship, ...items.map((item) => item.tour.slug)]) {
    const date = await bookableDate(db, tenant, tour);
    if (date) return { tour, date };
  }
  return undefined;
}

async function bookableDate(db: Db, tenant: Tenant, slug: string): Promise<string | undefined> {
  const tour = await getVisibleTour(db, tenant, slug);
  const { items } = await listDepartures(readAnew(db), tenant, tour, { from: firstDay(), limit: 100 });
  const found = items.find(
    ({ departure }) =>
      departureStatus(departure) === 'available' && seatsAvailable(departure) >= SEATS_FOR_THE_EXAMPLES,
  );
  return found?.departure.departureDate;
}

function firstDay(): string {
  return new Date(Date.now() + DAYS_AHEAD * 86_400_000).toISOString().slice(0, 10);
}

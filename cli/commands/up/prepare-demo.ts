import { listCatalog } from '../../../services/api/catalog/list-catalog';
import type { ListedTour } from '../../../services/api/catalog/tour';
import { demoSlugs } from '../../../services/api/demo/demo-catalog';
import { findUsableDemo, type UsableDemo } from '../../../services/api/demo/plant-demo';
import { departureStatus, seatsAvailable } from '../../../services/api/departures/departure';
import { listDepartures } from '../../../services/api/departures/list-departures';
import type { Tenant } from '../../../services/api/tenants/tenant';
import type { Db } from '../../../services/platform/database';
import { uncachedReads } from '../../../services/platform/read-cache/read-cache';
import type { Context } from '../../engine/context';
import { describeError, isDatabaseLost } from '../../engine/failure';
import { CancelledError } from '../../terminal/io';
import { plantDemoFor, readDemoFile } from '../seed/plant-demo';

/** Parts of the demo that are still usable for the welcome text. */
export interface Demo extends UsableDemo {
  departure: DemoDeparture | undefined;
}

/** Plants or extends the demo and finds its usable parts. A failed extension does not stop the start. */
export async function prepareDemo(context: Context): Promise<Demo | undefined> {
  const { config, db, output, secrets } = context;
  try {
    await plantDemoFor(context);
  } catch (error) {
    if (error instanceof CancelledError || isDatabaseLost(error)) throw error;
    output.warn(`The demo stays as it is: ${describeError(error).message}`);
  }
  const kept = readDemoFile(config.dataDir);
  if (!kept) return undefined;
  const { keyPepper } = await secrets('keyPepper');
  const usable = await findUsableDemo(db, keyPepper, kept);
  const departure = usable.tenant && (await findDemoDeparture(db, usable.tenant));
  return { ...usable, departure };
}

export interface DemoDeparture {
  tour: string;
  date: string;
}

const SEATS_FOR_THE_EXAMPLES = 4;
/** Days ahead, so that the examples still work tomorrow. */
const DAYS_AHEAD = 14;

/** Finds a bookable departure for the examples: of the flagship tour if the tenant sees it, else of any tour. */
export async function findDemoDeparture(db: Db, tenant: Tenant): Promise<DemoDeparture | undefined> {
  const { items } = await listCatalog(db, tenant, { limit: 100 });
  const tours = items.map((item) => item.tour);
  const isFlagship = ({ slug }: ListedTour) => slug === demoSlugs.flagship;
  for (const tour of [...tours.filter(isFlagship), ...tours]) {
    const date = await bookableDate(db, tenant, tour);
    if (date) return { tour: tour.slug, date };
  }
  return undefined;
}

async function bookableDate(db: Db, tenant: Tenant, tour: ListedTour): Promise<string | undefined> {
  const { items } = await listDepartures(uncachedReads(db), tenant, tour, { from: firstDay(), limit: 100 });
  const found = items.find(
    ({ departure }) =>
      departureStatus(departure) === 'available' && seatsAvailable(departure) >= SEATS_FOR_THE_EXAMPLES,
  );
  return found?.departure.departureDate;
}

function firstDay(): string {
  return new Date(Date.now() + DAYS_AHEAD * 86_400_000).toISOString().slice(0, 10);
}

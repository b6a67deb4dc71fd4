import type { Trx } from '../../platform/database';
import { getVisibleTour } from '../catalog/find-tour';
import { TourNotFoundError } from '../catalog/catalog.errors';
import type { Departure } from '../departures/departure';
import { readDepartures } from '../departures/reserve-seats';
import { findRulesByTenant } from '../pricing/quote-tenant-price';
import type { Tenant } from '../tenants/tenant';
import { countedKey, type DepartureFacts, type SaleFacts, sellerKey } from './sale-facts';
import type { Sale } from './sale';
import { findHoldsToConsume, findSellers } from './sale-facts.repository';
import type { TenantCounter } from './tenant-counter';

export interface ReadFacts {
  facts: SaleFacts;
  /** The database's clock reading at which seats were counted, with microseconds. */
  at: string;
  transactionId: string;
}

/**
 * Reads what the sales depend on, in a constant number of statements, after the locks of their departures and API keys.
 */
export async function readSaleFacts(
  trx: Trx,
  sales: Sale[],
  departureIds: string[],
  assertKeyServes: SaleFacts['assertKeyServes'],
  counter: TenantCounter,
): Promise<ReadFacts> {
  const kinds = [...new Set(sales.map(({ tenant }) => tenant.sandbox))];
  const { departures, at, transactionId } = await readDepartures(trx, departureIds, kinds);
  const byKey = mapByKey(departures);
  const placed = sales.flatMap((sale) => {
    const { departureDate, tour, tenant } = sale;
    const departure =
      departureDate && byKey.get(countedKey({ tourId: tour.id, departureDate, sandbox: tenant.sandbox }));
    return departure ? [{ sale, departureId: departure.id }] : [];
  });
  // The tenant's share may have changed between two requests. The last one of a seller remains, so the limited ones are last.
  const wanted = placed.map(toSeller).sort((a, b) => Number(a.limited) - Number(b.limited));
  return {
    at,
    transactionId,
    facts: {
      departures: byKey,
      ...(await readSellers(trx, distinct(wanted, sellerOf), at)),
      ...(await counter.count(trx, sales, at)),
      priceRules: await findRulesByTenant(
        trx,
        unique(sales.map(({ tenant }) => tenant.id)),
        unique(sales.map(({ tour }) => tour.id)),
      ),
      holds: await readHolds(trx, placed, at),
      undatedTours: await readUndatedTours(trx, sales),
      assertKeyServes,
    },
  };
}

/**
 * Reads what the change of a hold or booking depends on, in a constant number of statements, after the locks of the departure that it
 * leaves and of the one that it goes to.
 */
export async function readChangeFacts(
  trx: Trx,
  tenant: Tenant,
  departureIds: string[],
): Promise<DepartureFacts> {
  const { departures, at } = await readDepartures(trx, departureIds, [tenant.sandbox]);
  const wanted = departureIds.map((departureId) => ({
    ...{ tenantId: tenant.id, departureId, limited: isLimited(tenant) },
  }));
  const tours = unique(departures.map(({ tour }) => tour.id));
  return {
    departures: mapByKey(departures),
    ...(await readSellers(trx, wanted, at)),
    priceRules: await findRulesByTenant(trx, [tenant.id], tours),
  };
}

function mapByKey(departures: Departure[]): DepartureFacts['departures'] {
  return new Map(
    departures.map((one) => {
      const { tour, departureDate, sandbox } = one;
      return [countedKey({ tourId: tour.id, departureDate, sandbox }), one];
    }),
  );
}

async function readSellers(
  trx: Trx,
  wanted: Parameters<typeof findSellers>[1],
  at: string,
): Promise<Pick<DepartureFacts, 'visible' | 'unpaidSeats'>> {
  const sellers = await findSellers(trx, wanted, at);
  return {
    visible: new Set(sellers.filter(({ visible }) => visible).map(sellerOf)),
    unpaidSeats: new Map(sellers.map((seller) => [sellerOf(seller), seller.unpaidSeats ?? 0])),
  };
}

interface Placed {
  sale: Sale;
  departureId: string;
}

function toSeller({ sale: { tenant }, departureId }: Placed) {
  return { tenantId: tenant.id, departureId, limited: isLimited(tenant) };
}

/** A tenant that may keep all seats of a departure is limited by its free seats alone, so its own seats are not counted. */
function isLimited({ maxHoldShare }: Tenant): boolean {
  return maxHoldShare < 100;
}

function sellerOf({ tenantId, departureId }: { tenantId: string; departureId: string }): string {
  return sellerKey(tenantId, departureId);
}

async function readHolds(trx: Trx, placed: Placed[], at: string): Promise<SaleFacts['holds']> {
  const ids: string[] = [];
  const references = [];
  for (const { sale, departureId } of placed) {
    if (sale.kind !== 'booking') continue;
    const { holdId, externalRef, tenant } = sale;
    if (holdId !== null) ids.push(holdId);
    else if (externalRef) references.push({ tenantId: tenant.id, departureId, externalRef });
  }
  return ids.length + references.length > 0 ? findHoldsToConsume(trx, ids, references, at) : [];
}

/** Reads the tours of bookings without a date again, because the request may have waited for its key. */
async function readUndatedTours(trx: Trx, sales: Sale[]): Promise<SaleFacts['undatedTours']> {
  const tours: SaleFacts['undatedTours'] = new Map();
  for (const { tenant, tour, departureDate } of sales) {
    if (departureDate !== null) continue;
    const found = await getVisibleTour(trx, tenant, tour.id).catch(ignoreInvisible);
    if (found) tours.set(sellerKey(tenant.id, tour.id), found);
  }
  return tours;
}

function ignoreInvisible(error: unknown): undefined {
  if (!(error instanceof TourNotFoundError)) throw error;
}

function unique(values: string[]): string[] {
  return [...new Set(values)];
}

function distinct<T>(values: T[], key: (value: T) => string): T[] {
  return [...new Map(values.map((value) => [key(value), value])).values()];
}

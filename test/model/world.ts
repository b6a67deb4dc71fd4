import { randomUUID } from 'node:crypto';
import { importCatalog } from '../../services/api/catalog-import/import-catalog';
import { ImportRunningError } from '../../services/api/catalog-import/import.errors';
import { issueApiKey } from '../../services/api/credentials/manage-credentials';
import { SCOPES } from '../../services/api/credentials/credential';
import type { Tenant } from '../../services/api/tenants/tenant';
import { type Db, inTransaction } from '../../services/platform/database';
import { awaitInstances } from '../../services/platform/read-cache/instance.repository';
import { EVENT_TYPES } from '../../services/webhook-queue/deliveries/delivery';
import { departureEntry, tourEntry } from '../catalog/catalog-files';
import { daysFromToday, givenPriceRule, givenTenant, PEPPER, unique } from '../support/given';
import type { Schedule } from './schedule';

/** Each version of the tour has its own currency, and prices that no other version has. Amounts are in major units. */
const CURRENCIES = ['EUR', 'JPY', 'USD', 'GBP', 'CHF', 'SEK', 'NOK', 'CAD'];
export const TOUR_VERSIONS = CURRENCIES.map((currency, n) => ({
  currency,
  base: 100 + 10 * n,
  adult: 200 + 10 * n,
  child: 300 + 10 * n,
}));

export interface Key {
  id: string;
  token: string;
}

export interface Seller {
  tenant: Tenant;
  /** Multiplies the prices of the platform. */
  markup: number;
  keys: Key[];
  /** Is never revoked. */
  reader: Key;
}

/** The catalog and the tenants of one run. */
export interface World {
  sellers: Seller[];
  tour: { id: string; slug: string };
  departures: { id: string; date: string }[];
  /** The last version of the tour that was imported. */
  version: number;
  /** Writes a version of the tour and of its departures, as an import of a catalog file does. */
  import(version: number): Promise<void>;
}

export async function givenWorld(db: Db, { seats }: Schedule): Promise<World> {
  const slug = unique('tour');
  const dates = [daysFromToday(30), daysFromToday(31)];
  const write = (version: number) => importVersion(db, slug, dates, seats, version);
  await importFirst(write);
  const [id] = await db('tours').where({ slug }).pluck('id');
  const tour = { id: id as string, slug };
  const departures = await db('departures').where({ tour_id: tour.id }).orderBy('departure_date').pluck('id');
  const sellers = [
    await givenSeller(db, 1, false),
    await givenSeller(db, 1.1, false),
    await givenSeller(db, 1, true),
  ];
  await awaitInstances(db);
  return {
    sellers,
    tour,
    departures: dates.map((date, n) => ({ date, id: departures[n] as string })),
    version: 0,
    import: write,
  };
}

/** Waits for the imports of other runs, because one runs at a time. */
async function importFirst(write: World['import']): Promise<void> {
  return write(0).catch((error: unknown) => {
    if (error instanceof ImportRunningError) return importFirst(write);
    throw error;
  });
}

async function importVersion(db: Db, slug: string, dates: string[], seats: number, version: number) {
  const { currency, base, adult, child } = TOUR_VERSIONS[version]!;
  const departures = dates.map((date) =>
    departureEntry({ departure_date: date, seats_total: seats, prices: { adult, child } }),
  );
  const value = tourEntry({ slug, name: slug, time_zone: 'UTC', currency, base_price: base, departures });
  const records = [{ place: { file: 'model.json', index: 0 }, value }];
  await inTransaction(db, (trx) => importCatalog(trx, records, { prune: false }));
}

/** Creates a tenant with three keys, and an endpoint that asks for all events. No worker delivers them. */
async function givenSeller(db: Db, markup: number, sandbox: boolean): Promise<Seller> {
  const tenant = await givenTenant(db, { sandbox });
  if (markup !== 1) await givenPriceRule(db, { tenant }, { percent: Math.round((markup - 1) * 100) });
  await db('webhook_endpoints').insert({
    id: randomUUID(),
    tenant_id: tenant.id,
    url: 'https://hooks.example/model',
    events: [...EVENT_TYPES],
  });
  const issue = async () => {
    const issued = await inTransaction(db, (trx) =>
      issueApiKey(trx, PEPPER, tenant, { scopes: [...SCOPES] }),
    );
    return { id: issued.credential.id, token: issued.token };
  };
  return { tenant, markup, keys: [await issue(), await issue()], reader: await issue() };
}

import { randomUUID } from 'node:crypto';
import { importCatalog } from '../../services/api/catalog-import/import-catalog';
import { ImportRunningError } from '../../services/api/catalog-import/import.errors';
import { issueApiKey } from '../../services/api/credentials/manage-credentials';
import { SCOPES } from '../../services/api/credentials/credential';
import type { Tenant } from '../../services/api/tenants/tenant';
import { type Db, inTransaction } from '../../services/platform/database/database';
import { awaitInstances } from '../../services/platform/read-cache/instance.repository';
import { EVENT_TYPES } from '../../services/webhook-queue/deliveries/delivery';
import { departureEntry, tourEntry } from '../catalog/catalog-files';
import { daysFromToday, givenKey, givenPriceRule, givenTenant, PEPPER, unique } from '../support/given';
import { givenResource, givenTrip, type GivenUse } from '../support/given-resources';
import type { Boat, Schedule, Zone } from './schedule';

/**
 * The currency of each version of the tour. Each version also has its own prices, so that a price identifies a version. Amounts are
 * in major units.
 */
const CURRENCIES = ['EUR', 'JPY', 'USD', 'GBP', 'CHF', 'SEK', 'NOK', 'CAD'];
export const TOUR_VERSIONS = CURRENCIES.map((currency, n) => ({
  currency,
  base: 100 + 10 * n,
  adult: 200 + 10 * n,
  infant: 300 + 10 * n,
  family: 400 + 10 * n,
}));

/** The seats of one unit of each category. */
export const SEATS: Record<string, number> = { adult: 1, infant: 0, family: 4 };

const CATEGORIES = [
  { code: 'adult', kind: 'adult' },
  { code: 'infant', kind: 'infant', seats: 0, with: ['adult'] },
  { code: 'family', kind: 'family', seats: 4 },
];

export interface Key {
  id: string;
  token: string;
}

export interface Seller {
  tenant: Tenant;
  /** Multiplies the prices of the platform. */
  markup: number;
  keys: Key[];
  /** A key for reading that is never revoked. */
  reader: Key;
}

export interface PlannedDeparture {
  id: string;
  date: string;
  /** The start time of the departure, or else the start time of the tour. Null if neither has one. */
  time: string | null;
  /** Of its zone from UTC, such as +07:00. Undefined: UTC. */
  offset?: string;
}

/** A departure of another tour in another zone that uses the boat, and the only tenant that sells it. The tenant makes the first sales, too. */
export interface Beside {
  slug: string;
  departure: PlannedDeparture;
  tenantId: string;
  token: string;
}

/** The catalog and the tenants of one run. */
export interface World {
  sellers: Seller[];
  tour: { id: string; slug: string };
  /** Two departures of one date, and one of the next date. */
  departures: PlannedDeparture[];
  boat: Boat | null;
  /** Null: there is no boat. */
  beside: Beside | null;
  /** The last version of the tour that was imported. */
  version: number;
  /** Writes a version of the tour and of its departures, as an import of a catalog file does. */
  import(version: number): Promise<void>;
}

export async function givenWorld(db: Db, schedule: Schedule): Promise<World> {
  const slug = unique('tour');
  const { boat } = schedule;
  const uses = boat && [
    {
      resource: await givenResource(db, { places: boat.places, turnaround: boat.time[1] }),
      minutes: boat.time[0],
      shared: boat.shared,
    },
  ];
  const write = (version: number) => importVersion(db, slug, { ...schedule, uses }, version);
  await importFirst(write);
  const [id] = await db('tours').where({ slug }).pluck('id');
  const tour = { id: id as string, slug };
  const departures = await db('departures')
    .where({ tour_id: tour.id })
    .select<PlannedDeparture[]>('id', 'departure_date as date', 'start_time as time')
    .orderBy(['departure_date', 'start_time']);
  const sellers = [
    await givenSeller(db, 1, false),
    await givenSeller(db, 1.1, false),
    await givenSeller(db, 1, true),
  ];
  const beside = boat && (await givenBeside(db, boat, uses!, departures[0]!));
  await awaitInstances(db);
  return {
    sellers,
    tour,
    departures: departures.map(({ id, date, time }) => ({ id, date, time: time ?? schedule.startTime })),
    boat,
    beside,
    version: 0,
    import: write,
  };
}

const OFFSETS: Record<Zone, { hours: number; offset: string }> = {
  'Asia/Ho_Chi_Minh': { hours: 7, offset: '+07:00' },
  'America/Bogota': { hours: -5, offset: '-05:00' },
};

/** @param first the departure from whose start the boat counts the minutes */
async function givenBeside(
  db: Db,
  { beside: minutes, zone }: Boat,
  uses: GivenUse[],
  first: PlannedDeparture,
): Promise<Beside> {
  const { hours, offset } = OFFSETS[zone];
  const start = Date.parse(`${first.date}T${first.time}Z`) + (minutes + hours * 60) * 60_000;
  const [date, time] = new Date(start).toISOString().slice(0, 16).split('T') as [string, string];
  const trip = await givenTrip(db, uses, { startTime: time, date, seats: 40, timeZone: zone });
  const tenant = await givenTenant(db, { maxHoldShare: 100 });
  return {
    slug: trip.tour.slug,
    departure: { id: trip.id, date, time, offset },
    tenantId: tenant.id,
    token: await givenKey(db, tenant),
  };
}

/** Waits until no other run imports, because only one import can run at a time. */
async function importFirst(write: World['import']): Promise<void> {
  return write(0).catch((error: unknown) => {
    if (error instanceof ImportRunningError) return importFirst(write);
    throw error;
  });
}

/** Days from today, and the departure's own time. */
const DEPARTURES = [{ days: 30, start_time: '09:30' }, { days: 30, start_time: '14:30' }, { days: 31 }];

async function importVersion(
  db: Db,
  slug: string,
  { seats, startTime, uses }: Schedule & { uses: object[] | null },
  version: number,
) {
  const { currency, base, adult, infant, family } = TOUR_VERSIONS[version]!;
  const departures = DEPARTURES.map(({ days, start_time }) =>
    departureEntry({
      departure_date: daysFromToday(days),
      start_time,
      seats_total: seats,
      prices: { adult, infant, family },
    }),
  );
  const value = tourEntry({
    slug,
    name: slug,
    time_zone: 'UTC',
    start_time: startTime ?? undefined,
    currency,
    base_price: base,
    categories: CATEGORIES,
    departures,
  });
  const records = [{ place: { file: 'model.json', index: 0 }, value }];
  await inTransaction(db, async (trx) => {
    await importCatalog(trx, records, { prune: false });
    await trx('tours')
      .where({ slug })
      .update({ uses: uses && JSON.stringify(uses) });
  });
}

/** Creates a tenant with three keys, and an endpoint that subscribes to all events. No worker sends the deliveries. */
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

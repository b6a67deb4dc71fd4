import type { Db, Trx } from '../../platform/database/database';
import { getVisibleTour } from '../catalog/find-tour';
import { issueApiKey, issueWidgetToken } from '../credentials/manage-credentials';
import { SCOPES } from '../credentials/credential';
import { closeResource } from '../seats/changes/change-resource';
import { createBooking } from '../seats/changes/create-booking';
import { sellerWithoutKey } from '../seats/seat-change';
import { performInTransaction } from '../seats/perform';
import { createTenant, findTenant } from '../tenants/manage-tenants';
import { setOrigins } from '../tenants/origins';
import { mayBeUsed, type Tenant } from '../tenants/tenant';
import { TenantNotFoundError } from '../tenants/tenant.errors';
import {
  demoCatalog,
  type DemoCatalogTour,
  demoClosing,
  demoPickupPoints,
  demoRates,
  type DemoResource,
  demoResources,
  demoSoldOut,
} from './demo-catalog';
import { CredentialError } from '../credentials/credential.errors';
import { databaseCredentials } from '../credentials/credential-source';
import { verifyApiKey, verifyWidgetToken } from '../credentials/verify-credential';
import { findUnusedCodes } from '../resources/find-resource';
import { addMissingRates } from '../pricing/change-exchange-rates';

export const DEMO_TENANT = 'demo';
/** A second tenant, which sells the same catalog in euros. It has no credentials: an operator issues them. */
const EURO_TENANT = 'demo-eur';
/** The origin of a developer's own page, for trying out the widget. */
const DEMO_ORIGIN = 'http://localhost:8080';

/** The content of demo.json. The secrets exist only there. */
export interface DemoCredentials {
  tenant: string;
  api_key: string;
  widget_token: string;
}

/**
 * Adds the demo catalog and the demo tenant. Keeps existing tours with the same slug unchanged.
 * @param today YYYY-MM-DD
 */
export async function seedDemo(
  trx: Trx,
  today: string,
  pepper: string | undefined,
): Promise<DemoCredentials> {
  const tours = demoCatalog(today);
  const taken = await findTakenTourSlugs(
    trx,
    tours.map((tour) => tour.slug),
  );
  const planted = tours.filter((tour) => !taken.has(tour.slug));
  await importTours(trx, planted, await findMissingResources(trx));
  const { tenant, isNew } = await demoTenant(trx);
  if (isNew) {
    await sellOut(trx, tenant, today, planted);
    await closeVan(trx, today);
    await seedEuroTenant(trx);
  }
  return issueDemoCredentials(trx, tenant, pepper);
}

/**
 * Issues new credentials for the demo tenant, for an installation that has lost the file demo.json.
 * @returns undefined if there is no demo tenant, or if the API does not serve it
 */
export async function reissueDemoCredentials(
  trx: Trx,
  pepper: string | undefined,
): Promise<DemoCredentials | undefined> {
  const tenant = await findTenantOrNone(trx, DEMO_TENANT);
  return tenant && mayBeUsed(tenant) ? issueDemoCredentials(trx, tenant, pepper) : undefined;
}

async function issueDemoCredentials(
  trx: Trx,
  tenant: Tenant,
  pepper: string | undefined,
): Promise<DemoCredentials> {
  return {
    tenant: DEMO_TENANT,
    api_key: (await issueApiKey(trx, pepper, tenant, { scopes: [...SCOPES], name: 'Demo' })).token,
    widget_token: (await issueWidgetToken(trx, pepper, tenant, {})).token,
  };
}

/**
 * Adds the departures of the demo catalog that are later than the last stored departure of their tour. Leaves out tours that were changed
 * by anyone but the demo.
 * @param today YYYY-MM-DD
 * @returns the number of departures that were added
 */
export async function extendDemo(trx: Trx, today: string): Promise<number> {
  const untouched = await findUntouchedTours(trx);
  const extended = demoCatalog(today).flatMap((tour) => {
    const last = untouched.get(tour.slug);
    const departures = tour.departures.filter((one) => last && one.departure_date > last);
    // A demo of an earlier release has no resources. A tour without `uses` keeps those that it has.
    const { uses: _, ...kept } = tour;
    return departures.length > 0 ? [{ ...kept, departures }] : [];
  });
  await importTours(trx, extended);
  return extended.reduce((sum, { departures }) => sum + departures.length, 0);
}

/** Returns the resources of the demo whose codes the operator has not used. */
async function findMissingResources(trx: Trx): Promise<DemoResource[]> {
  const resources = demoResources();
  const unused = await findUnusedCodes(
    trx,
    resources.map(({ code }) => code),
  );
  return resources.filter(({ code }) => unused.includes(code));
}

async function importTours(
  trx: Trx,
  tours: DemoCatalogTour[],
  resources: DemoResource[] = [],
): Promise<void> {
  if (tours.length === 0) return;
  // Loads the import only when it is needed, because its schema library takes 65 ms and 11 MiB, and most starts add nothing.
  const { importCatalog } =
    require('../catalog-import/import-catalog') as typeof import('../catalog-import/import-catalog');
  const recordOf = (value: unknown, index: number) => ({ place: { file: 'demo catalog', index }, value });
  const points = await findMissingPoints(trx, tours);
  const records = [
    ...resources.map((one, index) => ({ ...recordOf(one, index), list: 'resources' as const })),
    ...points.map((one, index) => ({ ...recordOf(one, index), list: 'pickup_points' as const })),
    ...tours.map(recordOf),
  ];
  await importCatalog(trx, records, { prune: false });
  await recordDemoTours(
    trx,
    tours.map((tour) => tour.slug),
  );
}

/** Returns the pickup points that the tours name and the catalog lacks. An operator may have changed the others. */
async function findMissingPoints(trx: Trx, tours: DemoCatalogTour[]): Promise<object[]> {
  const named = tours.flatMap(({ pickup }) => pickup?.points.map(({ point }) => point) ?? []);
  const stored = (await trx('pickup_points').whereIn('code', named).pluck('code')) as string[];
  return demoPickupPoints().filter(({ code }) => named.includes(code) && !stored.includes(code));
}

async function demoTenant(trx: Trx): Promise<{ tenant: Tenant; isNew: boolean }> {
  const existing = await findTenantOrNone(trx, DEMO_TENANT);
  if (existing) return { tenant: existing, isNew: false };
  const tenant = await createTenant(trx, { slug: DEMO_TENANT, name: 'Demo Travel' });
  return { tenant: await setOrigins(trx, tenant, [DEMO_ORIGIN], true), isNew: true };
}

/** Adds the second demo tenant and the rates that its prices need, unless an operator has given some or has a tenant of this name. */
async function seedEuroTenant(trx: Trx): Promise<void> {
  await addMissingRates(trx, demoRates());
  if (await findTenantOrNone(trx, EURO_TENANT)) return;
  const euro = { code: 'EUR', digits: 2 };
  const tenant = await createTenant(trx, { slug: EURO_TENANT, name: 'Demo Reisen', sellIn: euro });
  await setOrigins(trx, tenant, [DEMO_ORIGIN], true);
}

async function findTenantOrNone(trx: Trx, slug: string): Promise<Tenant | undefined> {
  try {
    return await findTenant(trx, slug);
  } catch (error) {
    if (error instanceof TenantNotFoundError) return undefined;
    throw error;
  }
}

/** Books all seats of a departure, so that the demo has one that is sold out. */
async function sellOut(trx: Trx, tenant: Tenant, today: string, planted: DemoCatalogTour[]): Promise<void> {
  const { tour_slug, departure_date, seats_total } = demoSoldOut(today);
  if (!planted.some((tour) => tour.slug === tour_slug)) return;
  const group = {
    departureDate: departure_date,
    party: { quantity: seats_total },
    travellers: null,
    customer: { name: 'Demo Group', phone: '+4930901820', email: 'group@example.com' },
    paymentMethod: null,
    holdId: null,
    expectedTotal: null,
    externalRef: 'demo-sold-out',
    notes: null,
    by: null,
  };
  const unlimited = { ...tenant, paymentWindowMinutes: null };
  const tour = await getVisibleTour(trx, tenant, tour_slug);
  // Records no changed seats: the tours are new, so no instance has cached them.
  const transaction = { trx, record: async () => {} };
  await performInTransaction(transaction, await createBooking(trx, sellerWithoutKey(unlimited), tour, group));
}

/** Closes the van for two days, so that the demo has a departure that a resource leaves no seat. */
async function closeVan(trx: Trx, today: string): Promise<void> {
  const { code, ...closing } = demoClosing(today);
  await closeResource({ trx, record: async () => {} }, code, { ...closing, operator: 'demo' });
}

/** The credentials of the demo that still work. */
export interface UsableDemo {
  /** The tenant of the key. Undefined: the API refuses the key. */
  tenant: Tenant | undefined;
  apiKey: string | undefined;
  widgetToken: string | undefined;
}

/** Returns the demo's credentials that the API accepts now. */
export async function findUsableDemo(
  db: Db,
  pepper: string | undefined,
  kept: DemoCredentials,
): Promise<UsableDemo> {
  const credentials = databaseCredentials(db);
  const [key, token] = [kept.api_key, kept.widget_token];
  const owner = await accepted(verifyApiKey(credentials, pepper, key, 'booking:create'));
  const visitor = await accepted(verifyWidgetToken(credentials, pepper, token));
  return { tenant: owner?.tenant, apiKey: owner && key, widgetToken: visitor && token };
}

async function accepted<Principal>(verifying: Promise<Principal>): Promise<Principal | undefined> {
  try {
    return await verifying;
  } catch (error) {
    if (error instanceof CredentialError) return undefined;
    throw error;
  }
}

/** The key of an advisory lock: an arbitrary number, which is the same in every process that adds the demo. */
const PLANTING_LOCK = 3_519_204_717;

/** Takes a lock until the transaction ends, so that only one process at a time adds the demo. */
export async function lockPlanting(trx: Trx): Promise<void> {
  await trx.raw(`select pg_advisory_xact_lock(${PLANTING_LOCK})`);
}

async function findTakenTourSlugs(db: Db, slugs: string[]): Promise<Set<string>> {
  return new Set((await db('tours').whereIn('slug', slugs).pluck('slug')) as string[]);
}

/** Records the current version of these tours as the demo's own. */
async function recordDemoTours(trx: Trx, slugs: string[]): Promise<void> {
  await trx.raw(
    `insert into demo_tours (tour_id, updated_at) select id, updated_at from tours where slug = any(:slugs)
     on conflict (tour_id) do update set updated_at = excluded.updated_at`,
    { slugs },
  );
}

/** Returns the demo tours that nobody but the demo has changed, with the date of the last departure of each. */
async function findUntouchedTours(db: Db): Promise<Map<string, string>> {
  const rows = await db('demo_tours as demo')
    .join('tours as t', 't.id', 'demo.tour_id')
    .join('departures as d', 'd.tour_id', 't.id')
    .whereRaw('t.updated_at = demo.updated_at')
    .groupBy('t.slug')
    .select<{ slug: string; last: string }[]>('t.slug', db.raw('max(d.departure_date) as last'));
  return new Map(rows.map(({ slug, last }) => [slug, last]));
}

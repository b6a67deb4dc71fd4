import { recallCatalog, recallVisibleTour } from '../../services/api/catalog/recall-catalog';
import { rememberReads } from '../../services/api/remember-reads';
import type { Tenant } from '../../services/api/tenants/tenant';
import { type ChangeLease, startChangeLease } from '../../services/platform/change-lease/change-lease';
import type { LeasedReads } from '../../services/platform/change-lease/leased-cache';
import { type Db, openDatabase } from '../../services/platform/database';
import { createLogger } from '../../services/platform/logger';
import { createTestDatabase, type TestDatabase } from '../support/database';
import { daysFromToday, givenDeparture, givenTenant, givenTour } from '../support/given';

let database: TestDatabase;
let polls: Db;
let lease: ChangeLease & { stop(): Promise<void> };
let reads: LeasedReads;
let tenant: Tenant;
let statements = 0;
beforeAll(async () => {
  database = await createTestDatabase();
  database.db.on('query', () => (statements += 1));
  polls = openDatabase(database.url, { applicationName: 'tests', poolMax: 1 });
  lease = startChangeLease(polls, createLogger('silent', 'tests'));
  reads = rememberReads(database.db, lease);
  tenant = await givenTenant(database.db);
});
afterAll(async () => {
  await lease.stop();
  await polls.destroy();
  await database.drop();
});

/** How many statements the work took. */
async function asking<T>(work: () => Promise<T>): Promise<{ statements: number; found: T }> {
  const before = statements;
  const found = await work();
  return { statements: statements - before, found };
}

/** What is found without any, in the end: on a busy machine a poll may come late, and the lease lapse. */
async function remembered<T>(work: () => Promise<T>): Promise<T> {
  for (;;) {
    const { statements: asked, found } = await asking(work);
    if (asked === 0) return found;
  }
}

const page = (of = tenant) => recallCatalog(reads, of, { limit: 10 });
const pause = (milliseconds: number) => new Promise((resolve) => setTimeout(resolve, milliseconds));

/** When this process has seen all there is. */
async function untilSeen(): Promise<void> {
  const { version } = await database.db('change_version').first('version');
  while (!(await database.db('api_instances').where({ seen_version: version }).first('id'))) await pause(10);
}

describe('a page and a tour that were read before', () => {
  it('cost no statement, and what they hold is shared', async () => {
    const tour = await givenTour(database.db);
    await untilSeen();
    const first = await page();
    expect(await remembered(() => page())).toEqual(first);
    expect((await remembered(() => recallVisibleTour(reads, tenant, tour.slug))).id).toBe(tour.id);
  });

  it('are read anew when their next departure closes, by the clock of the database', async () => {
    const { db } = database;
    const tour = await givenTour(db);
    const { at } = await db.select(db.raw("clock_timestamp() + interval '2 seconds' as at")).first();
    await givenDeparture(db, tour, { date: daysFromToday(3), closesAt: (at as Date).toISOString() });
    await givenDeparture(db, tour, { date: daysFromToday(9) });
    await untilSeen();
    const next = async () =>
      (await page()).items.find((item) => item.tour.id === tour.id)!.tour.nextDepartureDate;
    expect(await remembered(next)).toBe(daysFromToday(3));
    await db.raw('select pg_sleep_until(?)', [at]);
    expect(await next()).toBe(daysFromToday(9));
    expect((await recallVisibleTour(reads, tenant, tour.slug)).nextDepartureDate).toBe(daysFromToday(9));
  });

  it('are not handed on by a request that still has the tenant of before a change in hand', async () => {
    await givenTour(database.db);
    await untilSeen();
    const before: Tenant = { ...tenant };
    await database.db('tenants').where({ id: tenant.id }).update({ default_visible: false });
    await untilSeen();
    expect((await page(before)).items.length).toBeGreaterThan(0);
    expect((await page({ ...tenant, defaultVisible: false })).items).toEqual([]);
  });

  it('are read each time once the process has stopped polling', async () => {
    await page();
    await lease.stop();
    expect(lease.holds()).toBe(false);
    expect((await asking(() => page())).statements).toBeGreaterThan(0);
    expect(await database.db('api_instances')).toEqual([]);
  });
});

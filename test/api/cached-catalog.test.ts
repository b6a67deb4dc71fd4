import { setTimeout as sleep } from 'node:timers/promises';
import supertest from 'supertest';
import { createApp, createServer } from '../../services/api/app';
import { cachedCatalog, cachedVisibleTour } from '../../services/api/catalog/cached-catalog';
import { createCachedReads } from '../../services/api/http/api-context';
import type { Tenant } from '../../services/api/tenants/tenant';
import { awaitInstances } from '../../services/platform/read-cache/instance.repository';
import {
  NEVER_VALID,
  type ReadCacheValidity,
  startReadCacheValidity,
  type CachedReads,
} from '../../services/platform/read-cache/read-cache';
import { type Db, openDatabase } from '../../services/platform/database/database';
import { createLogger } from '../../services/platform/logger';
import { startTestApi, type TestApi } from '../support/api';
import { createTestDatabase, type TestDatabase } from '../support/database';
import {
  daysFromToday,
  givenDeparture,
  givenPriceRule,
  givenTenant,
  givenTour,
  type GivenTour,
} from '../support/given';
import { givenWebsite, type Website } from '../support/website';

let database: TestDatabase;
let polls: Db;
let validity: ReadCacheValidity & { stop(): Promise<void> };
let reads: CachedReads;
let tenant: Tenant;
let statements = 0;
beforeAll(async () => {
  database = await createTestDatabase();
  database.db.on('query', () => (statements += 1));
  polls = openDatabase(database.url, { applicationName: 'tests', poolMax: 1 });
  validity = startReadCacheValidity(polls, createLogger('silent', 'tests'));
  reads = createCachedReads(database.db, validity);
  tenant = await givenTenant(database.db);
});
afterAll(async () => {
  await validity.stop();
  await polls.destroy();
  await database.drop();
});

/** Counts the statements of the work. */
async function asking<T>(work: () => Promise<T>): Promise<{ statements: number; found: T }> {
  const before = statements;
  const found = await work();
  return { statements: statements - before, found };
}

/** Repeats the work until it runs no SQL statement. On a busy machine, a late poll makes the cache invalid for a while. */
async function fromCache<T>(work: () => Promise<T>): Promise<T> {
  for (;;) {
    const { statements: asked, found } = await asking(work);
    if (asked === 0) return found;
  }
}

const page = (of = tenant) => cachedCatalog(reads, of, { limit: 10 });

/** Resolves when this process has seen all changes. */
async function untilSeen(): Promise<void> {
  const { version } = await database.db('change_version').first('version');
  while (!(await database.db('api_instances').where({ seen_version: version }).first('id'))) await sleep(10);
}

describe('a page and a tour in the read cache', () => {
  it('the API serves a cached page and a cached tour without a query of the database', async () => {
    const tour = await givenTour(database.db);
    await untilSeen();
    const first = await page();
    expect(await fromCache(() => page())).toEqual(first);
    expect((await fromCache(() => cachedVisibleTour(reads, tenant, tour.slug))).id).toBe(tour.id);
  });

  it('all spellings of the id of a tour share one cache entry', async () => {
    const { id } = await givenTour(database.db);
    await untilSeen();
    await cachedVisibleTour(reads, tenant, id);
    const spellings = [id.toUpperCase(), id.replace('a', 'A').replace('b', 'B')];
    for (const spelling of spellings)
      expect((await fromCache(() => cachedVisibleTour(reads, tenant, spelling))).id).toBe(id);
  });

  it('the API loads a page and a tour again when the next departure closes by the clock of the database', async () => {
    const { db } = database;
    const tour = await givenTour(db);
    const { at } = await db.select(db.raw("clock_timestamp() + interval '2 seconds' as at")).first();
    await givenDeparture(db, tour, { date: daysFromToday(3), closesAt: (at as Date).toISOString() });
    await givenDeparture(db, tour, { date: daysFromToday(9) });
    await untilSeen();
    const next = async () =>
      (await page()).items.find((item) => item.tour.id === tour.id)!.tour.nextDepartureDate;
    expect(await fromCache(next)).toBe(daysFromToday(3));
    await db.raw('select pg_sleep_until(?)', [at]);
    expect(await next()).toBe(daysFromToday(9));
    expect((await cachedVisibleTour(reads, tenant, tour.slug)).nextDepartureDate).toBe(daysFromToday(9));
  });

  it('the API loads a page again from the instant at which the full refund of a tour ends', async () => {
    const cancellation = { tiers: [{ until: '3d', refund_percent: 100 }] };
    const tour = await givenTour(database.db, { name: 'A Refunded Walk', cancellation });
    await givenDeparture(database.db, tour, { date: daysFromToday(5) });
    const end = Date.parse(daysFromToday(2));
    let clock = end - 1;
    const asOfClock = { isValid: () => true, latestDatabaseTime: () => clock, onChange: () => {} };
    const ofClock = createCachedReads(database.db, asOfClock);
    const read = () => asking(() => cachedCatalog(ofClock, tenant, { limit: 1 }));
    const [first] = (await read()).found.items;
    expect([first!.tour.id, first!.tour.fullRefundUntil?.getTime()]).toEqual([tour.id, end]);
    expect((await read()).statements).toBe(0);
    clock = end;
    expect((await read()).statements).toBeGreaterThan(0);
    await database.db('tours').where({ id: tour.id }).update({ status: 'archived' });
  });

  it('a request that uses outdated tenant data caches no page for later requests', async () => {
    await givenTour(database.db);
    await untilSeen();
    const before: Tenant = { ...tenant };
    await database.db('tenants').where({ id: tenant.id }).update({ default_visible: false });
    await untilSeen();
    expect((await page(before)).items.length).toBeGreaterThan(0);
    expect((await page({ ...tenant, defaultVisible: false })).items).toEqual([]);
  });

  it('the API queries the database for each page after the process stopped polling', async () => {
    await page();
    await validity.stop();
    expect(validity.isValid()).toBe(false);
    expect((await asking(() => page())).statements).toBeGreaterThan(0);
    expect(await database.db('api_instances')).toEqual([]);
  });
});

describe('the answers for the catalog and a tour', () => {
  let api: TestApi;
  let apiValidity: ReadCacheValidity & { stop(): Promise<void> };
  let apiPolls: Db;
  let reader: Website;
  let tour: GivenTour;
  let asked = 0;
  beforeAll(async () => {
    api = await startTestApi();
    apiPolls = openDatabase(api.database.url, { applicationName: 'tests', poolMax: 1 });
    apiValidity = startReadCacheValidity(apiPolls, createLogger('silent', 'tests'));
    Object.assign(api.context, createCachedReads(api.db, apiValidity));
    api.db.on('query', ({ sql }: { sql: string }) => (asked += /tours/.test(sql) ? 1 : 0));
    reader = await givenWebsite(api, {}, ['catalog:read']);
    tour = await givenTour(api.db, { basePriceMinor: 50_000 });
    await givenTour(api.db);
  });
  afterAll(async () => {
    await apiValidity.stop();
    await apiPolls.destroy();
    await api.stop();
  });

  const get = (path: string, etag?: string) =>
    etag === undefined ? reader.get(path) : reader.get(path).set({ 'if-none-match': etag });
  const paths = () => ['/api/tenant/catalog?limit=1', `/api/tenant/tours/${tour.slug}`];

  it('a request with the ETag of the last answer gets 304, with the headers and without a query of tours', async () => {
    await awaitInstances(api.db);
    for (const path of paths()) {
      const first = await get(path);
      expect(first.headers).toMatchObject({
        etag: expect.stringMatching(/^"[\w-]{43}"$/),
        'content-type': 'application/json; charset=utf-8',
        'cache-control': 'private, no-cache',
      });
      const { etag, link } = first.headers;
      let before: number;
      let second;
      do {
        before = asked;
        second = await get(path, `"other", W/${etag}`);
      } while (asked > before);
      expect([second.status, second.text]).toEqual([304, '']);
      expect(second.headers).toMatchObject({ etag, 'cache-control': 'private, no-cache' });
      expect(second.headers['x-request-id']).toBeDefined();
      expect(second.headers['ratelimit-remaining']).toBeDefined();
      expect([second.headers.link, link !== undefined]).toEqual([link, path.includes('limit')]);
      expect((await get(path)).body).toEqual(first.body);
      const head = await api.http.head(path).set({ authorization: reader.authorization });
      expect([head.status, head.headers['content-length'], head.headers.etag]).toEqual([
        200,
        first.headers['content-length'],
        etag,
      ]);
    }
  });

  it('a request with the ETag of the last answer gets 304 even when it sends Cache-Control: no-cache', async () => {
    for (const path of paths()) {
      const { etag } = (await get(path)).headers;
      const again = await get(path, etag).set({ 'cache-control': 'no-cache', pragma: 'no-cache' });
      expect([again.status, again.text]).toEqual([304, '']);
    }
  });

  it('an instance with an empty cache sends the same ETag and body', async () => {
    const forgetful = createServer(createApp({ ...api.context, ...createCachedReads(api.db, NEVER_VALID) }));
    const other = supertest(forgetful.listen(0, '127.0.0.1'));
    const { authorization } = reader;
    for (const path of paths()) {
      const { headers, body } = await get(path);
      const same = await other.get(path).set({ authorization });
      expect([same.headers.etag, same.body]).toEqual([headers.etag, body]);
      const none = await other.get(path).set({ authorization, 'if-none-match': headers.etag! });
      expect(none.status).toBe(304);
    }
    forgetful.close();
  });

  it('the ETag of another tenant, another page or an older state gets a complete answer', async () => {
    const another = await givenWebsite(api, {}, ['catalog:read']);
    await givenPriceRule(api.db, another, { percent: 10 });
    await awaitInstances(api.db);
    for (const path of paths()) {
      const { etag } = (await get(path)).headers;
      const theirs = await another.get(path).set({ 'if-none-match': etag! });
      expect([theirs.status, JSON.stringify(theirs.body).includes('550')]).toEqual([200, true]);
    }
    const before = await Promise.all(paths().map((path) => get(path)));
    const after = `${paths()[0]}&cursor=${before[0]!.body.next_cursor}`;
    expect((await get(after, before[0]!.headers.etag)).status).toBe(200);
    await givenPriceRule(api.db, reader, { percent: -50 });
    await awaitInstances(api.db);
    for (const [n, path] of paths().entries()) {
      const { status, body } = await get(path, before[n]!.headers.etag);
      expect([status, JSON.stringify(body).includes('"price_from":250,')]).toEqual([200, true]);
    }
  });

  it('the API refuses a revoked key with 401, whatever ETag it sends', async () => {
    const { headers } = await get(paths()[0]!);
    await api.db('api_keys').where({ tenant_id: reader.tenant.id }).update({ revoked_at: new Date() });
    await awaitInstances(api.db);
    expect((await get(paths()[0]!, headers.etag)).status).toBe(401);
  });
});

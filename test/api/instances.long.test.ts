import { setTimeout as sleep } from 'node:timers/promises';
import type { Tenant } from '../../services/api/tenants/tenant';
import { runOnce } from '../cli/run-once';
import { createTestDatabase, type TestDatabase } from '../support/database';
import { type ApiProcess, startApiProcess } from '../support/api-process';
import { givenDeparture, givenKey, givenTenant, givenTour, type GivenTour } from '../support/given';
import { describeWithRedis, startRedis, stopRedisServers, type TestRedis } from '../support/redis';
import { CUSTOMER } from '../support/website';

const QUOTA = 40;
/** The longest allowed answer: the store's time limit of 150 ms, and the time of the request on a busy machine. */
const SLOWEST_MS = 600;

describeWithRedis('two API processes with one Redis', () => {
  let database: TestDatabase;
  let redis: TestRedis;
  let apis: ApiProcess[];
  let tenant: Tenant;
  let key: string;
  let tour: GivenTour;
  let date: string;
  beforeAll(async () => {
    database = await createTestDatabase();
    redis = await startRedis();
    const settings = { REDIS_URL: redis.url, REPLICAS: '2', CATALOG_RPM: `${QUOTA}`, LOG_LEVEL: 'info' };
    apis = await Promise.all([0, 1].map(() => startApiProcess(database.url, settings)));
    tenant = await givenTenant(database.db);
    key = await givenKey(database.db, tenant);
  });
  afterAll(async () => {
    await Promise.all((apis ?? []).map((api) => api.stop()));
    await stopRedisServers();
    await database.drop();
  });
  beforeEach(async () => {
    tour = await givenTour(database.db);
    date = await givenDeparture(database.db, tour, { seats: 100 });
  });

  const call = async (instance: number, method: string, path: string, body?: object) => {
    const begun = performance.now();
    const response = await fetch(apis[instance]!.baseUrl + path, {
      method,
      headers: { authorization: `Bearer ${key}`, ...(body && { 'content-type': 'application/json' }) },
      body: body && JSON.stringify(body),
    });
    const answer = (await response.json()) as Record<string, unknown>;
    return { status: response.status, headers: response.headers, answer, took: performance.now() - begun };
  };
  const check = (instance: number) =>
    call(instance, 'GET', `/api/gateway/tours/${tour.slug}/availability?departure_date=${date}`);
  const hold = (instance: number) =>
    call(instance, 'POST', `/api/gateway/tours/${tour.slug}/hold`, { departure_date: date, quantity: 1 });
  const book = (instance: number) =>
    call(instance, 'POST', '/api/tenant/bookings', {
      ...CUSTOMER,
      tour_id: tour.id,
      departure_date: date,
      adults: 2,
    });
  const catalog = (instance: number) => call(instance, 'GET', '/api/tenant/catalog');
  const logged = (text: string) => apis.map((api) => api.log().split(text).length - 1);
  /** Waits until both processes have logged `times` times that the store answers. */
  const untilStoreAnswers = async (times: number) => {
    while (!logged('shared store answers').every((found) => found === times)) await sleep(50);
  };

  it('each process shows at once the seats that the other process sold', async () => {
    let free = 100;
    for (let n = 0; n < 16; n++) {
      expect((await check(n % 2)).headers.get('cache-status')).toMatch(/hit|fwd=miss/);
      const sale = n % 4 < 2 ? await hold(n % 2) : await book(n % 2);
      expect(sale.status).toBe(201);
      free -= n % 4 < 2 ? 1 : 2;
      expect((await check((n + 1) % 2)).answer.seats_available).toBe(free);
      expect((await check(n % 2)).headers.get('cache-status')).toBe('availability; hit');
    }
  });

  it('two processes share one quota', async () => {
    const statuses = [];
    for (let n = 0; n < QUOTA + 6; n++) statuses.push((await catalog(n % 2)).status);
    expect(statuses.filter((status) => status === 200)).toHaveLength(QUOTA);
  });

  it('a number that tourctl gives the tenant applies in both processes when the command returns', async () => {
    const env = { DATABASE_URL: database.url, SECRETS_KEY: 's'.repeat(32), CURSOR_KEY: 'c'.repeat(32) };
    const limits = async () => {
      const answers = await Promise.all([catalog(0), catalog(1)]);
      return answers.map(({ headers }) => headers.get('ratelimit-limit'));
    };
    for (const [flag, limit] of [
      ['7', '7'],
      ['none', `${QUOTA}`],
    ]) {
      const { code } = await runOnce(`tenant set ${tenant.slug} --catalog-rpm ${flag}`, { env });
      expect([code, ...(await limits())]).toEqual([0, limit, limit]);
    }
  });

  it('two processes sell and answer fast while Redis hangs, and share their caches again afterwards', async () => {
    await check(0);
    redis.hang();
    const sales = [];
    for (let n = 0; n < 10; n++) sales.push(n % 2 ? await hold(n % 2) : await book(n % 2));
    expect(sales.map(({ status }) => status)).toEqual(sales.map(() => 201));
    expect(Math.max(...sales.map(({ took }) => took))).toBeLessThan(SLOWEST_MS);
    const checks = [await check(0), await check(1)];
    expect(checks.map(({ answer }) => answer.seats_available)).toEqual([85, 85]);
    const reads = [];
    for (let n = 0; n < QUOTA; n++) reads.push((await catalog(0)).status);
    expect(reads.filter((status) => status === 200)).toHaveLength(QUOTA / 2);
    expect(logged('shared store is down')).toEqual([1, 1]);

    redis.wake();
    await untilStoreAnswers(2);
    expect((await check(0)).answer.seats_available).toBe(85);
    await hold(0);
    expect((await check(1)).answer.seats_available).toBe(84);
    expect(logged('shared store is down')).toEqual([1, 1]);
  });

  it('two processes show the right free seats after Redis restarts empty', async () => {
    await check(0);
    await redis.kill();
    expect((await hold(0)).status).toBe(201);
    expect((await book(1)).status).toBe(201);
    expect((await check(0)).answer.seats_available).toBe(97);
    await redis.restart();
    await untilStoreAnswers(3);
    await hold(1);
    expect((await check(0)).answer.seats_available).toBe(96);
  });
});

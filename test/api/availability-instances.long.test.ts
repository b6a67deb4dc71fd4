import { setTimeout as sleep } from 'node:timers/promises';
import { Redis } from 'ioredis';
import {
  type AvailabilityCache,
  createAvailabilityCache,
} from '../../services/api/departures/availability-cache';
import type { CacheStore } from '../../services/platform/shared-store/cache-store';
import { createLogger } from '../../services/platform/logger';
import { openSharedStore, type SharedStore } from '../../services/platform/shared-store/shared-store';
import { loadConfig } from '../../services/platform/config/config';
import { createTestDatabase, type TestDatabase } from '../support/database';
import { daysFromToday, givenDeparture, givenTour, type GivenTour } from '../support/given';
import { describeWithRedis, startRedis, stopRedisServers, type TestRedis } from '../support/redis';
import { type RestStore, startRestStore } from '../support/rest-store';

const INSTANCES = 4;
const CALLERS = 100;
const log = createLogger('silent', 'test');

/** A cache entry of the previous release, which has one departure for each date. */
const OLD_ENTRY = JSON.stringify({
  revision: 9,
  freshMs: 10_000,
  facts: {
    asOf: '2026-11-01T00:00:00Z',
    departure: {
      seatsTotal: 1,
      seatsTaken: 0,
      prices: { adult: 1 },
      tour: { currency: 'EUR', currencyDigits: 2 },
      asOf: '2026-11-01T00:00:00Z',
    },
  },
});

describeWithRedis('the availability cache of several instances', () => {
  let database: TestDatabase;
  let redis: TestRedis;
  let rest: RestStore;
  let client: Redis;
  let loads = 0;
  beforeAll(async () => {
    database = await createTestDatabase();
    database.db.on('query', ({ sql }: { sql: string }) => {
      if (sql.includes('counted_until')) loads++;
    });
    redis = await startRedis();
    rest = await startRestStore(redis.url);
    client = new Redis(redis.url);
  });
  afterAll(async () => {
    client.disconnect();
    await rest.stop();
    await stopRedisServers();
    await database.drop();
  });

  describe.each(['redis', 'rest'])('instances that share availability over %s', (driver) => {
    let stores: SharedStore[];
    let instances: AvailabilityCache[];
    let tour: GivenTour;
    let date: string;
    beforeAll(async () => {
      const env =
        driver === 'redis'
          ? { REDIS_URL: redis.url }
          : { CACHE_REST_URL: rest.url, CACHE_REST_TOKEN: rest.token };
      // All instances, callers and stores share one process here, so an operation may take longer than 150 ms.
      const timing = { timeoutMs: 5_000, commandTimeoutMs: 10_000 };
      const settings = { sharedStore: loadConfig(env).sharedStore, replicas: INSTANCES, timing };
      stores = await Promise.all(Array.from({ length: INSTANCES }, () => openSharedStore(settings, log)));
      instances = stores.map(({ cache }) => createAvailabilityCache(database.db, cache, log));
    });
    afterAll(() => Promise.all(stores.map((store) => store.close())));
    beforeEach(async () => {
      tour = await givenTour(database.db);
      date = await givenDeparture(database.db, tour, { seats: 10 });
      loads = 0;
    });

    const ask = (instance = 0, revision = 1) => instances[instance]!.get(tour.id, date, false, revision);
    const seats = async (instance = 0) => (await ask(instance)).departures[0]?.seatsTotal;
    const askAll = () =>
      Promise.all(Array.from({ length: INSTANCES * CALLERS }, (_, caller) => ask(caller % INSTANCES)));
    const sources = (answers: { source: string }[]) => [...new Set(answers.map(({ source }) => source))];
    const key = () => `availability:${tour.id}:${date}`;
    /** Moves the load of the entry into the past. */
    const age = async (seconds: number) => {
      await client.hincrby(key(), 'at', -1000 * seconds);
      await client.hincrby(key(), 'expires', -1000 * seconds);
    };
    const entry = () => client.hget(key(), 'id');
    /** Waits until the store has a new entry. Then waits a little longer, to detect an extra load. */
    const untilRefreshed = async (before: string | null) => {
      while ((await entry()) === before) await sleep(5);
      await sleep(50);
    };
    const changeSeats = (total: number) =>
      database.db('departures').where({ tour_id: tour.id }).update({ seats_total: total });

    it(`the cache of availability loads an uncached date once for ${CALLERS} callers on each of ${INSTANCES} instances`, async () => {
      const answers = await askAll();
      expect(loads).toBe(1);
      expect(sources(answers)).toEqual(['miss']);
      expect(new Set(answers.map(({ asOf }) => asOf.getTime())).size).toBe(1);
      expect(await ask(3)).toMatchObject({
        source: 'hit',
        departures: [{ seatsTotal: 10, tour: { id: tour.id, currency: 'EUR' } }],
      });
    });

    it('all callers get the stale availability while one load runs', async () => {
      await ask();
      await age(12);
      const first = await entry();
      expect((await ask(1)).ageSeconds).toBeGreaterThanOrEqual(12);
      await untilRefreshed(first);
      loads = 0;
      await age(12);
      const second = await entry();
      expect(sources(await askAll())).toEqual(['stale']);
      await untilRefreshed(second);
      expect(loads).toBe(1);
      expect(sources(await askAll())).toEqual(['hit']);
      expect(loads).toBe(1);
    });

    it('the cache of availability loads an expired entry once for all callers', async () => {
      await ask();
      await age(71);
      loads = 0;
      expect(sources(await askAll())).toEqual(['miss']);
      expect(loads).toBe(1);
    });

    it('the cache of availability refreshes an entry in steady demand once, before it is stale', async () => {
      await ask();
      await age(9);
      const before = await entry();
      loads = 0;
      expect(sources(await askAll())).toEqual(['hit']);
      await untilRefreshed(before);
      expect(loads).toBe(1);
      expect((await ask(2)).ageSeconds).toBe(0);
    });

    it('the cache of availability caches for 5 s that a date has no departure', async () => {
      date = daysFromToday(90);
      const answers = await askAll();
      expect([loads, ...new Set(answers.map(({ departures }) => departures.length))]).toEqual([1, 0]);
      expect((await ask(1)).source).toBe('hit');
      await age(6);
      expect((await ask(1)).source).toBe('stale');
    });

    it('an availability entry that one instance invalidates is invalid on all instances', async () => {
      for (let total = 11; total < 31; total++) {
        await Promise.all(instances.map((_, instance) => seats(instance)));
        await changeSeats(total);
        await instances[total % INSTANCES]!.drop(tour.id, date, false);
        const seen = await Promise.all(instances.map((_, instance) => seats(instance)));
        expect(seen).toEqual(Array.from({ length: INSTANCES }, () => total));
      }
    });

    it('the result of a load that started before a change is not stored, and no later caller gets it', async () => {
      const { cache } = stores[0]!;
      let open = () => {};
      const gate = new Promise<void>((resolve) => (open = resolve));
      let loaded = () => {};
      const isLoaded = new Promise<void>((resolve) => (loaded = resolve));
      const put: CacheStore['put'] = async (...entry) => {
        loaded();
        await gate;
        return cache.put(...entry);
      };
      instances.push(createAvailabilityCache(database.db, { ...cache, put }, log));
      const slow = instances.length - 1;
      const before = seats(slow);
      await isLoaded;
      await changeSeats(12);
      await instances[1]!.drop(tour.id, date, false);
      const after = seats(slow);
      expect(await seats(2)).toBe(12);
      open();
      expect([await before, await after, await seats(0), await seats(slow)]).toEqual([10, 12, 12, 12]);
      instances.pop();
    });

    it('when an instance dies while it loads an entry, another instance loads the entry', async () => {
      await stores[0]!.cache.claim(key(), undefined);
      const begun = performance.now();
      expect(await seats(1)).toBe(10);
      expect(performance.now() - begun).toBeLessThan(2_000);
      await sleep(1_100);
      expect((await ask(2)).source).toBe('miss');
      expect((await ask(3)).source).toBe('hit');
    });

    it('the cache of availability ignores an entry that was stored before the tour changed', async () => {
      await ask();
      await database.db('tours').where({ id: tour.id }).increment('revision', 1);
      expect((await ask(1, 2)).source).toBe('miss');
      expect((await ask(2, 2)).source).toBe('hit');
    });

    it.each([
      ['an empty text', ''],
      ['null', 'null'],
      ['an empty object', '{}'],
      ['an entry of an earlier release', OLD_ENTRY],
      ['an entry of a release that describes a departure in another way', undefined],
    ])('the cache of availability loads the date again when the stored value is %s', async (_what, value) => {
      await ask();
      const written = await client.hget(key(), 'value');
      await client.hset(key(), 'value', value ?? written!.replace(/"form":"[^"]*"/, '"form":"another"'));
      expect(await ask(1)).toMatchObject({ source: 'miss', departures: [{ seatsTotal: 10 }] });
      expect((await ask(2)).source).toBe('hit');
    });

    it('the next request after a failed load loads the entry at once', async () => {
      const broken = createAvailabilityCache(
        { raw: () => Promise.reject(new Error('no database')) } as never,
        stores[0]!.cache,
        log,
      );
      await expect(broken.get(tour.id, date, false, 1)).rejects.toThrow('no database');
      const begun = performance.now();
      expect(await seats(1)).toBe(10);
      expect(performance.now() - begun).toBeLessThan(500);
    });
  });
});

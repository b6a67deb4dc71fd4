import { once } from 'node:events';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { Redis as UpstashRedis } from '@upstash/redis';
import fc from 'fast-check';
import { Redis } from 'ioredis';
import {
  type CacheStore,
  type LoadClaim,
  createMemoryCacheStore,
  type LoadLock,
  createScriptedCacheStore,
} from '../../services/platform/shared-store/cache-store';
import {
  createMemoryQuotaStore,
  createSharedQuotaStore,
} from '../../services/platform/shared-store/quota-store';
import { openRedisConnection } from '../../services/platform/shared-store/redis-connection';
import { openRestConnection } from '../../services/platform/shared-store/rest-connection';
import { loadConfig } from '../../services/platform/config/config';
import type { RedisAddress } from '../../services/platform/shared-store/store-address';
import {
  PROBE_SCRIPT,
  type StoreConnection,
  type RunScript,
} from '../../services/platform/shared-store/store-guard';
import { describeWithRedis, startRedis, stopRedisServers, type TestRedis } from '../support/redis';
import { type RestStore, startRestStore } from '../support/rest-store';

/** Replaces TIME in the scripts: returns seconds and microseconds from a list that the test writes. */
const TEST_CLOCK = `redis.call('LRANGE', 'clock', 0, 1)`;
const START = 1_800_000_000_000;
const REST_DATABASE = 1;

describeWithRedis('the drivers of the shared store', () => {
  let redis: TestRedis;
  let rest: RestStore;
  let overRedis: StoreConnection;
  let overRest: StoreConnection;
  let servers: Redis[];
  beforeAll(async () => {
    redis = await startRedis();
    rest = await startRestStore(redis.url, REST_DATABASE);
    overRedis = openRedisConnection(loadConfig({ REDIS_URL: redis.url }).sharedStore as RedisAddress);
    overRest = openRestConnection({ kind: 'rest', url: rest.url, token: rest.token });
    await overRedis.renew();
    servers = [new Redis(redis.url), new Redis(redis.url, { db: REST_DATABASE })];
  });
  afterAll(async () => {
    servers.forEach((server) => server.disconnect());
    await overRedis.close();
    await overRest.close();
    await rest.stop();
    await redis.stop();
    await stopRedisServers();
  });

  const runOn =
    (connection: StoreConnection): RunScript =>
    async (script, key, args = []) =>
      script.read(await connection.run(script, key, args));

  let time = START;
  const setClock = () =>
    Promise.all(
      servers.map((server) =>
        server
          .multi()
          .del('clock')
          .rpush('clock', Math.floor(time / 1000), (time % 1000) * 1000)
          .exec(),
      ),
    );
  const advance = async (milliseconds: number) => {
    time += milliseconds;
    await setClock();
  };
  const drivers = () => [
    createMemoryCacheStore(() => time),
    createScriptedCacheStore(runOn(overRedis), TEST_CLOCK),
    createScriptedCacheStore(runOn(overRest), TEST_CLOCK),
  ];
  const quotasOver = (connection: StoreConnection) => createSharedQuotaStore(runOn(connection), 1);

  it('the store drivers memory, Redis and REST give the same answers to random sequences of calls', async () => {
    await setClock();
    let traces = 0;
    let steps = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(aStep(), { minLength: 20, maxLength: 60 }), async (trace) => {
        const tracers = drivers().map(createTracer);
        const prefix = `trace${++traces}`;
        for (const step of trace) {
          steps++;
          if (step.kind === 'advance') {
            await advance(step.ms);
            continue;
          }
          const answers = [];
          for (const take of tracers) answers.push(await take(step, prefix));
          expect({ step, answer: answers[1] }).toEqual({ step, answer: answers[0] });
          expect({ step, answer: answers[2] }).toEqual({ step, answer: answers[0] });
        }
      }),
      { numRuns: 60, interruptAfterTimeLimit: 20_000 },
    );
    expect(steps).toBeGreaterThan(1000);
  });

  it('in the store, the value of an earlier load never replaces the value of a later load', async () => {
    await setClock();
    for (const cache of drivers()) {
      const older = (await cache.claim('order', undefined)) as { loadLock: LoadLock };
      await advance(2_000);
      const newer = (await cache.claim('order', undefined)) as { loadLock: LoadLock };
      expect(await cache.put('order', newer.loadLock, 'newer', 60_000)).toBe(true);
      expect(await cache.put('order', older.loadLock, 'older', 60_000)).toBe(true);
      expect(await cache.get('order')).toMatchObject({ value: 'newer', ageMs: 0 });
      await cache.invalidate('order');
      expect(await cache.put('order', newer.loadLock, 'newer', 60_000)).toBe(false);
    }
  });

  it('the quotas in memory, over Redis and over REST give the same answers', async () => {
    const stores = [createMemoryQuotaStore(), quotasOver(overRedis), quotasOver(overRest)];
    const asked = [
      ...Array.from({ length: 4 }, () => ['a', 3, 1] as const),
      ...Array.from({ length: 3 }, () => ['b', 7, 3] as const),
      ['a', 5, 1] as const,
      ['a', 3, 1] as const,
    ];
    for (const [bucket, limit, cost] of asked) {
      const answers = [];
      for (const store of stores) answers.push(await store.consume(`same-${bucket}`, limit, cost));
      expect(answers).toEqual([answers[0], answers[0], answers[0]]);
    }
  });

  describe.each(['redis', 'rest'])('(%s)', (kind) => {
    const part = () =>
      kind === 'redis' ? ([servers[0]!, overRedis] as const) : ([servers[1]!, overRest] as const);

    it(`a quota of 50 allows 50 of 200 concurrent requests (${kind})`, async () => {
      const quotas = quotasOver(part()[1]);
      const answers = await Promise.all(Array.from({ length: 200 }, () => quotas.consume('all', 50)));
      expect(answers.filter(({ allowed }) => allowed)).toHaveLength(50);
    });

    it(`the window of a quota ends 60 s after its first request (${kind})`, async () => {
      const [server, connection] = part();
      const quotas = quotasOver(connection);
      expect(await quotas.consume('ends', 2)).toEqual({ allowed: true, remaining: 1, resetSeconds: 60 });
      expect(await server.pttl('quota:2:ends')).toBeLessThanOrEqual(60_000);
      await server.pexpire('quota:2:ends', 20_500);
      expect(await quotas.consume('ends', 2)).toEqual({ allowed: true, remaining: 0, resetSeconds: 21 });
      expect(await quotas.consume('ends', 2)).toEqual({ allowed: false, remaining: 0, resetSeconds: 21 });
      await server.pexpire('quota:2:ends', 1);
      await new Promise((resolve) => setTimeout(resolve, 10));
      expect(await quotas.consume('ends', 2)).toEqual({ allowed: true, remaining: 1, resetSeconds: 60 });
    });

    it(`a quota ignores the counts of the release before, which were hashes (${kind})`, async () => {
      const [server, connection] = part();
      await server.hset('quota:catalog:family', { [Math.floor(Date.now() / 5000)]: 600 });
      const answer = await quotasOver(connection).consume('catalog:family', 600);
      expect(answer).toMatchObject({ allowed: true, remaining: 599 });
      expect(await server.type('quota:catalog:family')).toBe('hash');
    });

    it(`a stored value of the cache expires within 60 to 70 seconds (${kind})`, async () => {
      const [server, connection] = part();
      const cache = createScriptedCacheStore(runOn(connection));
      const { loadLock } = (await cache.claim('value', undefined)) as { loadLock: LoadLock };
      await cache.put('value', loadLock, 'value', 70_000);
      expect(await server.pttl('value')).toBeGreaterThan(60_000);
      expect(await server.pttl('value')).toBeLessThanOrEqual(70_000);
    });

    it(`a value of the cache that another program stored counts as missing (${kind})`, async () => {
      const [server, connection] = part();
      const cache = createScriptedCacheStore(runOn(connection));
      await server.set('foreign', 'text');
      expect(await cache.get('foreign')).toBeUndefined();
      const claim = (await cache.claim('foreign', undefined)) as { loadLock: LoadLock };
      expect(await cache.put('foreign', claim.loadLock, 'ours', 1000)).toBe(true);
      expect(await cache.get('foreign')).toMatchObject({ value: 'ours' });
    });
  });

  it('the REST driver sends concurrent commands in one request, and each gets its own answer', async () => {
    rest.requests.length = 0;
    const quotas = quotasOver(overRest);
    await servers[1]!.set('wrong', 'text');
    const broken = { lua: `return redis.call('HGETALL', 'wrong')`, read: () => {} };
    const refusal = overRest.run(broken, 'secret-bucket', []).catch((error: Error) => error.message);
    const answers = await Promise.all([1, 2, 3].map(() => quotas.consume('together', 5)));
    expect(answers.map(({ remaining }) => remaining).sort()).toEqual([2, 3, 4]);
    expect(rest.requests).toEqual(['/pipeline']);
    expect(await refusal).toMatch(/^WRONGTYPE/);
    expect(await refusal).not.toContain('secret-bucket');
  });

  it('the REST driver stops reading an endless reply', async () => {
    let sent = 0;
    const endless = http.createServer((_request, response) => {
      const chunk = Buffer.alloc(64 * 1024, 'x');
      const pour = (): void => {
        while (!response.destroyed && sent < 200e6) {
          sent += chunk.length;
          if (!response.write(chunk)) return void response.once('drain', pour);
        }
      };
      pour();
    });
    await once(endless.listen(0, '127.0.0.1'), 'listening');
    const { port } = endless.address() as AddressInfo;
    const connection = openRestConnection({ kind: 'rest', url: `http://127.0.0.1:${port}`, token: 'any' });
    await expect(connection.run(PROBE_SCRIPT, 'b', ['well'])).rejects.toThrow();
    // Allows the limit of 4 MiB, and what the buffers of both sockets hold.
    expect(sent).toBeLessThan(15e6);
    await connection.close();
    endless.close();
  });

  it('the REST driver reports a wrong token without showing it', async () => {
    const wrong = openRestConnection({ kind: 'rest', url: rest.url, token: 'hunter2' });
    const message = await wrong
      .run(PROBE_SCRIPT, 'b', ['well'])
      .catch((error: Error) => `${error.message} ${error.stack}`);
    expect(message).toMatch(/refused CACHE_REST_TOKEN/);
    expect(message).not.toContain('hunter2');
    await wrong.close();
  });

  it('the official REST client and the REST driver share values in the store', async () => {
    const upstash = new UpstashRedis({
      url: rest.url,
      token: rest.token,
      retry: false,
      enableTelemetry: false,
      automaticDeserialization: false,
    });
    expect(await upstash.set('word', 'true', { px: 5000 })).toBe('OK');
    expect(await upstash.get('word')).toBe('true');
    const pipeline = upstash.pipeline().incr('count').incr('count').get('word');
    expect(await pipeline.exec()).toEqual([1, 2, 'true']);
    expect(await upstash.multi().incr('count').exec()).toEqual([3]);
    expect(await upstash.eval('return {KEYS[1], ARGV[1], 7}', ['k'], ['v'])).toEqual(['k', 'v', 7]);
    await expect(upstash.eval('return redis.call("NOTHING")', [], [])).rejects.toThrow(/ERR/);
    const cache = createScriptedCacheStore(runOn(overRest));
    const { loadLock } = (await cache.claim('met', undefined)) as { loadLock: LoadLock };
    await cache.put('met', loadLock, 'ours', 60_000);
    expect(await upstash.hget('met', 'value')).toBe('ours');
    await upstash.hset('met', { value: 'theirs' });
    expect(await cache.get('met')).toMatchObject({ value: 'theirs' });
    const stranger = new UpstashRedis({
      url: rest.url,
      token: 'wrong',
      retry: false,
      enableTelemetry: false,
    });
    await expect(stranger.get('word')).rejects.toThrow(/WRONGPASS/);
  });
});

type Step =
  | { kind: 'advance'; ms: number }
  | { kind: 'get'; key: string }
  | { kind: 'invalidate'; key: string }
  | { kind: 'claim'; key: string; replaced: number }
  | { kind: 'put'; key: string; lock: number; ttl: number; value: string }
  | { kind: 'release'; key: string; lock: number };

function aStep(): fc.Arbitrary<Step> {
  const key = fc.constantFrom('k', 'l');
  // The number of a load lock, counted backwards from the last one, so that steps also use old load locks.
  const lock = fc.nat(3);
  const arbitrary = <K extends Step['kind']>(kind: K, fields: object) =>
    fc.record({ kind: fc.constant(kind), ...fields }) as unknown as fc.Arbitrary<Step>;
  return fc.oneof(
    arbitrary('advance', {
      ms: fc.oneof(fc.nat(50), fc.nat(3_000), fc.nat(25_000), fc.constantFrom(2_000, 5_000, 20_000, 60_000)),
    }),
    arbitrary('get', { key }),
    { arbitrary: arbitrary('claim', { key, replaced: lock }), weight: 2 },
    {
      arbitrary: arbitrary('put', {
        key,
        lock,
        ttl: fc.oneof(fc.integer({ min: -5, max: 200_000 }), fc.constantFrom(0.5, 1_000, 70_000)),
        value: fc.string({ unit: 'grapheme' }),
      }),
      weight: 2,
    },
    arbitrary('release', { key, lock }),
    arbitrary('invalidate', { key }),
  );
}

/** Runs the steps on one driver. Replaces the token of each load lock by a number, because the tokens differ between drivers. */
function createTracer(cache: CacheStore) {
  const locks: LoadLock[] = [];
  const numberOf = (token: string) => locks.findIndex((lock) => lock.token === token);
  const plain = (claim: LoadClaim) => {
    if (claim.outcome === 'busy') return claim;
    if (claim.outcome === 'found') return { ...claim.found, id: numberOf(claim.found.id) };
    locks.push(claim.loadLock!);
    const { token, fence, grantedAt } = claim.loadLock!;
    return { token: numberOf(token), fence: numberOf(fence), grantedAt };
  };
  return async (step: Exclude<Step, { kind: 'advance' }>, prefix: string): Promise<unknown> => {
    const key = `${prefix}:${step.key}`;
    if (step.kind === 'get')
      return cache.get(key).then((found) => found && { ...found, id: numberOf(found.id) });
    if (step.kind === 'invalidate') return cache.invalidate(key);
    if (step.kind === 'claim') return plain(await cache.claim(key, locks.at(-1 - step.replaced)?.token));
    const lock = locks.at(-1 - step.lock);
    if (!lock) return undefined;
    if (step.kind === 'release') return cache.release(key, lock);
    return cache.put(key, lock, step.value, step.ttl);
  };
}

import { Writable } from 'node:stream';
import { Redis } from 'ioredis';
import pino from 'pino';
import { register } from 'prom-client';
import type { LoadLock } from '../../services/platform/shared-store/cache-store';
import { openSharedStore, type SharedStore } from '../../services/platform/shared-store/shared-store';
import { loadConfig } from '../../services/platform/config/config';
import { describeWithRedis, startRedis, stopRedisServers, type TestRedis } from '../support/redis';
import { type RestStore, startRestStore } from '../support/rest-store';
import { startTcpProxy, type TcpProxy } from '../support/tcp-proxy';

const LIMIT = 10;
const REPLICAS = 4;
/** The time limit of the store. */
const STORE_TIMEOUT_MS = 150;
/** The delay of a busy machine. Fifty requests that waited one after the other would take 7.5 s. */
const BUSY_MS = 850;

const gauge = async (driver: string) => {
  const { values } = await register.getSingleMetric('shared_store_up')!.get();
  return values.find(({ labels }) => labels.driver === driver)?.value;
};
const sleep = (milliseconds: number) => new Promise((resolve) => setTimeout(resolve, milliseconds));
const timed = async (work: () => Promise<unknown>) => {
  const begun = performance.now();
  await work();
  return performance.now() - begun;
};
const until = async (holds: () => Promise<boolean>) => {
  while (!(await holds())) await sleep(20);
};

describeWithRedis('a shared store that dies', () => {
  let redis: TestRedis;
  let rest: RestStore;
  beforeAll(async () => {
    redis = await startRedis();
    rest = await startRestStore(redis.url, 1);
  });
  afterAll(async () => {
    await rest.stop();
    await redis.stop();
    await stopRedisServers();
  });

  const restPort = () => Number(new URL(rest.url).port);

  const faults = {
    redis: {
      refused: (proxy: TcpProxy) => proxy.refuse(),
      hung: (proxy: TcpProxy) => proxy.hang(),
      slow: (proxy: TcpProxy) => proxy.delay(250),
      'answering garbage': (proxy: TcpProxy) => proxy.answerWith('HTTP/1.1 400 Bad Request\r\n\r\n'),
      'answering what was not asked': (proxy: TcpProxy) => proxy.answerWith('+OK\r\n'),
    },
    rest: {
      refused: (proxy: TcpProxy) => proxy.refuse(),
      hung: (proxy: TcpProxy) => proxy.hang(),
      slow: (proxy: TcpProxy) => proxy.delay(250),
      failing: () => rest.setFault('error-500'),
      'answering garbage': () => rest.setFault('garbage'),
      'answering what was not asked': () => rest.setFault('wrong-type'),
      'answering byte by byte': () => rest.setFault('drip'),
    },
  };
  const cases = (['redis', 'rest'] as const).flatMap((driver) =>
    Object.entries(faults[driver]).map(([name, begin]) => [driver, name, begin] as const),
  );

  describe.each(cases)('(%s, %s)', (driver, name, begin) => {
    const up = () => gauge(driver);
    const direct = () => (driver === 'redis' ? redis.port : restPort());
    let proxy: TcpProxy;
    let log: string[];
    let store: SharedStore;
    let other: SharedStore;
    const bucket = `${driver} ${name}`;
    beforeAll(async () => {
      proxy = await startTcpProxy(direct());
      log = [];
      const open = (port: number, lines: string[]) =>
        openSharedStore(settings(driver, port, rest), logInto(lines));
      store = await open(proxy.port, log);
      other = await open(direct(), []);
    });
    afterAll(async () => {
      rest.setFault('none');
      await Promise.all([store.close(), other.close()]);
      await proxy.stop();
    });

    it('an outage delays requests once and logs one line, and the store is used again afterwards', async () => {
      const { quotas, cache } = store;
      expect(await up()).toBe(1);
      expect(await quotas.consume(bucket, LIMIT)).toMatchObject({ allowed: true, remaining: LIMIT - 1 });
      const { loadLock } = (await cache.claim(bucket, undefined)) as { loadLock: LoadLock };
      await cache.put(bucket, loadLock, 'before', 60_000);
      expect(await other.cache.get(bucket)).toMatchObject({ value: 'before' });

      begin(proxy);
      const lastOne = sleep(80).then(() => timed(() => cache.get(bucket)));
      const crowd = await timed(() => Promise.all(Array.from({ length: 50 }, () => cache.get(bucket))));
      expect(crowd).toBeLessThan(STORE_TIMEOUT_MS + BUSY_MS);
      expect(await up()).toBe(0);
      // This request began 80 ms after the others and ended together with them.
      expect(await lastOne).toBeLessThan(Math.max(crowd, 120));
      const answers: boolean[] = [];
      const later = await timed(async () => {
        for (let n = 0; n < 20; n++) answers.push((await quotas.consume(bucket, LIMIT)).allowed);
        expect(await cache.get(bucket)).toBeUndefined();
        expect(await cache.claim(bucket, undefined)).toEqual({ outcome: 'load', loadLock: undefined });
        await cache.invalidate(bucket);
      });
      expect(later).toBeLessThan(STORE_TIMEOUT_MS);
      expect(answers.filter(Boolean)).toHaveLength(Math.floor(LIMIT / REPLICAS));
      expect(await quotas.consume(`${bucket} least`, 1)).toMatchObject({ allowed: true });
      // Waits until a probe has failed again.
      await sleep(500);
      expect(log.map((line) => JSON.parse(line).msg)).toEqual([
        'shared store answers',
        expect.stringMatching(/^shared store is down/),
      ]);
      expect(log.join()).not.toMatch(/rest-token|availability:/);

      proxy.resume();
      rest.setFault('none');
      await until(async () => (await up()) === 1);
      expect(log).toHaveLength(3);
      expect(await other.cache.get(bucket)).toBeUndefined();
      expect((await quotas.consume(bucket, LIMIT)).remaining).toBeLessThanOrEqual(LIMIT - 2);
    });
  });

  it('a store that is down does not delay the start of a service, which uses it later', async () => {
    const late = await startRedis();
    await late.kill();
    const log: string[] = [];
    let store!: SharedStore;
    const took = await timed(
      async () => (store = await openSharedStore(settings('redis', late.port, rest), logInto(log))),
    );
    expect(took).toBeLessThan(2_000);
    expect(await store.quotas.consume('b', LIMIT)).toMatchObject({ allowed: true });
    await late.restart();
    await until(async () => (await gauge('redis')) === 1);
    expect(log.map((line) => JSON.parse(line).level)).toEqual([40, 30]);
    await store.close();
    await late.stop();
  });

  it('a store is used again after it answered many probes byte by byte', async () => {
    const store = await openSharedStore(settings('rest', restPort(), rest), logInto([]));
    rest.setFault('drip');
    const before = rest.requests.length;
    await store.cache.get('any');
    await until(async () => rest.requests.length > before + 16);
    rest.setFault('none');
    await until(async () => (await gauge('rest')) === 1);
    expect(await store.quotas.consume('after', LIMIT)).toMatchObject({ allowed: true });
    await store.close();
  });

  it('a store that closes an idle connection stays in use', async () => {
    const log: string[] = [];
    const store = await openSharedStore(settings('redis', redis.port, rest), logInto(log));
    const client = new Redis(redis.url);
    await client.call('CLIENT', 'KILL', 'TYPE', 'normal', 'SKIPME', 'yes');
    await sleep(150);
    expect((await store.quotas.consume('idle', LIMIT)).remaining).toBe(LIMIT - 1);
    expect(log).toHaveLength(1);
    client.disconnect();
    await store.close();
  });

  it('a store stays in use when this process stalls', async () => {
    const log: string[] = [];
    const store = await openSharedStore(settings('redis', redis.port, rest), logInto(log));
    const asked = Promise.all(Array.from({ length: 20 }, () => store.quotas.consume('stall', LIMIT)));
    await new Promise((resolve) => setImmediate(resolve));
    for (const end = Date.now() + 400; Date.now() < end;);
    await asked;
    expect(log).toHaveLength(1);
    await store.close();
  });
});

function settings(driver: 'redis' | 'rest', port: number, rest: RestStore) {
  const env =
    driver === 'redis'
      ? { REDIS_URL: `redis://127.0.0.1:${port}` }
      : { CACHE_REST_URL: `http://127.0.0.1:${port}`, CACHE_REST_TOKEN: rest.token };
  return { sharedStore: loadConfig(env).sharedStore, replicas: REPLICAS, timing: { probeEveryMs: 150 } };
}

function logInto(lines: string[]) {
  return pino(
    { level: 'info' },
    new Writable({
      write(chunk: Buffer, _encoding, done) {
        lines.push(chunk.toString());
        done();
      },
    }),
  );
}

import { Redis } from 'ioredis';
import { createLogger } from '../../services/platform/logger';
import { openSharedStore, type SharedStore } from '../../services/platform/shared-store/shared-store';
import { loadConfig } from '../../services/platform/config/config';
import { freePorts } from '../support/free-ports';
import {
  describeWithRedis,
  startRedis,
  startSentinel,
  stopRedisServers,
  type TestRedis,
} from '../support/redis';

const log = createLogger('silent', 'test');
afterAll(stopRedisServers);
const LIMIT = 1000;

const open = (url: string) =>
  openSharedStore(
    { sharedStore: loadConfig({ REDIS_URL: url }).sharedStore, replicas: 100, timing: { probeEveryMs: 100 } },
    log,
  );

/** Returns whether the store counted the request. A process that counts in its own memory grants only ten of a thousand requests. */
const isShared = async (store: SharedStore, bucket: string) =>
  (await store.quotas.consume(bucket, LIMIT)).remaining > 10;

const until = async (holds: () => Promise<boolean>) => {
  while (!(await holds())) await new Promise((resolve) => setTimeout(resolve, 50));
};

describeWithRedis('a Redis address with a password', () => {
  let redis: TestRedis;
  beforeAll(async () => (redis = await startRedis(['--requirepass', 'p@ss/w:rd'])));
  afterAll(() => redis.stop());

  it.each([
    [':p%40ss%2Fw%3Ard@', true],
    ['default:p%40ss%2Fw%3Ard@', true],
    ['default:wrong@', false],
    ['', false],
  ])('the address redis://%s reaches a Redis with a password: %s', async (user, expected) => {
    const store = await open(`redis://${user}127.0.0.1:${redis.port}/3`);
    expect(await isShared(store, 'b')).toBe(expected);
    await store.close();
  });
});

describeWithRedis('a shared store behind Redis Sentinel', () => {
  it('the shared store continues with the replica that Sentinel promotes', async () => {
    const master = await startRedis();
    const replica = await startRedis(['--replicaof', '127.0.0.1', `${master.port}`]);
    const client = new Redis(replica.url);
    await until(async () => (await client.info('replication')).includes('master_link_status:up'));
    const sentinel = await startSentinel(master);
    const asked = new Redis({ port: sentinel.port });
    await until(async () => ((await asked.call('SENTINEL', 'REPLICAS', 'tours')) as unknown[]).length === 1);
    // No server answers at the first address, so the store must use the second one.
    const store = await open(`redis+sentinel://127.0.0.1:1,127.0.0.1:${sentinel.port}/tours`);
    expect(await isShared(store, 'before')).toBe(true);

    await master.kill();
    expect(await isShared(store, 'at once')).toBe(false);
    await until(() => isShared(store, 'after'));
    expect((await client.role())[0]).toBe('master');

    await store.close();
    for (const connection of [client, asked]) connection.disconnect();
    await sentinel.stop();
    await Promise.all([master.stop(), replica.stop()]);
  });
});

describeWithRedis('a shared store on a Redis Cluster', () => {
  it('the shared store uses each node of a cluster, and is down while one is missing', async () => {
    const ports = [await freePorts(), await freePorts()] as const;
    const start = (bus: number) =>
      startRedis([
        '--cluster-enabled',
        'yes',
        '--cluster-config-file',
        'nodes.conf',
        '--cluster-port',
        `${bus}`,
        '--cluster-require-full-coverage',
        'no',
        '--cluster-node-timeout',
        '1000',
      ]);
    const nodes = [await start(ports[0][1]), await start(ports[1][1])] as const;
    const clients = nodes.map(({ url }) => new Redis(url));
    await clients[0]!.call('CLUSTER', 'ADDSLOTSRANGE', '0', '8191');
    await clients[1]!.call('CLUSTER', 'ADDSLOTSRANGE', '8192', '16383');
    await clients[0]!.call('CLUSTER', 'MEET', '127.0.0.1', `${nodes[1].port}`, `${ports[1][1]}`);
    const sees = async (client: Redis) =>
      /cluster_state:ok\r\ncluster_slots_assigned:16384/.test(
        (await client.call('CLUSTER', 'INFO')) as string,
      );
    await until(async () => (await Promise.all(clients.map(sees))).every(Boolean));

    const store = await open(`redis+cluster://127.0.0.1:${nodes[0].port}`);
    const buckets = Array.from({ length: 30 }, (_, n) => `b${n}`);
    for (const bucket of buckets) expect(await isShared(store, bucket)).toBe(true);
    const kept = await Promise.all(clients.map((client) => client.keys('quota:*')));
    expect(kept.map((keys) => keys.length > 0)).toEqual([true, true]);
    const there = kept[1]![0]!.slice(`quota:${LIMIT}:`.length);

    await nodes[1].kill();
    expect(await isShared(store, there)).toBe(false);
    // The outage continues although one node answers, because the probes go to the missing node.
    await new Promise((resolve) => setTimeout(resolve, 1000));
    for (const bucket of buckets) expect(await isShared(store, bucket)).toBe(false);
    await nodes[1].restart();
    await until(() => isShared(store, there));

    await store.close();
    clients.forEach((client) => client.disconnect());
    await Promise.all(nodes.map((node) => node.stop()));
  });
});

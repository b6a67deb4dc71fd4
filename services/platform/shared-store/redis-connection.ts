import { setTimeout as sleep } from 'node:timers/promises';
import { Cluster, Redis, type RedisOptions } from 'ioredis';
import type { RedisAddress } from './store-address';
import { StoreError, type StoreConnection } from './store-connection';

type Client = Redis | Cluster;
type Command = (key: string, ...args: string[]) => Promise<unknown>;

const CONNECT_MS = 500;

/** Once: a server that closes idle connections is no fault. Whether it is away, the guard finds out. */
const reconnectOnce = (times: number) => (times === 1 ? 10 : null);

/**
 * A client that never waits, queues or tries again by itself: whoever asks is told at once, and the store's guard decides when
 * to try again. (With ioredis' defaults a command was pending for over 8 s while the server was away.)
 */
const IMPATIENT = {
  lazyConnect: true,
  enableOfflineQueue: false,
  retryStrategy: reconnectOnce,
  maxRetriesPerRequest: 0,
  autoResendUnfulfilledCommands: false,
  connectTimeout: CONNECT_MS,
  disconnectTimeout: 100,
  // Beyond the guard's own patience: so that a server that hangs leaves no promises behind.
  commandTimeout: CONNECT_MS,
} satisfies RedisOptions;

export function openRedisConnection(address: RedisAddress): StoreConnection {
  let client: Client | undefined;
  let names = new Map<string, string>();
  return {
    run({ lua }, key, args) {
      if (client?.status !== 'ready') return Promise.reject(new StoreError('Not connected to Redis'));
      return commandOf(client, names, lua)(key, ...args);
    },
    async renew() {
      client?.disconnect();
      client = undefined;
      names = new Map();
      client = await connect(address);
    },
    close() {
      client?.disconnect();
      return Promise.resolve();
    },
  };
}

/** Sent by its digest, and whole only to a server that does not know it yet. */
function commandOf(client: Client, names: Map<string, string>, lua: string): Command {
  let name = names.get(lua);
  if (!name) {
    names.set(lua, (name = `script${names.size}`));
    client.defineCommand(name, { lua, numberOfKeys: 1 });
  }
  return (client as unknown as Record<string, Command>)[name]!.bind(client);
}

async function connect(address: RedisAddress): Promise<Client> {
  const client = createClient(address);
  let reason: Error | undefined;
  client.on('error', (error: Error) => (reason = error));
  const patience = new AbortController();
  try {
    // A cluster's connect() that is disconnected half-way never settles.
    const late = sleep(2 * CONNECT_MS, undefined, { signal: patience.signal });
    await Promise.race([client.connect(), late]);
    if (client.status !== 'ready') throw new StoreError('Redis did not let us in in time');
    return client;
  } catch (error) {
    client.disconnect();
    // "Connection is closed" otherwise, whatever closed it.
    throw reason ?? error;
  } finally {
    patience.abort();
  }
}

function createClient(address: RedisAddress): Client {
  const { form, hosts, tls, username, password, database } = address;
  const node = { ...IMPATIENT, username, password, ...(tls && { tls: {} }) };
  if (form === 'cluster') return createCluster(hosts, node);
  if (form === 'single') return new Redis({ ...node, ...hosts[0], db: database });
  return new Redis({
    ...node,
    db: database,
    sentinels: hosts,
    name: address.master,
    sentinelUsername: address.sentinelUsername,
    sentinelPassword: address.sentinelPassword,
    sentinelRetryStrategy: () => null,
    sentinelCommandTimeout: CONNECT_MS,
    ...(tls && { enableTLSForSentinelMode: true, sentinelTLS: {} }),
  });
}

function createCluster(hosts: RedisAddress['hosts'], node: RedisOptions): Cluster {
  return new Cluster(hosts, {
    lazyConnect: true,
    enableOfflineQueue: false,
    clusterRetryStrategy: () => null,
    clusterNodeRetryStrategy: reconnectOnce,
    slotsRefreshTimeout: CONNECT_MS,
    redisOptions: node,
    // Managed clusters have certificates for names, which their nodes do not know of themselves.
    ...(node.tls && { dnsLookup: (host, callback) => callback(null, host) }),
  });
}

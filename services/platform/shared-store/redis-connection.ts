import { setTimeout as sleep } from 'node:timers/promises';
import { Cluster, Redis, type RedisOptions } from 'ioredis';
import { adviseOnRedis } from './redis-advice';
import type { RedisAddress } from './store-address';
import { COMMAND_TIMEOUT_MS, StoreError, type StoreConnection } from './store-guard';

type Client = Redis | Cluster;
type Command = (key: string, ...args: string[]) => Promise<unknown>;

const CONNECT_MS = 500;
const NOT_CONNECTED =
  'There is no connection to Redis. It is opened again by itself; if that takes long, check REDIS_URL';

/** Reconnects once: servers close idle connections. The guard detects a server that is down. */
const reconnectOnce = (times: number) => (times === 1 ? 10 : null);

/**
 * Options of a client that never waits, queues or retries. Callers get the error at once, and the guard (store-guard.ts) decides when to
 * retry. (With ioredis' defaults, a command was pending for over 8 s while the server was down.)
 */
const FAIL_FAST = {
  lazyConnect: true,
  enableOfflineQueue: false,
  retryStrategy: reconnectOnce,
  maxRetriesPerRequest: 0,
  autoResendUnfulfilledCommands: false,
  connectTimeout: CONNECT_MS,
  disconnectTimeout: 100,
} satisfies RedisOptions;

/** @param timeoutMs ends a command that hangs */
export function openRedisConnection(address: RedisAddress, timeoutMs = COMMAND_TIMEOUT_MS): StoreConnection {
  let client: Client | undefined;
  let names = new Map<string, string>();
  return {
    run({ lua }, key, args) {
      if (client?.status !== 'ready') return Promise.reject(new StoreError(NOT_CONNECTED));
      return commandOf(client, names, lua)(key, ...args);
    },
    async renew() {
      client?.disconnect();
      client = undefined;
      names = new Map();
      client = await connect(address, timeoutMs);
    },
    close() {
      client?.disconnect();
      return Promise.resolve();
    },
  };
}

/** Returns a command that sends only the script's digest. Sends the whole script to a server that does not know the digest. */
function commandOf(client: Client, names: Map<string, string>, lua: string): Command {
  let name = names.get(lua);
  if (!name) {
    names.set(lua, (name = `script${names.size}`));
    client.defineCommand(name, { lua, numberOfKeys: 1 });
  }
  return (client as unknown as Record<string, Command>)[name]!.bind(client);
}

async function connect(address: RedisAddress, timeoutMs: number): Promise<Client> {
  const client = createClient(address, timeoutMs);
  let reason: Error | undefined;
  client.on('error', (error: Error) => (reason = error));
  let nodeReason: Error | undefined;
  client.on('node error', (error: Error) => (nodeReason ??= error));
  const connected = new AbortController();
  try {
    // Adds a timeout, because connect() of a cluster never settles when the connection breaks half-way.
    const timeout = sleep(2 * CONNECT_MS, undefined, { signal: connected.signal });
    await Promise.race([client.connect(), timeout]);
    if (client.status !== 'ready')
      throw new StoreError(
        `Redis did not answer within ${(2 * CONNECT_MS) / 1000} s: check REDIS_URL, and the network to it`,
      );
    // The client ignores a refused SELECT, and would use database 0.
    if (address.database > 0) await (client as Redis).select(address.database);
    return client;
  } catch (error) {
    client.disconnect();
    // Prefers a recorded reason: ioredis itself says "Connection is closed", and a cluster that it did not find a node.
    throw adviseOnRedis(nodeReason ?? reason ?? error, address);
  } finally {
    connected.abort();
  }
}

function createClient(address: RedisAddress, commandTimeout: number): Client {
  const { form, hosts, tls, username, password, database } = address;
  const node = { ...FAIL_FAST, commandTimeout, username, password, ...(tls && { tls: {} }) };
  if (form === 'cluster') return createRedisCluster(hosts, node);
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

function createRedisCluster(hosts: RedisAddress['hosts'], node: RedisOptions): Cluster {
  return new Cluster(hosts, {
    lazyConnect: true,
    enableOfflineQueue: false,
    clusterRetryStrategy: () => null,
    clusterNodeRetryStrategy: reconnectOnce,
    slotsRefreshTimeout: CONNECT_MS,
    redisOptions: node,
    // Connects by host name, not by address, because the certificates of managed clusters contain only host names.
    ...(node.tls && { dnsLookup: (host, callback) => callback(null, host) }),
  });
}

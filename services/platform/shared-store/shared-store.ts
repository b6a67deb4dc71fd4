import { type CacheStore, createMemoryCacheStore, createGuardedCacheStore } from './cache-store';
import type { Logger } from '../logger';
import { createMemoryQuotaStore, createSharedQuotaStore, type QuotaStore } from './quota-store';
import { openRedisConnection } from './redis-connection';
import { openRestConnection } from './rest-connection';
import type { StoreAddress } from './store-address';
import {
  toStoreError,
  PROBE_SCRIPT,
  type StoreConnection,
  StoreError,
  guardStore,
  STORE_TIMEOUT_MS,
  type StoreTiming,
} from './store-guard';

/** Quotas and cache that all instances of a service share. */
export interface SharedStore {
  quotas: QuotaStore;
  cache: CacheStore;
  close(): Promise<void>;
}

interface StoreSettings {
  /** Undefined: in memory, for one instance. */
  sharedStore: StoreAddress | undefined;
  /** Number of instances that share a quota while the store is down. */
  replicas: number;
  /** Set by tests only. */
  timing?: StoreTiming;
}

/** Opens the shared store. Resolves within about a second even if the store is down, because the service also starts without the store. */
export async function openSharedStore(settings: StoreSettings, log: Logger): Promise<SharedStore> {
  const { sharedStore: address, replicas } = settings;
  if (!address) {
    return { quotas: createMemoryQuotaStore(), cache: createMemoryCacheStore(), close: async () => {} };
  }
  const guard = guardStore(connectionTo(address, settings.timing), address.kind, log, settings.timing);
  const store = {
    quotas: createSharedQuotaStore(guard.run, replicas),
    cache: createGuardedCacheStore(guard),
    close: () => guard.close(),
  };
  await guard.start();
  return store;
}

/**
 * Tests the store for tourctl doctor.
 * @returns the duration of a round trip
 * @throws StoreError with the reason why the store cannot be used
 */
export async function probeStore(address: StoreAddress): Promise<{ roundTripMs: number }> {
  const connection = connectionTo(address);
  const probe = async () => PROBE_SCRIPT.read(await connection.run(PROBE_SCRIPT, 'probe:{doctor}', ['well']));
  try {
    await connection.renew();
    // Measures only the second round trip, because the first one may include the TLS handshake.
    await probe();
    const startedAt = performance.now();
    await probe();
    const roundTripMs = Math.ceil(performance.now() - startedAt);
    if (roundTripMs > STORE_TIMEOUT_MS)
      throw new StoreError(
        `A round trip takes ${roundTripMs} ms: over ${STORE_TIMEOUT_MS} ms the store is not used`,
      );
    return { roundTripMs };
  } catch (error) {
    throw toStoreError(error);
  } finally {
    await connection.close();
  }
}

function connectionTo(address: StoreAddress, { commandTimeoutMs }: StoreTiming = {}): StoreConnection {
  return address.kind === 'redis'
    ? openRedisConnection(address, commandTimeoutMs)
    : openRestConnection(address, commandTimeoutMs);
}

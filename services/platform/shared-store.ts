import { type CacheStore, createMemoryCacheStore } from './cache-store';
import type { Logger } from './logger';
import { createMemoryQuotaStore, type QuotaStore } from './quota-store';
import { openRedisConnection } from './shared-store/redis-connection';
import { openRestConnection } from './shared-store/rest-connection';
import { createGuardedCacheStore } from './shared-store/shared-cache-store';
import { createGuardedQuotaStore } from './shared-store/shared-quota-store';
import type { StoreAddress } from './shared-store/store-address';
import { describeFault, PROBE, type StoreConnection, StoreError } from './shared-store/store-connection';
import { guardStore, PATIENCE_MS, type StoreTiming } from './shared-store/store-guard';

/** What the instances of a service share. */
export interface SharedStore {
  quotas: QuotaStore;
  cache: CacheStore;
  close(): Promise<void>;
}

interface StoreSettings {
  /** Undefined: in memory, for one instance. */
  sharedStore: StoreAddress | undefined;
  /** How many instances share a quota while the store is away. */
  replicas: number;
  /** For tests alone. */
  timing?: StoreTiming;
}

/** Resolves within about a second with the store reached or not: what dies later may be dead at the start. */
export async function openSharedStore(settings: StoreSettings, log: Logger): Promise<SharedStore> {
  const { sharedStore: address, replicas } = settings;
  if (!address) {
    return { quotas: createMemoryQuotaStore(), cache: createMemoryCacheStore(), close: async () => {} };
  }
  const guard = guardStore(connectionTo(address), address.kind, log, settings.timing);
  const store = {
    quotas: createGuardedQuotaStore(guard, replicas),
    cache: createGuardedCacheStore(guard),
    close: () => guard.close(),
  };
  await guard.start();
  return store;
}

/** Whether the store would be used, for a person. @returns how long a round trip takes @throws StoreError why it does not work */
export async function tryStore(address: StoreAddress): Promise<{ roundTripMs: number }> {
  const connection = connectionTo(address);
  const ask = async () => PROBE.read(await connection.run(PROBE, 'probe:{doctor}', ['well']));
  try {
    await connection.renew();
    // The first one may still have to shake hands.
    await ask();
    const asked = performance.now();
    await ask();
    const roundTripMs = Math.ceil(performance.now() - asked);
    if (roundTripMs > PATIENCE_MS)
      throw new StoreError(
        `A round trip takes ${roundTripMs} ms: over ${PATIENCE_MS} ms the store is not used`,
      );
    return { roundTripMs };
  } catch (error) {
    throw describeFault(error);
  } finally {
    await connection.close();
  }
}

function connectionTo(address: StoreAddress): StoreConnection {
  return address.kind === 'redis' ? openRedisConnection(address) : openRestConnection(address);
}

import { LRUCache } from 'lru-cache';

/**
 * What a cache needs of its store. One caller at a time, across all instances, has the lease to load a key; and what it loads
 * is kept only where nobody has invalidated the key since, so that a load begun before a commit cannot put the old value back.
 * All times are milliseconds by the store's own clock.
 */
export interface CacheStore {
  get(key: string): Promise<CachedValue | undefined>;
  /**
   * Asks for the lease.
   * @param judged id of the value that the caller has seen and wants replaced; a value with another id is news to it
   */
  claim(key: string, judged: string | undefined): Promise<Claim>;
  /** Keeps the value, as old as its lease, and ends the lease. @returns whether nobody invalidated the key since the lease */
  put(key: string, lease: Lease, value: string, ttlMs: number): Promise<boolean>;
  /** Ends the lease with nothing loaded. */
  release(key: string, lease: Lease): Promise<void>;
  /** After a commit: forgets the value, and whatever is being loaded. Never rejects. */
  invalidate(key: string): Promise<void>;
}

export interface CachedValue {
  id: string;
  value: string;
  ageMs: number;
}

export interface Lease {
  /** Becomes the id of the value that is put under it. */
  token: string;
  /** The fence: of all leases since the key was last invalidated. */
  generation: string;
  grantedAt: number;
}

export type Claim =
  | { outcome: 'found'; found: CachedValue }
  | { outcome: 'busy' }
  /** No lease where the store is away: load, and keep it to yourself. */
  | { outcome: 'load'; lease: Lease | undefined };

/** After that another one may load as well: the first may be dead. What either loads is good. */
export const LEASE_MS = 2_000;
/** Longer than any load takes, a statement's 15 s included: after it, what is loaded is refused. */
export const GENERATION_MS = 20_000;
/** No value lives longer, so what could not be invalidated need not be remembered longer either. */
export const TTL_MAX_MS = 120_000;

const MAX_ENTRIES = 50_000;

interface Entry {
  value: CachedValue | undefined;
  at: number;
  expiresAt: number;
  generation: string;
  generationUntil: number;
  token: string | undefined;
  busyUntil: number;
}

/**
 * For one instance: what another process invalidates is not seen here.
 * @param now milliseconds; a test moves it
 */
export function createMemoryCacheStore(now: () => number = () => performance.now()): CacheStore {
  const entries = new LRUCache<string, Entry>({ max: MAX_ENTRIES });
  let leases = 0;

  function lookUp(key: string): CachedValue | undefined {
    const entry = entries.get(key);
    if (!entry?.value || now() >= entry.expiresAt) return undefined;
    return { ...entry.value, ageMs: now() - entry.at };
  }

  return {
    get: async (key) => lookUp(key),
    async claim(key, judged) {
      const found = lookUp(key);
      if (found && found.id !== judged) return { outcome: 'found', found };
      const entry = entries.get(key) ?? { ...EMPTY };
      if (now() < entry.busyUntil) return { outcome: 'busy' };
      const token = String(++leases);
      if (now() >= entry.generationUntil) entry.generation = token;
      entries.set(key, entry);
      Object.assign(entry, { token, busyUntil: now() + LEASE_MS, generationUntil: now() + GENERATION_MS });
      return { outcome: 'load', lease: { token, generation: entry.generation, grantedAt: now() } };
    },
    async put(key, { token, generation, grantedAt }, value, ttlMs) {
      const entry = entries.get(key);
      if (entry?.generation !== generation || now() >= entry.generationUntil) return false;
      if (entry.token === token) entry.busyUntil = 0;
      const expiresAt = grantedAt + Math.min(Math.floor(ttlMs), TTL_MAX_MS);
      if (now() < expiresAt && grantedAt >= entry.at)
        Object.assign(entry, { value: { id: token, value }, at: grantedAt, expiresAt });
      return true;
    },
    async release(key, { token }) {
      const entry = entries.get(key);
      if (entry?.token === token) entry.busyUntil = 0;
    },
    async invalidate(key) {
      entries.delete(key);
    },
  };
}

const EMPTY: Entry = {
  value: undefined,
  at: -Infinity,
  expiresAt: 0,
  generation: '',
  generationUntil: -Infinity,
  token: undefined,
  busyUntil: -Infinity,
};

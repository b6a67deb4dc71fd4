import { randomUUID } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import {
  type CachedValue,
  type CacheStore,
  type Claim,
  GENERATION_MS,
  LEASE_MS,
  TTL_MAX_MS,
} from '../cache-store';
import { isListOf, readClock, STORE_CLOCK, type StoreScript, wrongReply } from './store-connection';
import type { Backlog, RunScript, StoreGuard } from './store-guard';

const MISSED_MAX = 100_000;
const FLUSH_AT_ONCE = 100;

type Found = [id: string, value: string, ageMs: number];

/**
 * The algorithm of cache-store.ts: one hash a key, with value and lease in it, so that one DEL forgets both. When something is
 * over, the fields say, by the store's clock; PEXPIRE only tidies. What is not a hash is not ours.
 */
function cacheScripts(clock: string) {
  const open = `${readClock(clock)}
local entry = redis.pcall('HMGET', KEYS[1], 'id', 'value', 'at', 'expires', 'generation', 'until', 'token', 'busy')
if entry.err then redis.call('DEL', KEYS[1]) entry = {} end
local id, value, at, expires = entry[1], entry[2], tonumber(entry[3] or 0) or 0, tonumber(entry[4] or 0) or 0
local generation, kept, token, busy = entry[5], tonumber(entry[6] or 0) or 0, entry[7], tonumber(entry[8] or 0) or 0
local live = id and value and now < expires`;
  const get: StoreScript<CachedValue | undefined> = {
    lua: `${open}
if live then return {id, value, now - at} end
return false`,
    read: (reply) => (reply === null ? undefined : readFound(reply)),
  };
  const claim: StoreScript<Claim | [generation: string, grantedAt: number]> = {
    lua: `${open}
if live and id ~= ARGV[1] then return {id, value, now - at} end
if now < busy then return false end
if not generation or now >= kept then generation = ARGV[2] end
kept = now + ${GENERATION_MS}
redis.call('HSET', KEYS[1], 'generation', generation, 'until', kept, 'token', ARGV[2], 'busy', now + ${LEASE_MS})
redis.call('PEXPIRE', KEYS[1], math.max(kept, expires) - now)
return {generation, now}`,
    read(reply) {
      if (reply === null) return { outcome: 'busy' };
      if (isListOf<[string, number]>(reply, 'string', 'number')) return reply;
      return { outcome: 'found', found: readFound(reply) };
    },
  };
  const put: StoreScript<boolean> = {
    lua: `${open}
if generation ~= ARGV[2] or now >= kept then return 0 end
if token == ARGV[1] then redis.call('HDEL', KEYS[1], 'busy') end
local granted = tonumber(ARGV[3])
local wanted = granted + tonumber(ARGV[5])
if now < wanted and granted >= at then
  redis.call('HSET', KEYS[1], 'id', ARGV[1], 'value', ARGV[4], 'at', granted, 'expires', wanted)
  redis.call('PEXPIRE', KEYS[1], math.max(kept, wanted) - now)
end
return 1`,
    read: readFlag,
  };
  const release: StoreScript<boolean> = {
    lua: `${open}
if token ~= ARGV[1] then return 0 end
return redis.call('HDEL', KEYS[1], 'busy')`,
    read: readFlag,
  };
  return { get, claim, put, release };
}

const INVALIDATE: StoreScript<boolean> = {
  lua: `return redis.call('DEL', KEYS[1])`,
  read: readFlag,
};

function readFound(reply: unknown): CachedValue {
  if (!isListOf<Found>(reply, 'string', 'string', 'number')) throw wrongReply();
  const [id, value, ageMs] = reply;
  return { id, value, ageMs };
}

function readFlag(reply: unknown): boolean {
  if (reply !== 0 && reply !== 1) throw wrongReply();
  return reply === 1;
}

/** A cache that all instances share. @throws what `run` throws, also from invalidate */
export function createScriptedCacheStore(run: RunScript, clock = STORE_CLOCK): CacheStore {
  const scripts = cacheScripts(clock);
  return {
    get: (key) => run(scripts.get, key),
    async claim(key, judged = '') {
      const token = randomUUID();
      const answer = await run(scripts.claim, key, [judged, token]);
      if (!Array.isArray(answer)) return answer;
      const [generation, grantedAt] = answer;
      return { outcome: 'load', lease: { token, generation, grantedAt } };
    },
    put(key, { token, generation, grantedAt }, value, ttlMs) {
      const ttl = Math.min(Math.floor(ttlMs), TTL_MAX_MS);
      return run(scripts.put, key, [token, generation, String(grantedAt), value, String(ttl)]);
    },
    release: async (key, { token }) => void (await run(scripts.release, key, [token])),
    invalidate: async (key) => void (await run(INVALIDATE, key)),
  };
}

/**
 * While the store is away nothing is cached: a process's own memory would not hear of what the others sell. What could not be
 * invalidated is remembered, and made good before this process reads from the store again.
 */
export function createGuardedCacheStore(guard: StoreGuard): CacheStore {
  const shared = createScriptedCacheStore(guard.run);
  const missed = createMissedInvalidations();
  guard.setBacklog(missed.backlog);
  // That the store fell, the guard has said.
  const unless = async <T>(away: T, ask: () => Promise<T>) => (guard.up ? ask().catch(() => away) : away);
  return {
    get: (key) => unless(undefined, () => shared.get(key)),
    claim: (key, judged) =>
      unless<Claim>({ outcome: 'load', lease: undefined }, () => shared.claim(key, judged)),
    put: (key, lease, value, ttlMs) => unless(false, () => shared.put(key, lease, value, ttlMs)),
    release: (key, lease) => unless(undefined, () => shared.release(key, lease)),
    invalidate: (key) => shared.invalidate(key).catch(() => missed.note(key)),
  };
}

function createMissedInvalidations(): { note(key: string): void; backlog: Backlog } {
  const missed = new LRUCache<string, true>({ max: MISSED_MAX, ttl: TTL_MAX_MS });
  const note = (key: string) => void missed.set(key, true);
  return {
    note,
    backlog: {
      size() {
        missed.purgeStale();
        return missed.size;
      },
      async flush(run) {
        const keys = [...missed.keys()].slice(0, FLUSH_AT_ONCE);
        // Forgotten first: noted again meanwhile, it stays.
        for (const key of keys) missed.delete(key);
        try {
          await Promise.all(keys.map((key) => run(INVALIDATE, key)));
        } catch (error) {
          keys.forEach(note);
          throw error;
        }
      },
    },
  };
}

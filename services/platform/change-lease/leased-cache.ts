import { LRUCache } from 'lru-cache';
import { Counter } from 'prom-client';
import type { Db } from '../database';
import type { ChangeLease } from './change-lease';

export interface Remembered<T> {
  value: T;
  /** By the database's clock, in milliseconds since the epoch: from then on it may be another. 0: it is not kept. */
  until: number;
  /** About how many KiB it takes. */
  size: number;
}

export interface LeasedCache {
  /**
   * What is remembered under the key, else what `load` finds in the database. Whoever asks for the same while it is being loaded
   * waits for that load; while the lease does not hold, everybody loads. Do not change what you get: others get it too.
   */
  recall<T>(key: string, load: () => Promise<Remembered<T>>): Promise<T>;
}

/** Where reads come from that may be remembered. */
export interface LeasedReads {
  db: Db;
  leased: LeasedCache;
}

/** Reads for a process that remembers nothing, such as a command. */
export function readAnew(db: Db): LeasedReads {
  return { db, leased: { recall: async (_key, load) => (await load()).value } };
}

const KIB = 1024;

const lookUps = new Counter({
  name: 'leased_cache_lookups_total',
  help: 'Look-ups in what this instance remembers, by what became of them; unleased: the lease did not hold.',
  labelNames: ['cache', 'outcome'],
});

/** @param maxSize KiB, about */
export function createLeasedCache(lease: ChangeLease, name: string, maxSize: number): LeasedCache {
  const kept = new LRUCache<string, Remembered<unknown>>({ maxSize });
  let flights = new Map<string, Promise<Remembered<unknown>>>();
  const count = (outcome: string) => lookUps.inc({ cache: name, outcome });

  lease.onChange(() => {
    kept.clear();
    // What was begun before the change ends for those who wait for it, and is not kept.
    flights = new Map();
  });

  const isGood = (found: Remembered<unknown>) => found.until > lease.latestDatabaseTime();

  function fly<T>(key: string, load: () => Promise<Remembered<T>>): Promise<Remembered<T>> {
    const own = flights;
    const flight = load();
    own.set(key, flight);
    flight.then(
      (found) => {
        own.delete(key);
        if (own === flights && isGood(found))
          kept.set(key, found, { size: Math.ceil(found.size + key.length / KIB) });
      },
      () => own.delete(key),
    );
    return flight;
  }

  return {
    async recall<T>(key: string, load: () => Promise<Remembered<T>>): Promise<T> {
      if (!lease.holds()) {
        count('unleased');
        return (await load()).value;
      }
      const flying = flights.get(key);
      const found = kept.get(key) ?? (flying && (await flying));
      if (found && isGood(found)) {
        count('hit');
        return found.value as T;
      }
      count('miss');
      return (await (lease.holds() ? fly(key, load) : load())).value;
    },
  };
}

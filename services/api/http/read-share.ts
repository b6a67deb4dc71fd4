import type { Request, Response } from 'express';
import type { CachedEntry, CachedReads, ReadCache } from '../../platform/read-cache/read-cache';
import { contextOf } from './api-context';
import { principalOf } from './authentication';
import { RateLimitedError } from './http.errors';
import { leavePlace } from './load-shedding';
import { giveBack } from './quota';

/**
 * Maximum number of reads of a key that use the database at a time in this process.
 * @rule the reads of a key that run at a time: test/api/read-share.long.test.ts
 */
const READS_AT_ONCE = 2;

/** Runs a read of the database within a limit. Gives the read the connections for reads. */
export type RunRead = <T>(read: (reads: CachedReads) => Promise<T>) => Promise<T>;

/** The requests that use their share now. */
const reading = new WeakSet<Request>();

/**
 * The share of an API key or a widget token in the database (ADR 61): two of its reads run at a time. A rotated key and its successors have
 * one share. A read that is answered from memory needs no share. A request that waits for its share gives its place back (load-shedding.ts).
 */
export class ReadShare {
  constructor(
    private readonly request: Request,
    private readonly response: Response,
  ) {}

  /**
   * Runs a read of the database. A read inside another read of the same request needs no further share.
   * @throws RateLimitedError after two seconds of waiting (429). The quota does not count this request
   */
  readonly run: RunRead = async (read) => {
    const { request, response } = this;
    const { reads: db, cache } = contextOf(request);
    const run = () => read({ db, cache });
    if (reading.has(request)) return run();
    let hasBegun = false;
    const runShared = () => {
      hasBegun = true;
      reading.add(request);
      return run().finally(() => reading.delete(request));
    };
    try {
      return await this.inTurn('reads', runShared, READS_AT_ONCE);
    } catch (error) {
      if (!hasBegun && error instanceof RateLimitedError) await giveBack(request, response);
      throw error;
    }
  };

  /**
   * Runs the read of a long list. One list of a kind runs at a time for each key.
   * @throws RateLimitedError after two seconds of waiting (429)
   */
  runList<T>(
    kind: 'products' | 'bookings' | 'departures',
    read: (reads: CachedReads) => Promise<T>,
  ): Promise<T> {
    return this.inTurn(`list of ${kind}`, () => this.run(read), 1);
  }

  /** Returns the cached reads of the request: takes the share only for what is not in the cache. */
  cached(): CachedReads {
    const { reads: db, cache } = contextOf(this.request);
    return { db, cache: this.limited(cache) };
  }

  private limited(cache: ReadCache): ReadCache {
    return { ...cache, get: (key, load) => loadInShare(cache, key, this.run, load) };
  }

  private inTurn<T>(name: string, work: () => Promise<T>, atOnce: number): Promise<T> {
    const { request, response } = this;
    const { familyId } = principalOf(request)!;
    const enterAgain = leavePlace(request, response);
    const workInPlace = async () => {
      const refusal = enterAgain();
      if (refusal) throw refusal;
      return work();
    };
    return contextOf(request).readsInTurn(`${name} ${familyId}`, workInPlace, atOnce);
  }
}

/**
 * Returns the cached value of the key, or loads the value in a share. A request that joins a running load needs no share. A request that
 * loads takes its share before the load begins, because requests of other keys may join the load.
 */
export async function loadInShare<T>(
  cache: ReadCache,
  key: string,
  run: RunRead,
  load: (reads: CachedReads) => Promise<CachedEntry<T>>,
): Promise<T> {
  const found = cache.peek<T>(key);
  if (found !== undefined) return found;
  if (cache.isLoading(key)) return cache.get(key, () => run(load));
  return run((reads) => cache.get(key, () => load(reads)));
}

/** Returns the share of the request's key. */
export function shareOf(request: Request): ReadShare {
  return new ReadShare(request, request.res!);
}

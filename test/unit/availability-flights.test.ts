import { setTimeout as sleep } from 'node:timers/promises';
import { createAvailabilityCache, dropCached } from '../../services/api/departures/availability-cache';
import { datesOfBothKinds } from '../../services/api/seats/after-commit';
import { type CacheStore, createMemoryCacheStore } from '../../services/platform/shared-store/cache-store';
import { createLogger } from '../../services/platform/logger';
import { useTestDatabase } from '../support/database';
import { givenDeparture, givenTour } from '../support/given';

const database = useTestDatabase();

describe('the listener of changed seats', () => {
  it('a change of both real seats and seats of the sandbox drops the two cached entries of the date', async () => {
    const { db } = database;
    const tour = await givenTour(db);
    const date = await givenDeparture(db, tour);
    const cache = createAvailabilityCache(db, createMemoryCacheStore(), createLogger('silent', 'test'));
    const sourcesOf = async () => {
      const answers = [false, true].map((sandbox) => cache.get(tour.id, date, sandbox, 1));
      return (await Promise.all(answers)).map(({ source }) => source);
    };
    await sourcesOf();
    expect(await sourcesOf()).toEqual(['hit', 'hit']);
    await dropCached(cache)(datesOfBothKinds(tour.id, date));
    expect(await sourcesOf()).toEqual(['miss', 'miss']);
  });
});

describe('concurrent loads of one date', () => {
  it('requests after an invalidation start a new load and share it', async () => {
    const { db } = database;
    const tour = await givenTour(db);
    const date = await givenDeparture(db, tour);
    // A load first claims its load lock, and then waits until the test resolves its promise.
    const gates: (() => void)[] = [];
    const store = createMemoryCacheStore();
    const claim: CacheStore['claim'] = async (key, judged) => {
      const claimed = await store.claim(key, judged);
      await new Promise<void>((open) => gates.push(open));
      return claimed;
    };
    const cache = createAvailabilityCache(db, { ...store, claim }, createLogger('silent', 'test'));
    const begun = (loads: number) => until(() => gates.length === loads);

    const before = cache.get(tour.id, date, false, 1);
    await begun(1);
    await cache.drop(tour.id, date, false);
    const after = cache.get(tour.id, date, false, 1);
    await begun(2);
    gates[0]!();
    await before;
    const later = cache.get(tour.id, date, false, 1);
    // Only an unexpected third load would start now.
    await sleep(50);

    expect(gates).toHaveLength(2);
    gates[1]!();
    expect(await later).toEqual(await after);
  });
});

async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await sleep(5);
}

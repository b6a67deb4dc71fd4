import { createInTurn } from './http/in-turn';
import type { ReadCacheValidity } from '../platform/read-cache/read-cache';
import type { SharedStore } from '../platform/shared-store/shared-store';
import { type AvailabilityCache, createAvailabilityCache, dropCached } from './departures/availability-cache';
import { DepartureIds } from './departures/find-departures';
import { type ApiContext, createCachedReads } from './http/api-context';
import { RateLimitedError } from './http/http.errors';
import { UnfinishedBodies } from './http/unfinished-bodies';
import { IdempotencyInProgressError } from './idempotency/idempotency.errors';
import { ChangedSeats } from './octo/changed-seats';
import { createRefusalLog, type RefusalLog } from './refusals/refusal-log';
import type { SeatFollower, SeatListener } from './seats/after-commit';
import { ChangeQueue } from './seats/queue/change-queue';

/** The objects that controllers use to read and sell seats. */
export interface SalesContext extends ApiContext {
  availability: AvailabilityCache;
  departureIds: DepartureIds;
  changes: ChangeQueue;
  refusals: RefusalLog;
}

/** The parts of the API that its process has opened. */
interface ApiParts extends Pick<
  ApiContext,
  'config' | 'secrets' | 'db' | 'reads' | 'writes' | 'log' | 'uses' | 'readiness'
> {
  store: Pick<SharedStore, 'cache' | 'quotas'>;
  validity: ReadCacheValidity;
}

/** Composes the API from the parts that its process has opened. Each follower of changed seats has its listener here. */
export function createSalesContext({
  store,
  validity,
  ...parts
}: ApiParts): SalesContext & { seats: ChangedSeats } {
  const { config, db, reads, writes, log } = parts;
  const availability = createAvailabilityCache(reads, store.cache, log);
  const changes = new ChangeQueue(writes, log, config.groupCommit);
  const seats = new ChangedSeats(log);
  const listeners: Record<SeatFollower, SeatListener> = {
    availability: dropCached(availability),
    octo: async (changed) => seats.recordDates(changed),
  };
  for (const listener of Object.values(listeners)) changes.afterCommit.add(listener);
  return {
    ...parts,
    ...createCachedReads(db, validity),
    availability,
    changes,
    seats,
    refusals: createRefusalLog(),
    quotas: store.quotas,
    departureIds: new DepartureIds(db),
    inTurn: createInTurn(() => new IdempotencyInProgressError()),
    readsInTurn: createInTurn(() => new RateLimitedError(1)),
    bodies: new UnfinishedBodies(),
  };
}

import type { Config } from '../platform/config/config';
import type { Db } from '../platform/database/database';
import { createInTurn } from './http/in-turn';
import type { Logger } from '../platform/logger';
import type { Readiness } from '../platform/readiness';
import type { ReadCacheValidity } from '../platform/read-cache/read-cache';
import type { SharedStore } from '../platform/shared-store/shared-store';
import type { UseRecorder } from './credentials/record-use';
import { type AvailabilityCache, createAvailabilityCache, dropCached } from './departures/availability-cache';
import { DepartureIds } from './departures/find-departures';
import { type ApiContext, type ApiSecrets, createCachedReads } from './http/api-context';
import { RateLimitedError } from './http/http.errors';
import { UnfinishedBodies } from './http/unfinished-bodies';
import { IdempotencyInProgressError } from './idempotency/idempotency.errors';
import { ChangedSeats } from './octo/changed-seats';
import { createRefusalLog, type RefusalLog } from './refusals/refusal-log';
import { ChangeQueue } from './seats/queue/change-queue';

/** The objects that controllers use to read and sell seats. */
export interface SalesContext extends ApiContext {
  availability: AvailabilityCache;
  departureIds: DepartureIds;
  changes: ChangeQueue;
  refusals: RefusalLog;
}

interface ApiParts {
  config: Config;
  secrets: ApiSecrets;
  /** The pools: ApiContext says for what each is. */
  db: Db;
  reads: Db;
  writes: Db;
  log: Logger;
  store: Pick<SharedStore, 'cache' | 'quotas'>;
  uses: UseRecorder;
  validity: ReadCacheValidity;
  readiness: Readiness;
}

/** Composes the API from the parts that its process has opened. Each listener of changed seats registers here. */
export function createSalesContext({
  config,
  secrets,
  db,
  reads,
  writes,
  log,
  store,
  uses,
  validity,
  readiness,
}: ApiParts): SalesContext & { seats: ChangedSeats } {
  const availability = createAvailabilityCache(reads, store.cache, log);
  const changes = new ChangeQueue(writes, log, config.groupCommit);
  const seats = new ChangedSeats(log);
  changes.afterCommit.add(dropCached(availability));
  changes.afterCommit.add(async (changed) => seats.recordDates(changed));
  return {
    config,
    secrets,
    ...createCachedReads(db, validity),
    reads,
    writes,
    log,
    uses,
    readiness,
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

import type { Db } from '../../platform/database/database';
import type { Logger } from '../../platform/logger';
import { findDueLowerBounds } from '../deliveries/queue.repository';
import { type Claim, claimDeliveries, type KnownEndpoint } from './claim.repository';
import type { AdaptiveConcurrency } from './adaptive-concurrency';
import type { QueueMetrics } from '../metrics/queue-metrics';

interface ClaimDueOptions {
  db: Db;
  log: Logger;
  metrics: QueueMetrics;
  worker: string;
  slots: number;
  concurrencyLimit: number;
  leaseSeconds: number;
  concurrency: AdaptiveConcurrency;
  /** Counts for each endpoint the deliveries of this worker that are in flight or wait for a slot. */
  countInFlight: () => Map<string, number>;
}

interface Claimed {
  claims: Claim[];
  /** True when a whole round over all endpoints found no due delivery. */
  nothingLeft: boolean;
}

/** Claims at most `rows` deliveries for a worker that may hold `capacity` deliveries at a time. */
export type ClaimDue = (rows: number, capacity: number) => Promise<Claimed>;

const FIRST_ID = '00000000-0000-0000-0000-000000000000';

/**
 * Returns a function that claims deliveries. Each call reads the next part of the endpoints. After the last part the next call begins with
 * the first part again.
 */
export function createClaimDue(options: ClaimDueOptions): ClaimDue {
  const { db, log, metrics, worker, slots, concurrencyLimit, leaseSeconds, concurrency, countInFlight } =
    options;
  const lowerBounds = createDueLowerBounds(db, (leaseSeconds / 4) * 1000);
  let after = FIRST_ID;
  let foundInRound = false;

  const known = (): KnownEndpoint[] => {
    const inFlight = countInFlight();
    const ids = new Set([...inFlight.keys(), ...concurrency.endpoints(), ...lowerBounds.endpoints()]);
    countSlots(inFlight);
    return [...ids].map((id) => ({
      id,
      inFlight: inFlight.get(id) ?? 0,
      dueLowerBound: lowerBounds.of(id),
      ...concurrency.of(id),
    }));
  };
  const countSlots = (inFlight: Map<string, number>): void => {
    let slow = 0;
    let quick = 0;
    for (const [id, count] of inFlight)
      if (concurrency.of(id).slow) slow += count;
      else quick += count;
    metrics.slots.set({ class: 'slow' }, slow);
    metrics.slots.set({ class: 'quick' }, quick);
  };
  return async (rows, capacity) => {
    await lowerBounds.refresh();
    const done = metrics.claimSeconds.startTimer();
    const limits = {
      worker,
      rows,
      capacity,
      slots,
      concurrencyLimit,
      leaseSeconds,
      known: known(),
      proven: concurrency.proven(),
      dueLowerBound: lowerBounds.ofOthers(),
      after,
    };
    const { claims, lost, next } = await claimDeliveries(db, limits);
    done();
    metrics.claimRows.inc(claims.length);
    metrics.leaseLost.inc(lost);
    if (lost > 0) log.warn({ deliveries: lost }, 'deliveries of a lost worker claimed again');
    lowerBounds.raise(claims);
    foundInRound ||= claims.length > 0;
    const nothingLeft = next === null && !foundInRound;
    if (next === null) foundInRound = false;
    after = next ?? FIRST_ID;
    return { claims, nothingLeft };
  };
}

/**
 * Keeps for each endpoint a time before which none of its deliveries is due. A claim scans the index on `next_at` only from that time on.
 * Otherwise the claim would also scan the index entries of finished deliveries, which stay until vacuum removes them. An open snapshot
 * prevents vacuum from removing them: after three minutes of 9000 deliveries a second, one claim without lower bounds took 21 s.
 */
interface DueLowerBounds {
  /** Returns the time from which a claim scans the index entries of the endpoint. Null: the claim scans all index entries. */
  of(endpointId: string): Date | null;
  /** Returns the time from which a claim scans the index entries of an endpoint that `endpoints()` does not list. */
  ofOthers(): Date | null;
  endpoints(): Iterable<string>;
  /** Sets the lower bound of each endpoint to the due time of its oldest claimed delivery, less LATE_COMMIT_MS. */
  raise(claims: Claim[]): void;
  /**
   * Reads the lower bounds from the database again if they are older than `freshMs`. Waits only for the first read. Later reads run in the
   * background.
   */
  refresh(): Promise<void>;
}

/**
 * Lowers each lower bound by a second. An open transaction may still commit a delivery that is due before all deliveries that the claim has
 * read. If a delivery is committed more than a second after it became due, it is claimed after the next read of the bounds.
 */
const LATE_COMMIT_MS = 1000;
/**
 * Maximum number of endpoints for which this worker keeps a lower bound. If more endpoints have queued deliveries, a claim scans all index
 * entries of the endpoints above this number.
 */
const ENDPOINTS_MAX = 2000;

/**
 * @param freshMs time between two reads of the bounds. A delivery that was committed more than LATE_COMMIT_MS late waits at most this long
 */
function createDueLowerBounds(db: Db, freshMs: number): DueLowerBounds {
  let bounds = new Map<string, Date>();
  let others: Date | null = null;
  let readAt = -Infinity;
  let reading: Promise<void> | undefined;

  const read = async (): Promise<void> => {
    const begun = performance.now();
    const { now, oldest } = await findDueLowerBounds(db, ENDPOINTS_MAX + 1);
    const below = (at: Date) => new Date(Math.min(at.getTime(), now.getTime()) - LATE_COMMIT_MS);
    bounds = new Map(oldest.slice(0, ENDPOINTS_MAX).map(({ endpointId, at }) => [endpointId, below(at)]));
    others = oldest.length > ENDPOINTS_MAX ? null : below(now);
    readAt = begun;
  };
  return {
    of: (endpointId) => bounds.get(endpointId) ?? others,
    ofOthers: () => others,
    endpoints: () => bounds.keys(),
    raise(claims) {
      const oldest = new Map<string, number>();
      for (const { endpointId, dueAt } of claims)
        oldest.set(endpointId, Math.min(dueAt.getTime(), oldest.get(endpointId) ?? Infinity));
      for (const [endpointId, at] of oldest) bounds.set(endpointId, new Date(at - LATE_COMMIT_MS));
    },
    async refresh() {
      if (performance.now() - readAt < freshMs) return;
      const first = readAt < 0;
      reading ??= read().finally(() => (reading = undefined));
      if (first) await reading;
      // Keeps the old bounds if a later read fails, because a bound that is too low only makes the claim slower.
      else reading.catch(() => undefined);
    },
  };
}

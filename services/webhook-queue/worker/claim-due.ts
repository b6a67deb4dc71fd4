import type { Db } from '../../platform/database';
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
  /** Counts by endpoint the deliveries that this worker holds. */
  countInFlight: () => Map<string, number>;
}

interface Claimed {
  claims: Claim[];
  /** True when a whole round over all endpoints found nothing. */
  nothingLeft: boolean;
}

/** Claims at most `rows` deliveries for a worker that may hold `capacity`. */
export type ClaimDue = (rows: number, capacity: number) => Promise<Claimed>;

const FIRST_ID = '00000000-0000-0000-0000-000000000000';

/** Claims from one part of the endpoints after another, and starts again after the last part. */
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
 * Lower bounds of `next_at` for each endpoint. The index keeps entries of finished deliveries until vacuum removes them, and an
 * open snapshot keeps vacuum from removing any. A claim without lower bounds then scans all of these entries: after three minutes
 * of 9000 deliveries a second, one claim took 21 s.
 */
interface DueLowerBounds {
  /** Null: the claim scans all entries. */
  of(endpointId: string): Date | null;
  /** The lower bound of endpoints that `endpoints` does not contain. */
  ofOthers(): Date | null;
  endpoints(): Iterable<string>;
  /** Raises the bounds above the claimed deliveries. */
  raise(claims: Claim[]): void;
  /** Reads the bounds again when they are too old; waits only for the first read. */
  refresh(): Promise<void>;
}

/**
 * Lowers each bound by a second: an open transaction may still commit a delivery that is due before all those that the read found. A
 * delivery that commits even later is found by the next read.
 */
const LATE_COMMIT_MS = 1000;
/** Limits what each claim sends; for further endpoints the claim scans all entries. */
const ENDPOINTS_MAX = 2000;

/** @param freshMs interval of the reads, and so the longest wait of a delivery whose commit was slower than LATE_COMMIT_MS */
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
      // Keeps the old bounds when a later read fails: they may be too low, never too high.
      else reading.catch(() => undefined);
    },
  };
}

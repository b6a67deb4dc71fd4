import type { Db } from '../../platform/database';
import type { Logger } from '../../platform/logger';
import { type Claim, claimDeliveries, type KnownEndpoint } from './claim.repository';
import { createDueLowerBounds } from './due-lower-bounds';
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

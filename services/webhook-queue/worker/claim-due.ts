import type { Db } from '../../platform/database';
import type { Logger } from '../../platform/logger';
import type { Claim, KnownEndpoint } from './claim';
import { claimDeliveries } from './claim.repository';
import { createDueFloors } from './due-floors';
import type { Paces } from './endpoint-pace';
import { queueMetrics } from '../metrics/queue-metrics';

export interface ClaimDueOptions {
  db: Db;
  log: Logger;
  worker: string;
  slots: number;
  lanes: number;
  leaseSeconds: number;
  paces: Paces;
  /** By endpoint, what this worker has in flight, or claimed for it. */
  countInFlight: () => Map<string, number>;
}

export interface Claimed {
  claims: Claim[];
  /** All endpoints were gone through since nothing was found last. */
  nothingLeft: boolean;
}

/** Takes `rows` deliveries at most, while the worker may hold `capacity`. */
export type ClaimDue = (rows: number, capacity: number) => Promise<Claimed>;

const BEFORE_ALL = '00000000-0000-0000-0000-000000000000';

/** Claims a part of the endpoints after the other, and begins anew behind the last. */
export function createClaimDue(options: ClaimDueOptions): ClaimDue {
  const { db, log, worker, slots, lanes, leaseSeconds, paces, countInFlight } = options;
  const floors = createDueFloors(db, (leaseSeconds / 4) * 1000);
  let after = BEFORE_ALL;
  let foundInRound = false;

  const known = (): KnownEndpoint[] => {
    const inFlight = countInFlight();
    const ids = new Set([...inFlight.keys(), ...paces.endpoints(), ...floors.endpoints()]);
    countSlots(inFlight);
    return [...ids].map((id) => ({
      id,
      inFlight: inFlight.get(id) ?? 0,
      ...paces.of(id),
      floor: floors.of(id),
    }));
  };
  const countSlots = (inFlight: Map<string, number>): void => {
    let slow = 0;
    let quick = 0;
    for (const [id, count] of inFlight)
      if (paces.of(id).slow) slow += count;
      else quick += count;
    queueMetrics.slots.set({ class: 'slow' }, slow);
    queueMetrics.slots.set({ class: 'quick' }, quick);
  };
  return async (rows, capacity) => {
    await floors.refresh();
    const done = queueMetrics.claimSeconds.startTimer();
    const limits = {
      worker,
      rows,
      capacity,
      slots,
      lanes,
      leaseSeconds,
      known: known(),
      proven: paces.proven(),
      floor: floors.otherwise(),
      after,
    };
    const { claims, lost, next } = await claimDeliveries(db, limits);
    done();
    queueMetrics.claimRows.inc(claims.length);
    queueMetrics.leaseLost.inc(lost);
    if (lost > 0) log.warn({ deliveries: lost }, 'taken over from a lost worker');
    floors.raise(claims);
    foundInRound ||= claims.length > 0;
    const nothingLeft = next === null && !foundInRound;
    if (next === null) foundInRound = false;
    after = next ?? BEFORE_ALL;
    return { claims, nothingLeft };
  };
}

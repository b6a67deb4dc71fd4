import { setTimeout as sleep } from 'node:timers/promises';
import type { Claim } from './claim.repository';
import type { AttemptReport } from '../deliveries/delivery';
import { Cutoff, InterruptedError } from '../sending/attempt';

interface HeldDelivery {
  endpointId: string;
  cutoff: Cutoff;
  /** True: the request has ended, and its result is being recorded. */
  ended: boolean;
  recorded: Promise<void>;
}

export interface SlotOptions {
  /** Maximum number of requests in flight; further claimed deliveries wait in order. */
  slots: number;
  /** Sends one request. It must not throw. */
  send: (delivery: Claim, cutoff: Cutoff, waitedMs: number) => Promise<AttemptReport>;
  /** Records the result. It must not throw. */
  record: (delivery: Claim, report: AttemptReport) => Promise<void>;
  /** Called when capacity becomes free. */
  onFree: () => void;
}

/** The deliveries that this worker has claimed and whose results are not recorded yet. */
export interface Slots {
  /** Number of requests in flight. */
  inFlight(): number;
  /** Number of deliveries that wait for a slot. */
  waiting(): number;
  /**
   * Number of deliveries that this worker may hold now: the number of its slots, and more while receivers respond quickly (see AHEAD_MS).
   */
  capacity(): number;
  /** Free part of the capacity. */
  free(): number;
  /** Counts by endpoint the deliveries that are in flight or wait for a slot. */
  countByEndpoint(): Map<string, number>;
  /** Sends the delivery as soon as a slot is free, and records its result. */
  take(delivery: Claim): void;
  /** Waits until all results are recorded. After `graceMs`, cuts off the requests that are still in flight. */
  finishAll(graceMs: number): Promise<void>;
}

/**
 * A worker may hold more deliveries than it has slots. The surplus is the number of responses of the last AHEAD_MS that arrived within
 * QUICK_MS, at most AHEAD_MAX times the slots. A timeout is not a response, so a worker whose requests hang has no surplus.
 */
const AHEAD_MS = 200;
const AHEAD_MAX = 15;
const QUICK_MS = 1000;
/** Limits the deliveries that a worker holds to this multiple of its capacity while a slow database delays the recording of results. */
const UNRECORDED_MAX = 4;

export function createSlots({ slots, send, record, onFree }: SlotOptions): Slots {
  // Has one entry for each claim, not for each delivery. A stalled worker may claim a delivery again while it still holds its first claim
  // on that delivery.
  const held = new Set<HeldDelivery>();
  const waiting: (() => void)[] = [];
  const recent = createRecentCounter(AHEAD_MS);
  let inFlight = 0;
  let ended = 0;

  const sendInTurn = async (delivery: Claim, cutoff: Cutoff): Promise<AttemptReport> => {
    const begun = performance.now();
    if (inFlight < slots) inFlight++;
    else await new Promise<void>((resolve) => waiting.push(resolve));
    const report = await send(delivery, cutoff, performance.now() - begun);
    const next = waiting.shift();
    if (next) next();
    else inFlight--;
    return report;
  };
  const complete = async (delivery: Claim, one: HeldDelivery): Promise<void> => {
    const report = await sendInTurn(delivery, one.cutoff);
    one.ended = true;
    ended++;
    onFree();
    await record(delivery, report);
    held.delete(one);
    ended--;
    if (report.statusCode !== null && report.durationMs < QUICK_MS) recent.add();
    onFree();
  };
  const allRecorded = () => Promise.all([...held].map(({ recorded }) => recorded));
  const capacity = () => slots + Math.min(recent.count(), slots * AHEAD_MAX);
  return {
    inFlight: () => inFlight,
    waiting: () => waiting.length,
    capacity,
    free: () => Math.min(capacity() - (held.size - ended), capacity() * UNRECORDED_MAX - held.size),
    countByEndpoint: () => {
      const counts = new Map<string, number>();
      for (const { endpointId, ended } of held)
        if (!ended) counts.set(endpointId, (counts.get(endpointId) ?? 0) + 1);
      return counts;
    },
    take: (delivery) => {
      const one: HeldDelivery = {
        endpointId: delivery.endpointId,
        cutoff: new Cutoff(),
        ended: false,
        recorded: Promise.resolve(),
      };
      held.add(one);
      one.recorded = complete(delivery, one);
    },
    finishAll: async (graceMs) => {
      await Promise.race([allRecorded(), sleep(graceMs, undefined, { ref: false })]);
      for (const { cutoff } of held) cutoff.cut(new InterruptedError());
      await allRecorded();
    },
  };
}

/** Counts events. `count` returns the higher of two counts: the count of the last whole period, and the count of the current period. */
function createRecentCounter(periodMs: number) {
  let [begun, current, last] = [performance.now(), 0, 0];
  const turn = () => {
    const passed = performance.now() - begun;
    if (passed < periodMs) return;
    last = passed < 2 * periodMs ? current : 0;
    [begun, current] = [performance.now(), 0];
  };
  return {
    add: () => {
      turn();
      current++;
    },
    count: () => {
      turn();
      return Math.max(last, current);
    },
  };
}

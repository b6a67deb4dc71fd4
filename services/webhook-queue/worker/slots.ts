import { setTimeout as sleep } from 'node:timers/promises';
import type { Claim } from './claim.repository';
import type { AttemptReport } from '../deliveries/delivery';
import { Cutoff, InterruptedError } from '../sending/attempt';

interface HeldDelivery {
  endpointId: string;
  cutoff: Cutoff;
  /** The request has ended; its result is being recorded. */
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
  /** Number of deliveries that this worker may hold now; with fast receivers it claims more than it has slots. */
  capacity(): number;
  /** Free part of the capacity. */
  free(): number;
  /** Counts by endpoint the deliveries that are in flight or wait for a slot. */
  countByEndpoint(): Map<string, number>;
  /** Sends the delivery as soon as a slot is free, and records its result. */
  take(delivery: Claim): void;
  /** Waits until all results are recorded; cuts off requests that are still in flight after `graceMs`. */
  finishAll(graceMs: number): Promise<void>;
}

/**
 * A worker claims more deliveries than it has slots: in addition, as many as got a quick response during the last AHEAD_MS, at most
 * AHEAD_MAX times its slots. Timeouts do not count, so a worker claims nothing in addition while its requests hang.
 */
const AHEAD_MS = 200;
const AHEAD_MAX = 15;
const QUICK_MS = 1000;
/** Limits the held deliveries to this multiple of the capacity while a slow database delays the recording of results. */
const UNRECORDED_MAX = 4;

export function createSlots({ slots, send, record, onFree }: SlotOptions): Slots {
  // One entry per claim, not per delivery: a stalled worker may claim a delivery again while it still holds the first claim.
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

/** Counts events. Returns the count of the last whole period, or that of the current one if it is higher. */
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

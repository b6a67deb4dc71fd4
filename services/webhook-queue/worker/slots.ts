import { setTimeout as sleep } from 'node:timers/promises';
import type { Claim } from './claim';
import type { AttemptReport } from '../deliveries/delivery';
import { InterruptedError } from '../sending/sending.errors';

interface HeldDelivery {
  endpointId: string;
  abort: AbortController;
  /** The request is over; its result is being written down. */
  ended: boolean;
  settled: Promise<void>;
}

export interface SlotOptions {
  /** Requests in flight at once; further claimed deliveries wait in the order they came. */
  slots: number;
  /** One request. It must not throw. */
  send: (delivery: Claim, abort: AbortController, waitedMs: number) => Promise<AttemptReport>;
  /** Writes the result down. It must not throw. */
  settle: (delivery: Claim, report: AttemptReport) => Promise<void>;
  /** There is room again. */
  onRoom: () => void;
}

/** The deliveries that this worker has claimed and not yet settled. */
export interface Slots {
  /** Requests. */
  inFlight(): number;
  /** How many that are not sent yet this worker may hold now: a quick queue is claimed ahead of its sending. */
  capacity(): number;
  /** How many of these are free. */
  room(): number;
  /** Those that are in flight, or wait for a slot. */
  countByEndpoint(): Map<string, number>;
  /** Sends it as soon as a slot is free, and settles it. */
  take(delivery: Claim): void;
  /** Waits until all are settled; what is still in flight after `graceMs` is cut off. */
  settleAll(graceMs: number): Promise<void>;
}

/** What was quickly answered within so many milliseconds will be again: as much is claimed ahead, ... */
const AHEAD_MS = 100;
/** ... up to so many times the slots. A wave of time-outs is no throughput: nothing is claimed ahead of what hangs. */
const AHEAD_MAX = 15;
const QUICK_MS = 1000;
/** While results wait to be written down, as a stumbling database makes them, no more than this is claimed. */
const UNSETTLED_MAX = 4;

export function createSlots({ slots, send, settle, onRoom }: SlotOptions): Slots {
  const held = new Map<string, HeldDelivery>();
  const waiting: (() => void)[] = [];
  const lately = createLately(AHEAD_MS);
  let inFlight = 0;
  let ended = 0;

  const sendInTurn = async (delivery: Claim, abort: AbortController): Promise<AttemptReport> => {
    const begun = performance.now();
    if (inFlight < slots) inFlight++;
    else await new Promise<void>((resolve) => waiting.push(resolve));
    const report = await send(delivery, abort, performance.now() - begun);
    const next = waiting.shift();
    if (next) next();
    else inFlight--;
    return report;
  };
  const complete = async (delivery: Claim, one: Omit<HeldDelivery, 'settled'>): Promise<void> => {
    const report = await sendInTurn(delivery, one.abort);
    one.ended = true;
    ended++;
    onRoom();
    await settle(delivery, report);
    held.delete(delivery.id);
    ended--;
    if (report.statusCode !== null && report.durationMs < QUICK_MS) lately.add();
    onRoom();
  };
  const allSettled = () => Promise.all([...held.values()].map(({ settled }) => settled));
  const capacity = () => slots + Math.min(lately.count(), slots * AHEAD_MAX);
  return {
    inFlight: () => inFlight,
    capacity,
    room: () => Math.min(capacity() - (held.size - ended), capacity() * UNSETTLED_MAX - held.size),
    countByEndpoint: () => {
      const counts = new Map<string, number>();
      for (const { endpointId, ended } of held.values())
        if (!ended) counts.set(endpointId, (counts.get(endpointId) ?? 0) + 1);
      return counts;
    },
    take: (delivery) => {
      const one = { endpointId: delivery.endpointId, abort: new AbortController(), ended: false };
      held.set(delivery.id, Object.assign(one, { settled: complete(delivery, one) }));
    },
    settleAll: async (graceMs) => {
      await Promise.race([allSettled(), sleep(graceMs, undefined, { ref: false })]);
      for (const { abort } of held.values()) abort.abort(new InterruptedError());
      await allSettled();
    },
  };
}

/** Counts what happened in the last whole period, or in this one if it is more already. */
function createLately(periodMs: number) {
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

import { setTimeout as sleep } from 'node:timers/promises';
import type { Claim } from './claim.repository';
import type { AttemptReport } from '../deliveries/delivery';
import { InterruptedError } from '../sending/explain-failure';

interface Flight {
  endpointId: string;
  abort: AbortController;
  /** The request is over; its result is being written down. */
  landed: boolean;
  settled: Promise<void>;
}

export interface Airline {
  /** Requests in flight at once; further claimed deliveries wait in the order they came. */
  slots: number;
  /** One request. It must not throw. */
  fly: (delivery: Claim, abort: AbortController, waitedMs: number) => Promise<AttemptReport>;
  /** Writes the result down. It must not throw. */
  settle: (delivery: Claim, report: AttemptReport) => Promise<void>;
  /** There is room again. */
  onRoom: () => void;
}

/** The deliveries that this worker has claimed and not yet settled. */
export interface Flights {
  /** Requests in flight. */
  flying(): number;
  /** How many that are not sent yet this worker may hold now: a quick queue is claimed ahead of its sending. */
  capacity(): number;
  /** How many of these are free. */
  room(): number;
  /** Those that fly, or wait for it. */
  countByEndpoint(): Map<string, number>;
  launch(delivery: Claim): void;
  /** Waits until all are settled; what is still out there after `graceMs` is cut off. */
  settleAll(graceMs: number): Promise<void>;
}

/** What was settled within so many milliseconds will be again: as much is claimed ahead, ... */
const AHEAD_MS = 100;
/** ... up to so many times the slots. What hangs settles nothing, and nothing is claimed ahead of it. */
const AHEAD_MAX = 7;
/** While results wait to be written down, as a stumbling database makes them, no more than this is claimed. */
const UNSETTLED_MAX = 4;

export function createFlights({ slots, fly, settle, onRoom }: Airline): Flights {
  const flights = new Map<string, Flight>();
  const waiting: (() => void)[] = [];
  const lately = createLately(AHEAD_MS);
  let flying = 0;
  let landed = 0;

  const flyInTurn = async (delivery: Claim, abort: AbortController): Promise<AttemptReport> => {
    const begun = performance.now();
    if (flying < slots) flying++;
    else await new Promise<void>((resolve) => waiting.push(resolve));
    const report = await fly(delivery, abort, performance.now() - begun);
    const next = waiting.shift();
    if (next) next();
    else flying--;
    return report;
  };
  const complete = async (delivery: Claim, flight: Omit<Flight, 'settled'>): Promise<void> => {
    const report = await flyInTurn(delivery, flight.abort);
    flight.landed = true;
    landed++;
    onRoom();
    await settle(delivery, report);
    flights.delete(delivery.id);
    landed--;
    lately.add();
    onRoom();
  };
  const allSettled = () => Promise.all([...flights.values()].map(({ settled }) => settled));
  const capacity = () => slots + Math.min(lately.count(), slots * AHEAD_MAX);
  return {
    flying: () => flying,
    capacity,
    room: () => Math.min(capacity() - (flights.size - landed), capacity() * UNSETTLED_MAX - flights.size),
    countByEndpoint: () => {
      const counts = new Map<string, number>();
      for (const { endpointId, landed } of flights.values())
        if (!landed) counts.set(endpointId, (counts.get(endpointId) ?? 0) + 1);
      return counts;
    },
    launch: (delivery) => {
      const flight = { endpointId: delivery.endpointId, abort: new AbortController(), landed: false };
      flights.set(delivery.id, Object.assign(flight, { settled: complete(delivery, flight) }));
    },
    settleAll: async (graceMs) => {
      await Promise.race([allSettled(), sleep(graceMs, undefined, { ref: false })]);
      for (const { abort } of flights.values()) abort.abort(new InterruptedError());
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

import { setTimeout as sleep } from 'node:timers/promises';
import type { Claim } from './delivery.repository';
import { InterruptedError } from './explain-failure';

interface Flight {
  endpointId: string;
  abort: AbortController;
  landed: Promise<void>;
}

/** The deliveries that this worker has claimed and not yet settled. */
export interface Flights {
  count(): number;
  countByEndpoint(): Map<string, number>;
  launch(delivery: Claim): void;
  /** Waits until all have landed; what is still out there after `graceMs` is cut off. */
  landAll(graceMs: number): Promise<void>;
}

/**
 * @param fly sends one delivery and settles it; it must not throw
 * @param onLanded a slot is free again
 */
export function createFlights(
  fly: (delivery: Claim, abort: AbortController) => Promise<void>,
  onLanded: () => void,
): Flights {
  const flights = new Map<string, Flight>();
  const allLanded = () => Promise.all([...flights.values()].map(({ landed }) => landed));
  return {
    count: () => flights.size,
    countByEndpoint: () => {
      const counts = new Map<string, number>();
      for (const { endpointId } of flights.values())
        counts.set(endpointId, (counts.get(endpointId) ?? 0) + 1);
      return counts;
    },
    launch: (delivery) => {
      const abort = new AbortController();
      const landed = fly(delivery, abort).finally(() => {
        flights.delete(delivery.id);
        onLanded();
      });
      flights.set(delivery.id, { endpointId: delivery.endpointId, abort, landed });
    },
    landAll: async (graceMs) => {
      await Promise.race([allLanded(), sleep(graceMs, undefined, { ref: false })]);
      for (const { abort } of flights.values()) abort.abort(new InterruptedError());
      await allLanded();
    },
  };
}

import { LRUCache } from 'lru-cache';
import type { Verdict } from '../sending/judge-answer';

/** When an endpoint is left alone for a while, and when for good. */
export interface BreakerRules {
  /** Failures in a row that open it. */
  failures: number;
  /** How long it stays open at first; each time in a row it is twice as long. */
  openSeconds: number;
  openSecondsMax: number;
  /** Nothing delivered for so long, and as many deliveries dead of it: the endpoint is disabled. */
  hopelessSeconds: number;
  hopelessDeaths: number;
}

const DAY_SECONDS = 24 * 3600;

export const BREAKER: BreakerRules = {
  failures: 5,
  openSeconds: 30,
  openSecondsMax: 15 * 60,
  hopelessSeconds: 5 * DAY_SECONDS,
  hopelessDeaths: 20,
};

export function hopelessReason({ hopelessSeconds, hopelessDeaths }: BreakerRules): string {
  const days = Math.floor(hopelessSeconds / DAY_SECONDS);
  return `Nothing was delivered for ${days} days, and at least ${hopelessDeaths} deliveries were given up: the endpoint was disabled.`;
}

const RATE_MS = 60_000;
const RATE_TRIES = 20;
const RATE_FAILED = 0.5;
const KNOWN_MAX = 10_000;

/** Sees endpoints that answer now and then, and fail more than half of at least twenty tries within a minute. */
export function createFailureRates(): (endpointId: string, verdict: Verdict, now?: number) => boolean {
  const minutes = new LRUCache<string, { begun: number; tries: number; failures: number }>({
    max: KNOWN_MAX,
  });
  return (endpointId, verdict, now = Date.now()) => {
    if (verdict === null) return false;
    const known = minutes.get(endpointId);
    const minute = known && now - known.begun < RATE_MS ? known : { begun: now, tries: 0, failures: 0 };
    minute.tries++;
    if (verdict === 'ill') minute.failures++;
    const trips = minute.tries >= RATE_TRIES && minute.failures > minute.tries * RATE_FAILED;
    if (trips) minutes.delete(endpointId);
    else minutes.set(endpointId, minute);
    return trips;
  };
}

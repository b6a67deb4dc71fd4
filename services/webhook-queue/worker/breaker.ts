import { LRUCache } from 'lru-cache';
import type { EndpointVerdict } from '../sending/classify-response';

/**
 * Decides when an endpoint is blocked for minutes, and when it is disabled. classify-response.ts decides which attempts are failing;
 * results.repository.ts opens the breaker by these rules; record-results.ts disables the endpoint. A breaker blocks an endpoint, an
 * operator pauses it.
 */
export interface BreakerRules {
  /** Failures in a row that open the breaker. */
  failures: number;
  /** Duration of the first opening; each following one in a row lasts twice as long. */
  openSeconds: number;
  openSecondsMax: number;
  /** The endpoint is disabled after this time without a delivered request and this number of dead deliveries. */
  autoDisableSeconds: number;
  autoDisableDeaths: number;
}

const DAY_SECONDS = 24 * 3600;

export const BREAKER: BreakerRules = {
  failures: 5,
  openSeconds: 30,
  openSecondsMax: 15 * 60,
  autoDisableSeconds: 5 * DAY_SECONDS,
  autoDisableDeaths: 20,
};

export function autoDisableReason({ autoDisableSeconds, autoDisableDeaths }: BreakerRules): string {
  const days = Math.floor(autoDisableSeconds / DAY_SECONDS);
  return `The endpoint accepted no delivery for ${days} days, and at least ${autoDisableDeaths} deliveries are dead: it was disabled.`;
}

const RATE_MS = 60_000;
const RATE_ATTEMPTS = 20;
const RATE_FAILED = 0.5;
const ENDPOINTS_MAX = 10_000;

/** Detects endpoints that fail more than half of at least twenty attempts within a minute, also when the failures are not in a row. */
export function createFailureRates(): (
  endpointId: string,
  verdict: EndpointVerdict,
  now?: number,
) => boolean {
  const minutes = new LRUCache<string, { since: number; attempts: number; failures: number }>({
    max: ENDPOINTS_MAX,
  });
  return (endpointId, verdict, now = Date.now()) => {
    if (verdict === null) return false;
    const known = minutes.get(endpointId);
    const isCurrent = known && now - known.since < RATE_MS;
    const minute = isCurrent ? known : { since: now, attempts: 0, failures: 0 };
    minute.attempts++;
    if (verdict === 'failing') minute.failures++;
    const trips = minute.attempts >= RATE_ATTEMPTS && minute.failures > minute.attempts * RATE_FAILED;
    if (trips) minutes.delete(endpointId);
    else if (!isCurrent) minutes.set(endpointId, minute);
    return trips;
  };
}

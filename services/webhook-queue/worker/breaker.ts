import { LRUCache } from 'lru-cache';
import type { EndpointVerdict } from '../sending/classify-response';

/**
 * The limits at which the breaker blocks an endpoint for some time, and at which the endpoint is disabled. classify-response.ts decides
 * which attempts are failures. results.repository.ts opens the breaker by these rules. record-results.ts disables the endpoint. Only an
 * operator pauses an endpoint.
 */
export interface BreakerRules {
  /** Number of failures in a row that opens the breaker. */
  failures: number;
  /** Seconds for which the breaker stays open the first time. Each following opening in a row lasts twice as long, up to openSecondsMax. */
  openSeconds: number;
  openSecondsMax: number;
  /**
   * An endpoint is disabled if it has accepted no delivery for autoDisableSeconds since its first failure. In addition, at least
   * autoDisableDeaths deliveries must have become dead in that time.
   */
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
  return `The endpoint accepted no delivery for ${days} days, and at least ${autoDisableDeaths} deliveries were given up: it was disabled.`;
}

const RATE_MS = 60_000;
const RATE_ATTEMPTS = 20;
const RATE_FAILED = 0.5;
const ENDPOINTS_MAX = 10_000;

/**
 * Returns a function that counts the attempts of an endpoint by their verdict. The function returns true if at least twenty attempts were
 * made within a minute, and more than half of them failed. The failures need not follow each other.
 */
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

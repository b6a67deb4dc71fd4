import type { BreakerRules } from '../../services/webhook-queue/worker/breaker';

/** What the workers of the chaos go by: as in production, but everything in seconds. */

/** A third of it is for the request. */
export const LEASE_SECONDS = 3;
export const ATTEMPT_MS = 1000;

/** As many tries as there are entries: a receiver that fails half of them fails all once in a million deliveries. */
export const SCHEDULE = [0, 0.05, 0.1, 0.2, ...Array.from({ length: 16 }, () => 0.3)];

export const CHAOS_BREAKER: BreakerRules = {
  failures: 5,
  openSeconds: 0.2,
  openSecondsMax: 0.4,
  autoDisableSeconds: 3600,
  autoDisableDeaths: 1000,
};

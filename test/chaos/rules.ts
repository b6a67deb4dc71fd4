import type { BreakerRules } from '../../services/webhook-queue/worker/breaker';

/** Settings of the workers: as in production, but in seconds. */

/** A request may take a third of a lease. */
export const LEASE_SECONDS = 3;
export const ATTEMPT_MS = 1000;

/** The delays of twenty attempts. A receiver that fails half of its requests fails all twenty once in a million deliveries. */
export const SCHEDULE = [0, 0.05, 0.1, 0.2, ...Array.from({ length: 16 }, () => 0.3)];

export const CHAOS_BREAKER: BreakerRules = {
  failures: 5,
  openSeconds: 0.2,
  openSecondsMax: 0.4,
  autoDisableSeconds: 3600,
  autoDisableDeaths: 1000,
};

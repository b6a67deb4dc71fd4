/**
 * Milliseconds for which a poll vouches for what is remembered, counted from its beginning: what was committed before that, it
 * has seen.
 */
export const LEASE_MS = 1_000;

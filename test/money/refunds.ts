/**
 * Calculates refunds a second time, without code of the product: instants are whole milliseconds, and amounts are whole minor units.
 */

/** A tier of a policy. Both `minutes` and `percent` fall from tier to tier. */
export interface ModelTier {
  /** Minutes before 00:00 UTC of the date. */
  minutes: bigint;
  /** The same as the product writes it: 20d, 600h or 36000m. */
  until: string;
  percent: bigint;
}

/** Null: not stated. */
export type ModelPolicy = ModelTier[] | null;

/** The parts of a sale that decide its refund. */
export interface ModelTerms {
  /** YYYY-MM-DD. Null: no date. */
  date: string | null;
  policy: ModelPolicy;
  /** The highest share, in percent. */
  ceiling: bigint;
  /** The lowest share, which an operator has set by a move. Null: none. The model has no departure that is past. */
  floor: bigint | null;
}

/** Returns the share that a cancellation refunds now. Null: not stated, or no date. */
export function modelPercent(terms: ModelTerms): bigint | null {
  const [share, { floor }] = [policyPercent(terms), terms];
  if (share === null) return floor;
  return floor !== null && floor > share ? floor : share;
}

function policyPercent({ date, policy, ceiling }: ModelTerms): bigint | null {
  if (policy === null || date === null) return null;
  const left = BigInt(Date.parse(`${date}T00:00:00Z`)) - BigInt(Date.now());
  let percent = 0n;
  // The tiers fall, so the last one that still applies from the end has the highest share.
  for (const tier of [...policy].reverse()) if (left > tier.minutes * 60_000n) percent = tier.percent;
  return percent < ceiling ? percent : ceiling;
}

/** Returns the minor units of a share of a total: adds a half, and cuts. */
export function modelRefund(total: bigint, percent: bigint): bigint {
  const [whole, rest] = [(total * percent) / 100n, (total * percent) % 100n];
  return rest >= 50n ? whole + 1n : whole;
}

/** Returns the terms after a change of the date by the guest: the policy of today, with the share reached before as its ceiling. */
export function modelTermsAfterMove(before: ModelTerms, date: string, today: ModelPolicy): ModelTerms {
  return { date, policy: today, ceiling: modelPercent(before) ?? before.ceiling, floor: null };
}

/** Returns the terms after a move by the operator: the same policy on another date, with the share reached before as its floor. */
export function modelTermsAfterOperator(before: ModelTerms, date: string): ModelTerms {
  return { ...before, date, floor: modelPercent(before) };
}

/** Returns the policy as a catalog file and the database have it. */
export function storedPolicy(policy: ModelPolicy) {
  return (
    policy && { tiers: policy.map(({ until, percent }) => ({ until, refund_percent: Number(percent) })) }
  );
}

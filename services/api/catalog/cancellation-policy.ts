import { minutesOf } from './cutoff';

/** A tier of a cancellation policy, with the names of files, answers and the database. */
export interface CancellationTier {
  /**
   * The tier applies until so long before the start of the departure: minutes, hours, or calendar days in the tour's time zone. At this
   * instant, the next tier applies.
   * @example "30d"
   */
  until: string;
  /**
   * The share of the total price that a cancellation refunds.
   * @isInt
   * @example 100
   */
  refund_percent: number;
}

/** The refunds of cancellations. After the last tier, and without tiers, nothing is refunded. */
export interface CancellationPolicy {
  /**
   * In order: each tier ends later than the one before, and refunds less.
   * @example [{"until": "30d", "refund_percent": 100}, {"until": "7d", "refund_percent": 50}]
   */
  tiers: CancellationTier[];
}

/** A tier of a booking with a date: dated_tiers() (0141_closing_and_cancellation.sql). */
export interface DatedTier extends CancellationTier {
  /** The instant at which the tier ends, in UTC. */
  at: string;
}

/** Returns the policy of dated tiers, as it is stored. Null: not stated. */
export function policyOf(tiers: DatedTier[] | null): CancellationPolicy | null {
  return tiers && { tiers: tiers.map(({ until, refund_percent }) => ({ until, refund_percent })) };
}

/** Describes a policy, for example as `100% until 30d, 50% until 7d`. @param policy null: not stated */
export function describePolicy(policy: CancellationPolicy | null): string {
  if (policy === null) return 'not stated';
  const tiers = policy.tiers.map(({ until, refund_percent }) => `${refund_percent}% until ${until}`);
  return tiers.join(', ') || 'never refunded';
}

/** The most tiers of a policy. */
export const TIERS_MAX = 8;

/**
 * Returns the issue of tiers that are valid one by one; undefined: none. Both `until` and `refund_percent` must fall from tier to tier.
 * @returns `path`: the place of the issue in the list, such as `[1, 'until']`
 * @rule which tiers a cancellation policy may have: test/catalog/sale-terms.long.test.ts
 */
export function tierIssue(
  tiers: CancellationTier[],
): { path: [number, keyof CancellationTier]; message: string } | undefined {
  for (const [at, { until, refund_percent }] of tiers.entries()) {
    const before = tiers[at - 1];
    if (!before) continue;
    if (minutesOf(until) >= minutesOf(before.until))
      return { path: [at, 'until'], message: `must be shorter than ${before.until} of the tier before` };
    if (refund_percent >= before.refund_percent)
      return {
        path: [at, 'refund_percent'],
        message: `must be below the ${before.refund_percent} of the tier before`,
      };
  }
  return undefined;
}

/**
 * Returns the last tier in which a cancellation refunds in full. Undefined: there is none.
 * @rule until when a cancellation refunds in full: test/octo/cancellation.long.test.ts
 */
export function fullRefundTier({ tiers }: CancellationPolicy): CancellationTier | undefined {
  return tiers.findLast(({ refund_percent }) => refund_percent === 100);
}

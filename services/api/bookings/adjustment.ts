import { AppError, InvalidInputError } from '../../platform/errors';
import { toMajor, toMinor } from '../pricing/currency';
import type { LockedPrice } from '../pricing/price-categories';

/** One line of the price beside the categories, which the operator writes at its desk. */
export interface Adjustment {
  /** In minor units of the sale's currency; a discount is negative, and it is never 0. */
  minor: number;
  /** At most 200 characters. Null: the customer was erased. */
  reason: string | null;
}

/** An adjustment as the operator names it. */
export interface WantedAdjustment {
  /** Decimal text in major units of the sale's currency; a discount is negative. 0: none. */
  amount: string;
  /** Empty only with the amount 0. */
  reason: string;
}

/** An adjustment in answers, in major units. */
export interface AdjustmentAnswer {
  /**
   * In major units; a discount is negative.
   * @example -20
   */
  amount: number;
  /**
   * Null: the customer was erased.
   * @example "The boat left late."
   */
  reason: string | null;
}

type Money = Pick<LockedPrice, 'currency' | 'currencyDigits'>;

export function adjustmentAnswer(
  adjustment: Adjustment | null,
  { currencyDigits }: Pick<Money, 'currencyDigits'>,
): AdjustmentAnswer | null {
  return adjustment && { amount: toMajor(adjustment.minor, currencyDigits), reason: adjustment.reason };
}

/**
 * Returns the adjustment in the currency of the sale. Null: none is wanted.
 * @throws InvalidInputError for more decimals than the currency has
 */
export function toAdjustment(
  wanted: WantedAdjustment | null,
  { currency, currencyDigits }: Money,
): Adjustment | null {
  if (wanted === null) return null;
  const minor = toMinor(wanted.amount, currencyDigits);
  if (minor === undefined)
    throw new InvalidInputError(
      'body',
      '--adjust',
      `must have at most ${currencyDigits} decimals, as amounts in ${currency} have`,
    );
  return minor === 0 ? null : { minor, reason: wanted.reason };
}

/**
 * Returns the total of a booking: the sum of its categories and its adjustment. The constraint booking_leads_total_is_sum
 * (0164_desk_and_imports.sql) checks it.
 * @param sumMinor in minor units
 * @throws TotalBelowZeroError
 * @rule what an adjustment does to a total: test/cli/desk-adjust.test.ts
 */
export function adjustedTotal(sumMinor: number, adjustment: Adjustment | null, money: Money): number {
  const total = sumMinor + (adjustment?.minor ?? 0);
  if (total < 0) throw new TotalBelowZeroError(adjustment!, total, money);
  return total;
}

/** The adjustment is a larger discount than the sum of the categories. */
class TotalBelowZeroError extends AppError {
  readonly code = 'booking_state_conflict';

  constructor({ minor }: Adjustment, totalMinor: number, { currency, currencyDigits }: Money) {
    const money = (amount: number) =>
      `${toMajor(amount, currencyDigits).toFixed(currencyDigits)} ${currency}`;
    super(
      `The total would be ${money(totalMinor)}, which is below 0, because the booking has an adjustment of ${money(minor)}.`,
    );
  }
}

import { type CategoryPrice, priceByCategory } from '../pricing/party';
import type { BookingLead } from './booking-lead';

/** The calculation of the price. */
export interface PriceBreakdown {
  /** One adult's price on the platform. */
  platform_unit_price: number;
  /** One adult's price. */
  unit_price: number;
  /** @isInt */
  adults: number;
  /** @isInt */
  children: number;
  /** @isInt */
  single_supplements: number;
  /** The price of each category of the party. */
  categories: CategoryPrice[];
  deposit_percent: number;
  rule: PriceBreakdownRule | null;
}

export interface PriceBreakdownRule {
  /**
   * Id of the pricing rule.
   * @isInt
   * @example 7
   */
  id: number;
  applies_to: 'tour' | 'continent' | 'all';
  kind: 'percent' | 'amount' | 'price';
  value: number;
}

/** Returns the calculation of the price: what was stored with the booking, and each category of its party. */
export function priceBreakdown({
  priceBreakdown: stored,
  party,
  prices,
  currencyDigits,
}: BookingLead): PriceBreakdown {
  // OCTO's answers name it; the calculation is one adult's.
  const { platform_child_price: _, ...calculation } = stored;
  return Object.assign(calculation as unknown as PriceBreakdown, {
    adults: party.adult,
    children: party.child,
    single_supplements: party.single_supplement,
    categories: priceByCategory(party, prices, currencyDigits),
  });
}

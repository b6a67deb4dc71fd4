import { toMajor } from '../money/currency';
import type { Quote } from './quote-tenant-price';

/** How one adult's price came about, as the wire shows it and as a hold keeps it. */
export function explainPrice(quote: Quote, currencyDigits: number): Record<string, unknown> {
  const { rule } = quote;
  return {
    platform_unit_price: toMajor(quote.platform.adult, currencyDigits),
    unit_price: toMajor(quote.tenant.adult, currencyDigits),
    rule: rule
      ? {
          id: rule.id,
          applies_to: rule.tourId ? 'tour' : rule.continent ? 'continent' : 'all',
          kind: rule.kind,
          value: rule.kind === 'percent' ? Number(rule.percent) : toMajor(rule.amountMinor!, currencyDigits),
        }
      : null,
  };
}

import { AppError } from '../../platform/errors';

export class PriceRuleNotFoundError extends AppError {
  override readonly name = 'PriceRuleNotFoundError';
  readonly code = 'price_rule_not_found' as const;

  constructor(id: number, tenantSlug: string) {
    super(`${tenantSlug} has no price rule ${id}`);
  }
}

/** A rule in money says nothing about a tour in another currency, so it would never apply. */
export class ForeignCurrencyError extends AppError {
  override readonly name = 'ForeignCurrencyError';
  readonly code = 'currency_mismatch' as const;

  constructor(tourCurrency: string, tenantCurrency: string) {
    super(
      `The tour is sold in ${tourCurrency}, a rule in money applies to ${tenantCurrency} alone: use a percentage`,
    );
  }
}

export class InvalidAmountError extends AppError {
  override readonly name = 'InvalidAmountError';
  readonly code = 'invalid_amount' as const;

  constructor(amount: string, currency: string, digits: number) {
    super(`${amount} is no amount of ${currency}, which has ${digits} decimals`);
  }
}

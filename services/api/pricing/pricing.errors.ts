import { AppError } from '../../platform/errors';

export class PriceRuleNotFoundError extends AppError {
  readonly code = 'price_rule_not_found';

  constructor(id: number, tenantSlug: string) {
    super(`${tenantSlug} has no price rule ${id}`);
  }
}

/** A rule in money says nothing about a tour in another currency, so it would never apply. */
export class ForeignCurrencyError extends AppError {
  readonly code = 'currency_mismatch';

  constructor(tourCurrency: string, tenantCurrency: string) {
    super(
      `The tour is sold in ${tourCurrency}, a rule in money applies to ${tenantCurrency} alone: use a percentage`,
    );
  }
}

export class InvalidAmountError extends AppError {
  readonly code = 'invalid_amount';

  constructor(amount: string, currency: string, digits: number) {
    super(`${amount} is no amount of ${currency}, which has ${digits} decimals`);
  }
}

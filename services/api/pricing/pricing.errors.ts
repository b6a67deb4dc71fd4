import { AppError } from '../../platform/errors';

export class PriceRuleNotFoundError extends AppError {
  readonly code = 'price_rule_not_found';

  constructor(id: number, tenantSlug: string) {
    super(`${tenantSlug} has no price rule ${id}`);
  }
}

/** A rule with an amount in the tenant's currency would never apply to a tour in another currency. */
export class ForeignCurrencyError extends AppError {
  readonly code = 'currency_mismatch';

  constructor(tourCurrency: string, tenantCurrency: string) {
    super(
      `The tour is sold in ${tourCurrency}, but an amount applies to ${tenantCurrency} only: use a percentage`,
    );
  }
}

export class InvalidAmountError extends AppError {
  readonly code = 'invalid_amount';

  constructor(amount: string, currency: string, digits: number) {
    super(`${amount} is not an amount of ${currency}, which has ${digits} decimals`);
  }
}

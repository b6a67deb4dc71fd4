import { AppError } from '../../platform/errors';
import { MINOR_UNITS_MAX, toMajor } from './currency';

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
    const most = toMajor(MINOR_UNITS_MAX, digits);
    super(`${amount} is not an amount of ${currency}, which has ${digits} decimals; the largest is ${most}`);
  }
}

/** Only the terminal shows this error. Requests get the answer of an unknown tour. */
export class RateMissingError extends AppError {
  readonly code = 'rate_missing';

  /** @param missing the currencies whose rates are missing */
  constructor(tourCurrency: string, sellingCurrency: string, missing: string[]) {
    super(
      `A price in ${tourCurrency} cannot be converted to ${sellingCurrency}, because a rate is missing: ` +
        `tourctl rates set ${missing.map((currency) => `${currency} RATE`).join(' ')}`,
    );
  }
}

/** Only the terminal shows this error. Requests get the answer of an unknown tour, or of a departure that cannot be booked. */
export class PriceNotSoldError extends AppError {
  readonly code = 'price_not_sold';

  constructor(tourCurrency: string, sellingCurrency: string) {
    super(
      `A price in ${tourCurrency} becomes 0 or too large in ${sellingCurrency}, so it is not sold: check the tour's prices, ` +
        `the rates (tourctl rates list) and the tenant's rules (tourctl pricing show)`,
    );
  }
}

/** The file has no reference rates. Nothing was stored. */
export class RatesFileRefusedError extends AppError {
  readonly code = 'rates_file_invalid';

  /** @param issue such as `it has no day with rates` */
  constructor(issue: string) {
    super(`The file of rates is refused: ${issue}. Nothing was stored`);
  }
}

export class FutureRateError extends AppError {
  readonly code = 'rate_date_in_future';

  constructor(date: string) {
    super(`A rate must not be of a later day than today, and ${date} is later`);
  }
}

import type { Trx } from '../../platform/database';
import { toMinor } from '../money/currency';
import type { Tenant } from '../tenants/tenant';
import type { PriceRule, PriceRuleKind } from './price-rule';
import { insertPriceRule } from './price-rule.repository';
import type { PricedTour } from './prices';
import { ForeignCurrencyError, InvalidAmountError } from './pricing.errors';

export interface NewPriceRule {
  /** What it speaks of: a tour, a continent, or, with neither, everything. */
  tour?: PricedTour;
  continent?: string;
  change: PriceChange;
  /** Inclusive travel dates, YYYY-MM-DD. */
  travelFrom?: string;
  travelTo?: string;
  /** Decimal text, major units. */
  roundTo?: string;
}

/** Decimal text: a percentage added to each category, or major units of the tenant's currency, for the adult. */
export interface PriceChange {
  kind: PriceRuleKind;
  value: string;
}

/** @throws InvalidAmountError, ForeignCurrencyError */
export async function addPriceRule(trx: Trx, tenant: Tenant, rule: NewPriceRule): Promise<PriceRule> {
  const { tour, change } = rule;
  return insertPriceRule(trx, tenant.id, {
    tourId: tour?.id ?? null,
    continent: rule.continent ?? null,
    kind: change.kind,
    ...(change.kind === 'percent'
      ? { percent: change.value, amountMinor: null, currency: null }
      : { percent: null, amountMinor: amountIn(tenant, change.value, tour), currency: tenant.currency }),
    travelFrom: rule.travelFrom ?? null,
    travelTo: rule.travelTo ?? null,
    roundTo: rule.roundTo ?? null,
  });
}

function amountIn(tenant: Tenant, amount: string, tour: PricedTour | undefined): number {
  if (tour && tour.currency !== tenant.currency)
    throw new ForeignCurrencyError(tour.currency, tenant.currency);
  const minor = toMinor(amount, tenant.currencyDigits);
  if (minor === undefined) throw new InvalidAmountError(amount, tenant.currency, tenant.currencyDigits);
  return minor;
}

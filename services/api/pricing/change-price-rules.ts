import type { Trx } from '../../platform/database/database';
import type { Tenant } from '../tenants/tenant';
import type { PriceRule, PriceRuleKind } from './choose-price-rule';
import { toMinor } from './currency';
import {
  deletePriceRule,
  findPriceRule,
  insertPriceRule,
  type ListedPriceRule,
} from './price-rule.repository';
import type { PricedTour } from './price-categories';
import { ruleCurrencyOf, sellingCurrencyOf } from './selling-currency';
import { ForeignCurrencyError, InvalidAmountError, PriceRuleNotFoundError } from './pricing.errors';

export interface NewPriceRule {
  /** The scope of the rule: a tour or a continent. Without either, all tours. */
  tour?: Omit<PricedTour, 'categories'>;
  continent?: string;
  /** The only category whose price the rule changes. Undefined: the first of each tour. Only for `amount` and `price`. */
  category?: string;
  change: PriceChange;
  /** Inclusive travel dates, YYYY-MM-DD. */
  travelFrom?: string;
  travelTo?: string;
  /** A decimal text in major units. */
  roundTo?: string;
}

/**
 * `value` is a decimal text. For `percent`, it is the percentage by which each category changes. Otherwise it is an amount for the price
 * of one category, in the tenant's selling currency or, without one, in the tenant's currency.
 */
export interface PriceChange {
  kind: PriceRuleKind;
  value: string;
}

/**
 * @throws InvalidAmountError, ForeignCurrencyError
 */
export async function addPriceRule(trx: Trx, tenant: Tenant, rule: NewPriceRule): Promise<PriceRule> {
  return insertPriceRule(trx, tenant.id, toNewRule(tenant, rule));
}

/**
 * Converts the rule to its stored form.
 * @throws InvalidAmountError, ForeignCurrencyError
 */
export function toNewRule(tenant: Tenant, rule: NewPriceRule): Omit<PriceRule, 'id'> {
  const { tour, change } = rule;
  return {
    tourId: tour?.id ?? null,
    continent: rule.continent ?? null,
    category: rule.category ?? null,
    kind: change.kind,
    ...(change.kind === 'percent'
      ? { percent: change.value, amountMinor: null, currency: null }
      : { percent: null, ...moneyOf(tenant, change.value, tour) }),
    travelFrom: rule.travelFrom ?? null,
    travelTo: rule.travelTo ?? null,
    roundTo: rule.roundTo ?? null,
  };
}

/** Reads an amount in the currency of the tenant's rules. */
function moneyOf(
  tenant: Tenant,
  amount: string,
  tour: Omit<PricedTour, 'categories'> | undefined,
): Pick<PriceRule, 'amountMinor' | 'currency'> {
  const { currency, currencyDigits } = ruleCurrencyOf(tenant);
  const sold = tour && sellingCurrencyOf(tenant, tour).currency;
  if (sold !== undefined && sold !== currency) throw new ForeignCurrencyError(sold, currency);
  const amountMinor = toMinor(amount, currencyDigits);
  if (amountMinor === undefined) throw new InvalidAmountError(amount, currency, currencyDigits);
  return { amountMinor, currency };
}

/**
 * Removes a price rule and returns it.
 * @throws PriceRuleNotFoundError for an unknown rule and for a rule of another tenant
 */
export async function removePriceRule(trx: Trx, tenant: Tenant, id: number): Promise<ListedPriceRule> {
  const rule = await findPriceRule(trx, tenant.id, id);
  if (!rule || !(await deletePriceRule(trx, id))) throw new PriceRuleNotFoundError(id, tenant.slug);
  return rule;
}

import type { Tenant } from '../tenants/tenant';
import { type Conversion, type Currency, type ExchangeRates, findConversion } from './convert-price';

/** The settings of a tenant that decide the currencies of its prices. */
export type TenantCurrencies = Pick<Tenant, 'currency' | 'currencyDigits' | 'sellIn' | 'sellInDigits'>;

/** The settings of a tenant on which its prices depend, besides its rules. */
export type PricingTenant = TenantCurrencies & Pick<Tenant, 'depositPercent' | 'paymentMethod'>;

/** Returns the currency in which the tenant sells a tour: its selling currency or, without one, the tour's own currency. */
export function sellingCurrencyOf(tenant: TenantCurrencies, tour: Currency): Currency {
  const { sellIn, sellInDigits } = tenant;
  const { currency, currencyDigits } = tour;
  return sellIn === null ? { currency, currencyDigits } : { currency: sellIn, currencyDigits: sellInDigits! };
}

/**
 * Returns the currency of the platform's prices of a tour, for an answer to a tenant whose own prices may be in another one. Undefined: the
 * tenant has no selling currency, so the answer names only one currency.
 */
export function platformCurrencyOf(tenant: TenantCurrencies, tour: Currency): string | undefined {
  return tenant.sellIn === null ? undefined : tour.currency;
}

/** Returns the currency of the tenant's price rules in money. Such a rule applies only to tours that the tenant sells in this currency. */
export function ruleCurrencyOf(tenant: TenantCurrencies): Currency {
  return sellingCurrencyOf(tenant, tenant);
}

/** The currency in which a tenant sells a tour, and how the tour's prices are converted to it. `conversion` is that of a quote. */
interface SaleCurrency extends Currency {
  conversion: Conversion | null | undefined;
}

/**
 * Creates the function that finds the currency of a tour's sale. It finds the conversion of each currency only once.
 * @returns a function that returns undefined if a rate is missing
 */
export function saleFinder(
  tenant: TenantCurrencies,
  rates: ExchangeRates,
): (tour: Currency) => SaleCurrency | undefined {
  const found = new Map<string, SaleCurrency | undefined>();
  return (tour) => {
    if (tenant.sellIn === null)
      return { currency: tour.currency, currencyDigits: tour.currencyDigits, conversion: undefined };
    if (!found.has(tour.currency)) found.set(tour.currency, findSale(tenant, rates, tour));
    return found.get(tour.currency);
  };
}

function findSale(tenant: TenantCurrencies, rates: ExchangeRates, tour: Currency): SaleCurrency | undefined {
  const sold = sellingCurrencyOf(tenant, tour);
  if (sold.currency === tour.currency) return { ...sold, conversion: null };
  const conversion = findConversion(rates, tour, sold);
  return conversion && { ...sold, conversion };
}

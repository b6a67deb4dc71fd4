import { foldName } from '../../../../services/api/catalog/fold-name';
import { currencyDigits } from '../../../../services/api/money/currency';
import { currencyOfCountry } from '../../../../services/api/tenants/country-currency';
import { isSlug, isUuid } from '../../../../services/platform/text-forms';
import { UsageError } from '../../../usage-error';
import type { OnboardOptions } from './onboard-options';

type Decided = 'slug' | 'status' | 'country' | 'currency' | 'visibility' | 'scope';

/** What will be written: nothing that one answer derives from another is open any more. */
export type OnboardPlan = OnboardOptions & Required<Pick<OnboardOptions, Decided>>;

/** @throws UsageError where the name gives no slug, and none is given */
export function toPlan(options: OnboardOptions): OnboardPlan {
  const { name, slug = slugOf(name), country = 'DE', tour, continent } = options;
  if (slug === undefined) throw new UsageError(`--slug is missing: none can be made of the name "${name}"`);
  return {
    ...options,
    slug,
    country,
    status: options.status ?? 'trial',
    currency: options.currency ?? defaultCurrency(country),
    visibility: options.visibility ?? (tour || continent ? 'none' : 'all'),
    scope: options.scope ?? ['catalog:read'],
  };
}

/** acme-travel of "Acme Travel"; undefined of a name without Latin letters and digits. */
export function slugOf(name: string): string | undefined {
  const slug = foldName(name)
    .replace(/'/g, '')
    .replace(/[^a-z0-9]+/g, '-')
    .slice(0, 63)
    .replace(/^-+|-+$/g, '');
  return isSlug(slug) && !isUuid(slug) ? slug : undefined;
}

export function defaultCurrency(country: string): { code: string; digits: number } {
  const code = currencyOfCountry(country);
  return { code, digits: currencyDigits(code)! };
}

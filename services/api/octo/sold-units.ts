import type { Tour } from '../catalog/tour';
import type { Category } from '../parties/category';

/** Returns the categories that OCTO sells as units: all but supplements. */
export function unitCategories(categories: readonly Category[]): Category[] {
  return categories.filter(({ kind }) => kind !== 'supplement');
}

/**
 * Returns the units of the tour's product: the first category, and each other one that has a price on an open date.
 * @rule which categories OCTO sells as units: test/octo/units.long.test.ts
 */
export function soldUnits({
  categories,
  lowestPrices,
}: Pick<Tour, 'categories' | 'lowestPrices'>): Category[] {
  return unitCategories(categories).filter(
    ({ code }, index) => index === 0 || lowestPrices.some(({ prices }) => prices[code] !== undefined),
  );
}

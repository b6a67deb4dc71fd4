import fc from 'fast-check';
import type { Category } from '../../services/api/parties/category';

/** Random tours, whose categories name each other by the same few codes. */

export const CODES = ['adult', 'child', 'infant', 'family', 'senior'];
const code = fc.constantFrom(...CODES);
const category = fc.record(
  {
    kind: fc.constant('other' as const),
    seats: fc.integer({ min: 0, max: 8 }),
    people: fc.integer({ min: 0, max: 8 }),
    min: fc.integer({ min: 0, max: 4 }),
    max: fc.integer({ min: 1, max: 99 }),
    with: fc.uniqueArray(code, { maxLength: 2 }),
    at_most: code,
  },
  { requiredKeys: ['kind', 'seats', 'people'] },
);
export const categoriesArbitrary = fc
  .dictionary(code, category, { minKeys: 1 })
  .map((known): Category[] => Object.entries(known).map(([name, rules]) => ({ ...rules, code: name })));
export const pricesArbitrary = fc.dictionary(code, fc.integer({ min: 0, max: 1_000_000_000_000 }));
export const unitsArbitrary = fc.dictionary(
  code,
  fc.oneof({ weight: 4, arbitrary: fc.integer({ min: 0, max: 6 }) }, fc.integer({ min: 0, max: 99 })),
);

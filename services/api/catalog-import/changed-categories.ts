import { codesOf } from '../catalog/known-categories';

/*
 * Builds the SQL that compares the price categories of a tour before and after an import. A tour may lose a category only if no live hold
 * and no standing booking of a departure to come uses it (issues.repository.ts). All departures of the tour then lose its price
 * (compare.repository.ts), except past ones that would keep no price of the first category.
 */

/**
 * Returns the SQL of the column `categories` of a tour after the import: those of the entry `s`, otherwise the stored ones of the tour `t`.
 * An empty list: the categories of the entry have issues.
 */
export function categoriesAfter(entry: string, tour: string): string {
  return `case when jsonb_exists(${entry}.columns, 'categories') then nullif(${entry}.columns->'categories', 'null')
    else ${tour}.categories end`;
}

/** Returns the SQL of the codes that a tour loses, as an array. It is empty if the new categories have issues. */
export function removedCodes(before: string, after: string): string {
  return `case when ${after} is distinct from ${before} and ${after} is distinct from '[]'
    then array(select unnest(${codesOf(before)}) except select unnest(${codesOf(after)}))
    else '{}'::text[] end`;
}

/**
 * Returns the SQL of prices without those of the removed codes.
 * @param tour SQL of a row with `codes` and `removed`
 */
export function withoutRemoved(prices: string, tour: string): string {
  return `case when jsonb_exists(${prices} - ${tour}.removed, ${tour}.codes[1]) then ${prices} - ${tour}.removed else ${prices} end`;
}

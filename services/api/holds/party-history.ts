import { type SaleChange, valueBefore } from '../audit/changed-fields';
import type { Category } from '../pricing/category';
import { fieldOfCode, type Party, toParty, unitsOf } from '../pricing/party';

/**
 * Returns the units of each category by the field name that the history of a hold or booking has for it.
 * @param codes the categories to name, also those without a unit
 */
export function partyFields(party: Party, codes: Iterable<string>): Record<string, number> {
  return Object.fromEntries([...codes].map((code) => [fieldOfCode(code), unitsOf(party, code)]));
}

/** Returns the party before the first change. */
export function partyBefore(changes: SaleChange[], party: Party, categories: readonly Category[]): Party {
  const codes = new Set([...categories.map(({ code }) => code), ...Object.keys(party)]);
  const before = [...codes].map((code) => [
    code,
    valueBefore(changes, fieldOfCode(code), unitsOf(party, code)),
  ]);
  return toParty(Object.fromEntries(before) as Party, categories);
}

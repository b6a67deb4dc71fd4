import { unitsOf } from './party-rules.ts';
import type { Category, Party } from './wire.ts';

interface FittedParty {
  party: Party;
  /** The categories that the party had, and that are no longer sold. */
  unsold: Category[];
}

/**
 * Fits a party to the categories that are sold now. A category whose code has changed keeps its units: it is the only new one of its kind and
 * its seats, in place of the only one that is gone.
 * @param before the categories from which the party was chosen
 */
export function fitParty(party: Party, before: readonly Category[], sold: readonly Category[]): FittedParty {
  const gone = before.filter((one) => unitsOf(party, one.code) > 0 && !has(sold, one));
  const added = sold.filter((one) => !has(before, one));
  const successors = new Map<Category, Category>();
  for (const category of gone) {
    const isAlike = ({ kind, seats }: Category) => kind === category.kind && seats === category.seats;
    const [successor, ...others] = added.filter(isAlike);
    if (successor && others.length === 0 && gone.filter(isAlike).length === 1)
      successors.set(successor, category);
  }
  const fitted: Party = {};
  for (const category of sold) {
    const units = unitsOf(party, (successors.get(category) ?? category).code);
    if (units > 0) fitted[category.code] = units;
  }
  const kept = [...successors.values()];
  return { party: fitted, unsold: gone.filter((one) => !kept.includes(one)) };
}

function has(categories: readonly Category[], { code }: Category): boolean {
  return categories.some((one) => one.code === code);
}

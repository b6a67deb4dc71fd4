import type { Category as TourCategory } from '../../services/api/parties/category';
import { type ByCategory, CATEGORIES, type Category } from './model';

/**
 * How a tour sells the three categories of the model: by the default list, or by price categories of its own with other codes and seats. The
 * first category of a list is the model's adult, the second its child, and the third its single supplement.
 */
export interface Shape {
  /** Undefined: the tour says nothing. */
  categories?: TourCategory[];
  codes: Record<Category, string>;
  /** The seats of one unit. */
  seats: ByCategory;
}

export const DEFAULT_SHAPE: Shape = {
  codes: { adult: 'adult', child: 'child', single_supplement: 'single_supplement' },
  seats: { adult: 1n, child: 1n, single_supplement: 0n },
};

const VISITOR: TourCategory = { code: 'visitor', kind: 'adult', seats: 1, people: 1 };
const FAMILY: TourCategory = { code: 'family', kind: 'family', seats: 4, people: 4 };
const INFANT: TourCategory = { code: 'infant', kind: 'infant', seats: 0, people: 1, with: ['visitor'] };
const BOAT: TourCategory = { code: 'boat', kind: 'group', seats: 8, people: 8 };
const guideFor = (at_most: string): TourCategory => ({
  code: 'guide',
  kind: 'supplement',
  seats: 0,
  people: 0,
  at_most,
});

/** The last list has the codes of the default list with another meaning. */
export const OWN_SHAPES: Shape[] = [
  shapeOf(VISITOR, FAMILY, guideFor('visitor')),
  shapeOf(VISITOR, INFANT, guideFor('visitor')),
  shapeOf(BOAT, VISITOR, guideFor('boat')),
  shapeOf(
    { code: 'child', kind: 'child', seats: 1, people: 1 },
    { code: 'adult', kind: 'adult', seats: 2, people: 1 },
    { code: 'single_supplement', kind: 'supplement', seats: 0, people: 0, at_most: 'child' },
  ),
];

function shapeOf(adult: TourCategory, child: TourCategory, supplement: TourCategory): Shape {
  return {
    categories: [adult, child, supplement],
    codes: { adult: adult.code, child: child.code, single_supplement: supplement.code },
    seats: {
      adult: BigInt(adult.seats),
      child: BigInt(child.seats),
      single_supplement: BigInt(supplement.seats),
    },
  };
}

/** Returns the numbers or minor units by the codes of the tour. */
export function byCode({ codes }: Shape, values: ByCategory): Record<string, number> {
  return Object.fromEntries(CATEGORIES.map((category) => [codes[category], Number(values[category])]));
}

/** Returns a party as an answer shows it: only the categories with a unit. */
export function shownParty(shape: Shape, party: ByCategory): Record<string, number> {
  return Object.fromEntries(Object.entries(byCode(shape, party)).filter(([, units]) => units > 0));
}

/** Returns the fields of a request with a party. A tour that says nothing is asked by the fields from before the categories. */
export function partyFields(shape: Shape, party: ByCategory): object {
  if (shape.categories) return { party: byCode(shape, party) };
  return {
    adults: Number(party.adult),
    children: Number(party.child),
    single_supplements: Number(party.single_supplement),
  };
}

/** Returns the fields of a hold. The fields from before the categories have no supplements there. */
export function holdFields(shape: Shape, party: ByCategory): object {
  if (shape.categories) return { party: byCode(shape, party) };
  return { quantity: seatsOf(shape, party), adults: Number(party.adult), children: Number(party.child) };
}

/** Returns the seats that a party takes. */
export function seatsOf({ seats }: Shape, party: ByCategory): number {
  return CATEGORIES.reduce((sum, category) => sum + Number(party[category] * seats[category]), 0);
}

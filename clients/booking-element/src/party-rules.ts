import type { Category, Party, Prices } from './wire.ts';

/** The most seats of one party, as the platform allows them. */
export const SEATS_MAX = 50;
/** The most units of one party, as the platform allows them. */
export const UNITS_MAX = 99;

/** The issue of a party. `category`: the code of the category; absent: the issue is one of the whole party. */
export interface PartyIssue {
  kind: 'min' | 'max' | 'with' | 'at_most' | 'none' | 'seats' | 'free';
  category?: string;
  /** The number that the rule allows. */
  number?: number;
  /** The codes of the categories that the rule names. */
  others?: string[];
}

/** Returns the categories that have a price. */
export function soldCategories(categories: readonly Category[], prices: Prices): Category[] {
  return categories.filter(({ code }) => prices[code] !== undefined);
}

/** Returns the party that a visitor begins with: the fewest units of the first category for which the seats are enough. */
export function startParty(categories: readonly Category[], prices: Prices, seats: number): Party {
  const sold = soldCategories(categories, prices);
  const parties = sold.map(({ code, min = 1 }): Party => ({ [code]: Math.max(1, min) }));
  return parties.find((party) => !sizeIssue(party, sold, { free: seats })) ?? parties[0] ?? {};
}

/** Returns the party with another number of units of a category, in the order of the tour's categories. 0 removes the category. */
export function changeParty(
  party: Party,
  code: string,
  units: number,
  categories: readonly Category[],
): Party {
  const changed: Party = {};
  for (const category of categories) {
    const number = category.code === code ? units : unitsOf(party, category.code);
    if (number > 0) changed[category.code] = number;
  }
  return changed;
}

/** Returns the next number of units in a direction: no number between 0 and the fewest of the category, and none outside 0 to 99. */
export function stepOf(units: number, step: 1 | -1, { min = 1 }: Category): number {
  const next = units + step;
  if (next < min) return step === 1 ? min : 0;
  return Math.min(next, UNITS_MAX);
}

export function unitsOf(party: Party, code: string): number {
  return Object.hasOwn(party, code) ? party[code]! : 0;
}

/** Returns the seats that the party takes. */
export function seatsOf(party: Party, categories: readonly Category[]): number {
  return categories.reduce((seats, { code, seats: each }) => seats + unitsOf(party, code) * each, 0);
}

/** Returns the total of a party in minor units. @param prices in major units @param digits the decimals of their currency */
export function totalOf(party: Party, prices: Prices, digits: number): number {
  return Object.entries(party).reduce(
    (total, [code, units]) => total + units * Math.round((prices[code] ?? 0) * 10 ** digits),
    0,
  );
}

/** The seats that bound a party. */
export interface SeatBounds {
  /** The free seats of the departure. */
  free: number;
  /** The most seats of one booking; without it, those that the platform allows. */
  most?: number;
}

/**
 * Returns what is wrong with the party; undefined: it can be booked. Gives the verdict of the platform (services/api/pricing/party.ts), and
 * also counts the seats that bound it.
 */
export function issueOf(
  party: Party,
  categories: readonly Category[],
  prices: Prices,
  bounds: SeatBounds,
): PartyIssue | undefined {
  for (const category of Object.keys(party)) {
    const issue = categoryIssue(category, party, categories, prices);
    if (issue) return issue;
  }
  return sizeIssue(party, categories, bounds);
}

/**
 * Returns why the party cannot have another unit of a category; undefined: it can. A missing companion does not count, because the visitor
 * may add it later.
 */
export function limitOf(
  category: Category,
  party: Party,
  categories: readonly Category[],
  bounds: SeatBounds,
): PartyIssue | undefined {
  const { code } = category;
  const larger = changeParty(party, code, stepOf(unitsOf(party, code), 1, category), categories);
  const issue = ruleIssue(category, larger);
  if (issue?.kind === 'max' || issue?.kind === 'at_most') return issue;
  const tooLarge = sizeIssue(larger, categories, bounds);
  return tooLarge?.kind === 'none' ? undefined : tooLarge;
}

/** Returns what is wrong with the units of one category of the party; undefined: they are right. */
export function categoryIssue(
  code: string,
  party: Party,
  categories: readonly Category[],
  prices: Prices,
): PartyIssue | undefined {
  const category = categories.find((one) => one.code === code);
  if (!category || prices[code] === undefined) return { kind: 'max', category: code, number: 0 };
  return unitsOf(party, code) === 0 ? undefined : ruleIssue(category, party);
}

/** Returns which rule of a category its units break; undefined: none. */
export function ruleIssue(
  { code, min = 1, max = UNITS_MAX, with: companions, at_most }: Category,
  party: Party,
): PartyIssue | undefined {
  const units = unitsOf(party, code);
  if (units < min) return { kind: 'min', category: code, number: min };
  if (units > max) return { kind: 'max', category: code, number: max };
  if (companions?.length && !companions.some((companion) => unitsOf(party, companion) > 0))
    return { kind: 'with', category: code, others: companions };
  if (at_most !== undefined && units > unitsOf(party, at_most))
    return { kind: 'at_most', category: code, others: [at_most] };
  return undefined;
}

/** Returns what is wrong with the size of the party; undefined: it is right. */
export function sizeIssue(
  party: Party,
  categories: readonly Category[],
  { free, most = SEATS_MAX }: SeatBounds,
): PartyIssue | undefined {
  const seats = seatsOf(party, categories);
  const units = Object.values(party).reduce((sum, each) => sum + each, 0);
  if (seats < 1) return { kind: 'none' };
  if (seats > Math.min(free, most))
    return free < most ? { kind: 'free', number: free } : { kind: 'seats', number: most };
  if (units > UNITS_MAX) return { kind: 'max', number: UNITS_MAX };
  return undefined;
}

import {
  fewestSeats,
  type PartyIssue,
  ruleIssue,
  type SeatBounds,
  SEATS_MAX,
  sizeIssue,
  soldCategories,
  UNITS_MAX,
  unitsOf,
} from './party-rules.ts';
import type { Category, Departure, Party, Prices, Tour } from './wire.ts';

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
  return partyOf(categories, (one) => (one.code === code ? units : unitsOf(party, one.code)));
}

/** Returns the party with so many units of each category. */
function partyOf(categories: readonly Category[], unitsOfCategory: (category: Category) => number): Party {
  const party: Party = {};
  for (const category of categories) {
    const units = unitsOfCategory(category);
    if (units > 0) party[category.code] = units;
  }
  return party;
}

/** Returns the next number of units in a direction: no number between 0 and the fewest of the category, and none outside 0 to 99. */
export function stepOf(units: number, step: 1 | -1, { min = 1 }: Category): number {
  const next = units + step;
  if (next < min) return step === 1 ? min : 0;
  return Math.min(next, UNITS_MAX);
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

/** Returns the total of a party in minor units. @param prices in major units @param digits the decimals of their currency */
export function totalOf(party: Party, prices: Prices, digits: number): number {
  return Object.entries(party).reduce(
    (total, [code, units]) => total + units * Math.round((prices[code] ?? 0) * 10 ** digits),
    0,
  );
}

/** Returns how many of the smallest bookings the free seats of an available departure are enough for. */
export function bookingsLeft({ seats_available, tenant_prices }: Departure, tour: Tour): number {
  const fewest = fewestSeats(tenant_prices, tour.categories);
  return fewest > mostSeatsOf(tour) ? 0 : Math.floor(seats_available / fewest);
}

/**
 * Returns the seats that bound a party. A group that is too small for any booking is no bound.
 * @rule which departures the element sells, and the most seats: test/element/smallest-booking.test.ts
 */
export function boundsOf({ seats_available, tenant_prices }: Departure, tour: Tour): SeatBounds {
  const group = Math.max(tour.group_size_max ?? SEATS_MAX, fewestSeats(tenant_prices, tour.categories));
  return { free: seats_available, most: Math.min(group, mostSeatsOf(tour)) };
}

function mostSeatsOf({ seatsMax = SEATS_MAX }: Tour): number {
  return Math.min(seatsMax, SEATS_MAX);
}

interface FittedParty {
  party: Party;
  /** The categories that the party had, and that are no longer sold. */
  unsold: Category[];
}

/**
 * Fits a party to the categories that are sold now. A category whose code has changed keeps its units: it is the only new one of its kind and
 * its seats, in place of the only one that is gone.
 * @param before the categories from which the party was chosen
 * @rule what stays of a party when its tour changes: test/element/fit-party.test.ts
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
  const fitted = partyOf(sold, (one) => unitsOf(party, (successors.get(one) ?? one).code));
  const kept = [...successors.values()];
  return { party: fitted, unsold: gone.filter((one) => !kept.includes(one)) };
}

function has(categories: readonly Category[], { code }: Category): boolean {
  return categories.some((one) => one.code === code);
}

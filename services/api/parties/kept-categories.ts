import type { Category } from './category';
import { type Party, unitsOf } from './party-rules';

/*
 * A hold or booking whose tour has other categories by now keeps what it has: the units of its party, with the categories that it has locked.
 * A unit that it does not have yet follows the tour's present categories (ADR 62).
 */

/** The units that a hold or booking has, and the categories that it has locked. */
export interface KeptParty {
  party: Party;
  categories: readonly Category[];
}

/** Returns the categories of a hold or booking on its own departure: the locked ones of the units that it has, the present ones of others. */
export function renewedCategories(
  { party, categories }: KeptParty,
  present: readonly Category[],
): readonly Category[] {
  const renewed = categories.map((locked) =>
    unitsOf(party, locked.code) > 0 ? locked : (ofCode(present, locked.code) ?? locked),
  );
  // Returns the same list if nothing is new, because the default list is known by its identity (storedCategories).
  return renewed.every((one, index) => one === categories[index]) ? categories : renewed;
}

/** Returns renewedCategories, and after them those that the tour has got since. */
function renewedAndAdded(kept: KeptParty, present: readonly Category[]): readonly Category[] {
  const renewed = renewedCategories(kept, present);
  const added = present.filter(({ code }) => !ofCode(renewed, code));
  return added.length === 0 ? renewed : [...renewed, ...added];
}

/**
 * Returns the categories of a hold or booking on another departure of its tour: the present ones, and those of its units that the tour has
 * lost. Its units keep the rules that are locked, and take the present seats.
 */
function presentAndLost(kept: KeptParty, present: readonly Category[]): readonly Category[] {
  const moved = present.map((now) => {
    const locked = unitsOf(kept.party, now.code) > 0 ? ofCode(kept.categories, now.code) : undefined;
    return locked && locked !== now ? { ...locked, seats: now.seats, people: now.people } : now;
  });
  const lost = lostCodes(kept, present).map((code) => ofCode(kept.categories, code)!);
  return lost.length === 0 && moved.every((one, index) => one === present[index])
    ? present
    : [...moved, ...lost];
}

/**
 * Returns the categories of a hold or booking after a change. On its own departure it keeps those of its units, with the present ones for
 * others. On another departure of its tour it gets the present ones, and keeps those of its units that the tour has lost. On another tour it
 * gets those of this tour.
 * @param to the departure after the change. Undefined: there is none
 */
export function categoriesOfChange(
  sale: KeptParty & { departureId: string | null; tour: { id: string } },
  to: { id: string; tour: { id: string; categories: readonly Category[] } } | undefined,
): readonly Category[] {
  if (to === undefined) return sale.categories;
  const { id, tour } = to;
  if (id === sale.departureId) return renewedAndAdded(sale, tour.categories);
  return tour.id === sale.tour.id ? presentAndLost(sale, tour.categories) : tour.categories;
}

/** Returns the codes of the units whose category the tour has no more. */
export function lostCodes({ party }: KeptParty, present: readonly Category[]): string[] {
  return Object.keys(party).filter((code) => !ofCode(present, code));
}

/**
 * Returns the categories by which the party is checked after a change. A category with no more units than before has the rules that are locked. Another
 * one has the present rules, and is left out if the tour has lost it. The seats are those of `sold`.
 * @param sold the categories of the hold or booking after the change
 * @rule which categories a hold or booking keeps: test/api/kept-categories.test.ts
 */
export function categoriesToCheck(
  after: Party,
  kept: KeptParty,
  { sold, present }: { sold: readonly Category[]; present: readonly Category[] },
): Category[] {
  const isKept = (code: string) =>
    unitsOf(after, code) > 0 && unitsOf(after, code) <= unitsOf(kept.party, code);
  return sold.flatMap(({ code, seats, people }) => {
    const rules = ofCode(isKept(code) ? kept.categories : present, code);
    return rules ? { ...rules, seats, people } : [];
  });
}

/**
 * Returns whether a change takes more units of a category, or all its units from another departure. Only such a change needs an open
 * departure.
 */
export function takesUnits({ before, after }: { before: Party | null; after: Party }): boolean {
  return before === null || Object.keys(after).some((code) => unitsOf(after, code) > unitsOf(before, code));
}

function ofCode(categories: readonly Category[], code: string): Category | undefined {
  return categories.find((one) => one.code === code);
}

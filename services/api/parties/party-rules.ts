/*
 * The rules of a party, for the API, for the proxy of a tenant's site, and for the booking element. The build copies this file into both
 * clients, so it imports nothing. It has no texts: an issue is data, and each reader puts it into words.
 */

/** The most seats of one party. */
export const SEATS_MAX = 50;
/** The most units of one party. */
export const UNITS_MAX = 99;

/** The fields of a price category that the rules read. */
export interface CategoryRules {
  code: string;
  kind: string;
  seats: number;
  min?: number;
  max?: number;
  with?: readonly string[];
  at_most?: string;
}

/** The units of each category, by its code: only categories with at least one unit, in the order of the tour's categories. */
export type Party = Record<string, number>;

/** The price of one unit of each category, by its code. A category without a price is not sold. */
export type Prices = Record<string, number>;

/** The issue of a party. */
export interface PartyIssue {
  /**
   * `unsold`: the category is unknown or has no price. `min`, `max`, `with`, `at_most`: its rule; `max` without a category: the units of the
   * whole party. `none`: the party takes no seat. `seats`: it takes more than one booking may. `free`: it takes more than are free.
   */
  kind: 'unsold' | 'min' | 'max' | 'with' | 'at_most' | 'none' | 'seats' | 'free';
  /** The code of the category. Absent: the issue is one of the whole party. */
  category?: string;
  /** The number that the rule allows. */
  number?: number;
  /** The codes of the categories that the rule names. */
  others?: readonly string[];
}

/** The issue of a party that a request names. */
export interface RequestIssue extends Omit<PartyIssue, 'kind'> {
  /**
   * `both`: the request names a category twice. `missing`: it names seats or adults, or nothing, and these mean no category of the tour.
   * `quantity`: it is not the seats of the party.
   */
  kind: PartyIssue['kind'] | 'both' | 'missing' | 'quantity';
}

/** The seats that bound a party. */
export interface SeatBounds {
  /** The free seats of the departure; without it, any number. */
  free?: number;
  /** The most seats of one booking; without it, SEATS_MAX. */
  most?: number;
}

/** Returns the first category: `base_price`, `price_from`, `unit_price` and the deposit mean it. */
export function firstCategory<C extends CategoryRules>(categories: readonly C[]): C {
  return categories[0]!;
}

/** Returns the categories that have a price. */
export function soldCategories<C extends CategoryRules>(categories: readonly C[], prices: Prices): C[] {
  return categories.filter(({ code }) => prices[code] !== undefined);
}

/** Returns the units of a category. No category has the name of a property that every object has (categoryIssues). */
export function unitsOf(party: Party, code: string): number {
  return party[code] ?? 0;
}

/** Returns the units of all categories together. */
export function unitCount(party: Party): number {
  return Object.values(party).reduce((sum, units) => sum + units, 0);
}

/** Returns the seats that the party takes. An unknown category takes none: partyIssue finds it. */
export function seatsOf(party: Party, categories: readonly CategoryRules[]): number {
  return categories.reduce((seats, { code, seats: each }) => seats + unitsOf(party, code) * each, 0);
}

/** Builds a party: leaves out categories without a unit, and puts the others in the order of the tour's categories. */
export function toParty(units: Party, categories: readonly CategoryRules[]): Party {
  const codes = new Set([...categories.map(({ code }) => code), ...Object.keys(units)]);
  const party: Party = {};
  for (const code of codes) if (unitsOf(units, code) > 0) party[code] = units[code]!;
  return party;
}

/**
 * Returns what is wrong with the party; undefined: it can be booked.
 * @rule which rules of its categories a party breaks, such as an infant without an adult: test/client/package.long.test.ts
 */
export function partyIssue(
  party: Party,
  categories: readonly CategoryRules[],
  prices: Prices,
  bounds: SeatBounds,
): PartyIssue | undefined {
  for (const code of Object.keys(party)) {
    const issue = categoryIssue(code, party, categories, prices);
    if (issue) return issue;
  }
  return sizeIssue(party, categories, bounds);
}

/** Returns what is wrong with the units of one category of the party; undefined: they are right. */
export function categoryIssue(
  code: string,
  party: Party,
  categories: readonly CategoryRules[],
  prices: Prices,
): PartyIssue | undefined {
  const category = categories.find((one) => one.code === code);
  if (!category || prices[code] === undefined) return { kind: 'unsold', category: code, number: 0 };
  return unitsOf(party, code) === 0 ? undefined : ruleIssue(category, party);
}

/** Returns which rule of a category its units break; undefined: none. */
export function ruleIssue(
  { code, min = 1, max = UNITS_MAX, with: companions, at_most }: CategoryRules,
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
  categories: readonly CategoryRules[],
  { free = Infinity, most = SEATS_MAX }: SeatBounds,
): PartyIssue | undefined {
  const seats = seatsOf(party, categories);
  if (seats < 1) return { kind: 'none' };
  if (seats > Math.min(free, most))
    return free < most ? { kind: 'free', number: free } : { kind: 'seats', number: most };
  return unitCount(party) > UNITS_MAX ? { kind: 'max', number: UNITS_MAX } : undefined;
}

/**
 * Returns the seats of the smallest booking: one unit of a category with a price, or the fewest that the category allows, with the units that
 * it needs beside it. Infinity: nothing can be booked.
 * @rule the seats of the smallest booking: test/api/party.long.test.ts
 */
export function fewestSeats(prices: Prices, categories: readonly CategoryRules[]): number {
  const sold = soldCategories(categories, prices);
  const fewestOf = (parties: readonly Party[], known: number): number =>
    parties.reduce((fewest, party) => Math.min(fewest, fewestWith(party, fewest)), known);
  // A party that takes as many seats as a known booking is not looked at, because the ways to a booking are up to 2,048.
  const fewestWith = (party: Party, known: number): number => {
    const seats = seatsOf(party, sold);
    if (seats >= known) return known;
    const additions = additionsFor(party, sold);
    return additions ? fewestOf(additions, known) : seats;
  };
  const travelling = sold.filter(({ kind, seats }) => kind !== 'supplement' && seats > 0);
  return fewestOf(
    travelling.map(({ code }) => ({ [code]: 1 })),
    Infinity,
  );
}

/** Returns the party with the units that its first broken rule needs, once for each way. Undefined: no rule is broken. */
function additionsFor(party: Party, sold: readonly CategoryRules[]): Party[] | undefined {
  for (const category of sold) {
    const { code } = category;
    const units = unitsOf(party, code);
    const issue = units > 0 ? ruleIssue(category, party) : undefined;
    if (!issue) continue;
    const { kind, number = 1, others = [code] } = issue;
    if (kind === 'max') return [];
    return others
      .filter((other) => sold.some((one) => one.code === other))
      .map((other) => ({ ...party, [other]: kind === 'at_most' ? units : number }));
  }
  return undefined;
}

/** The fields of a request that name a party. */
export type PartyFields = Partial<
  Record<'party' | 'quantity' | 'adults' | 'children' | 'single_supplements', unknown>
>;

/** The numbers of a request by category, before the tour is known. */
export interface RequestedParty {
  /** By code, as the field `party` has them. Undefined: the request has no such field. */
  party?: Party;
  /** As the fields with names of their own have them: the key is the code that the field means. */
  named?: Record<string, number | undefined>;
  /** The seats of the whole party. */
  quantity?: number;
}

/** Reads the numbers of a request. Leaves out what is no number of units: the API refuses it. */
export function requestedParty(fields: PartyFields): RequestedParty {
  const { party, quantity, adults, children, single_supplements } = fields;
  const isUnits = (entry: [string, unknown]): entry is [string, number] => isCount(entry[1], UNITS_MAX);
  const countOf = (value: unknown) => (isCount(value, SEATS_MAX) ? value : undefined);
  return {
    party: party === undefined ? undefined : Object.fromEntries(Object.entries(party ?? {}).filter(isUnits)),
    named: {
      adult: countOf(adults),
      child: countOf(children),
      single_supplement: countOf(single_supplements),
    },
    quantity: countOf(quantity),
  };
}

function isCount(value: unknown, most: number): value is number {
  return Number.isInteger(value) && (value as number) >= 0 && (value as number) <= most;
}

/** Returns whether a request names no party: neither units nor seats. */
export function namesNothing({ party, named = {}, quantity }: RequestedParty): boolean {
  return [party, quantity, ...Object.values(named)].every((number) => number === undefined);
}

/** The party that a request means for the categories of a tour. */
export interface ResolvedParty {
  party: Party;
  /** The wanted seats. */
  seats: number;
  /** Why it cannot be sold, whatever the prices are. */
  issue?: RequestIssue;
}

/**
 * Returns the party that a new hold or booking means. Without any number, it is one unit of the category that `adults` means, or of the first
 * category for a booking without a date: its price is the base price. The other seats of a quantity are units of the category that `adults`
 * means.
 * @param isDated false for a booking without a date
 * @rule the party that a request means: test/client/package.long.test.ts
 */
export function resolveParty(
  requested: RequestedParty,
  categories: readonly CategoryRules[],
  isDated = true,
): ResolvedParty {
  const isOfFirst = !isDated && namesNothing(requested);
  return resolve(isOfFirst ? { party: { [firstCategory(categories).code]: 1 } } : requested, categories);
}

/**
 * Returns the party of a hold or booking after a change: the numbers of the request replace those of their categories. With `quantity` alone,
 * the category that `adults` means gets the other seats. A request that names nothing keeps the party: the same object.
 */
export function resolveChange(
  now: Party,
  requested: RequestedParty,
  categories: readonly CategoryRules[],
): ResolvedParty {
  if (namesNothing(requested)) return { party: now, seats: seatsOf(now, categories) };
  return resolve(requested, categories, now);
}

/** @param now the party before a change. Undefined: a new hold or booking */
function resolve(
  requested: RequestedParty,
  categories: readonly CategoryRules[],
  now?: Party,
): ResolvedParty {
  const { party: sent = {}, quantity } = requested;
  const { units, issue } = unitsByCode(requested, categories, now);
  if (!units) return { party: { ...now }, seats: quantity ?? 1, issue };
  const party = toParty(units, categories);
  const seats = seatsOf(units, categories);
  const isKnown = (code: string) =>
    categories.some((one) => one.code === code) || (now !== undefined && Object.hasOwn(now, code));
  const unknown = [...Object.keys(party), ...Object.keys(sent)].find((code) => !isKnown(code));
  if (unknown !== undefined)
    return { party, seats: Math.max(seats, 1), issue: { kind: 'unsold', category: unknown, number: 0 } };
  const isNegative = Object.values(units).some((number) => number < 0);
  if (isNegative || (quantity !== undefined && quantity !== seats))
    return { party, seats, issue: { kind: 'quantity', number: seats } };
  return { party, seats, issue: sizeIssue(party, categories, {}) };
}

/** The units of a request by code, or why they cannot be named. */
interface UnitsByCode {
  units?: Party;
  issue?: RequestIssue;
}

function unitsByCode(
  requested: RequestedParty,
  categories: readonly CategoryRules[],
  now?: Party,
): UnitsByCode {
  const { party, named, quantity } = requested;
  const adults = categoryOfAdults(categories);
  const given = givenUnits(requested, adults);
  if (!given.units) return given;
  const units: Party = { ...now, ...given.units };
  const isComplete = party !== undefined || named?.['adult'] !== undefined;
  if (isComplete || (now && quantity === undefined)) return { units };
  if (!adults) return { issue: { kind: 'missing' } };
  if (quantity === undefined) return { units: { ...units, [adults.code]: 1 } };
  // A quantity is a number of seats. It is a number of units only where one unit takes one seat.
  if (adults.seats !== 1) return { issue: { kind: 'missing' } };
  return {
    units: { ...units, [adults.code]: quantity - seatsOf({ ...units, [adults.code]: 0 }, categories) },
  };
}

/** Returns the units that the request gives, by code. */
function givenUnits(requested: RequestedParty, adults: CategoryRules | undefined): UnitsByCode {
  const { party, named = {} } = requested;
  const issue = bothIssue(requested) ?? bothIssue(requested, adults?.code);
  if (issue) return { issue };
  const units: Party = { ...party };
  for (const [code, number] of Object.entries(named)) {
    if (number === undefined) continue;
    const meant = code === 'adult' ? adults?.code : code;
    if (meant === undefined)
      return { issue: party ? { kind: 'unsold', category: code, number: 0 } : { kind: 'missing' } };
    units[meant] = number;
  }
  return { units };
}

/** Returns the issue of a request that names a category in both spellings; undefined: it does not. @param adults the code that `adults` means */
export function bothIssue(
  { party = {}, named = {} }: RequestedParty,
  adults = 'adult',
): RequestIssue | undefined {
  for (const [code, number] of Object.entries(named)) {
    const meant = code === 'adult' ? adults : code;
    if (number !== undefined && Object.hasOwn(party, meant))
      return { kind: 'both', category: code, others: [meant] };
  }
  return undefined;
}

/** Returns the category that `adults` means: `adult` or, without one, the first category if it takes one seat. */
function categoryOfAdults(categories: readonly CategoryRules[]): CategoryRules | undefined {
  const first = firstCategory(categories);
  return categories.find(({ code }) => code === 'adult') ?? (first.seats === 1 ? first : undefined);
}

import { InvalidInputError } from '../../platform/errors';
import { type Category, SEATS_MAX, UNITS_MAX } from './category';
import { toMajor } from './currency';
import type { Prices } from './price-categories';

/** The units of each category, by its code: only categories with at least one unit, in the order of the tour's categories. */
export type Party = Record<string, number>;

/** Returns the units of a category. */
export function unitsOf(party: Party, code: string): number {
  return party[code] ?? 0;
}

/** Returns the units of all categories together. */
export function unitCount(party: Party): number {
  return Object.values(party).reduce((sum, units) => sum + units, 0);
}

/** Returns the seats that the party takes. An unknown category takes none: assertParty refuses it. */
export function seatsOf(party: Party, categories: readonly Category[]): number {
  return categories.reduce((seats, { code, seats: each }) => seats + unitsOf(party, code) * each, 0);
}

/**
 * Returns the seats of the smallest booking: one unit of a category with a price, or the fewest that the category allows, with the units that
 * it needs beside it. Infinity: nothing can be booked.
 */
export function fewestSeats(prices: Prices, categories: readonly Category[]): number {
  const sold = categories.filter(({ code }) => prices[code] !== undefined);
  const travelling = sold.filter(({ kind, seats }) => kind !== 'supplement' && seats > 0);
  return fewestOf(
    travelling.map(({ code }) => ({ [code]: 1 })),
    sold,
    Infinity,
  );
}

function fewestOf(parties: readonly Party[], sold: readonly Category[], known: number): number {
  return parties.reduce((fewest, party) => Math.min(fewest, fewestSeatsWith(party, sold, fewest)), known);
}

/**
 * Returns the seats of the smallest booking that has this party, with the units that its categories need beside it, but at most `known`.
 * @param known the seats of another booking: a party that takes as many is not looked at, because the ways to a booking are up to 2,048
 */
function fewestSeatsWith(party: Party, sold: readonly Category[], known: number): number {
  const seats = seatsOf(party, sold);
  if (seats >= known) return known;
  const missing = missingUnits(party, sold);
  if (!missing) return seats;
  const helpful = sold.filter(({ code }) => missing.codes.includes(code));
  return fewestOf(
    helpful.map(({ code }) => ({ ...party, [code]: missing.units })),
    sold,
    known,
  );
}

/** Returns the units that a category of the party needs, of one of these codes. Without a code: no units help. Undefined: none needs any. */
function missingUnits(party: Party, sold: readonly Category[]) {
  for (const { code, min = 1, max = UNITS_MAX, with: companions = [], at_most } of sold) {
    const units = unitsOf(party, code);
    if (units === 0) continue;
    if (units > max) return { codes: [], units };
    if (units < min) return { codes: [code], units: min };
    if (companions.length > 0 && !companions.some((one) => unitsOf(party, one) > 0))
      return { codes: companions, units: 1 };
    if (at_most !== undefined && units > unitsOf(party, at_most)) return { codes: [at_most], units };
  }
  return undefined;
}

/** Returns the travellers of the party. */
export function peopleOfParty(party: Party, categories: readonly Category[]): number {
  return categories.reduce((people, { code, people: each }) => people + unitsOf(party, code) * each, 0);
}

/** Returns the total of a party in minor units. The caller has checked that each category has a price (assertParty). */
export function totalOf(party: Party, prices: Prices): number {
  return Object.entries(party).reduce((total, [code, units]) => total + units * (prices[code] ?? 0), 0);
}

/** Builds a party: leaves out categories without a unit, and puts the others in the order of the tour's categories. */
export function toParty(units: Record<string, number>, categories: readonly Category[]): Party {
  const codes = new Set([...categories.map(({ code }) => code), ...Object.keys(units)]);
  const party: Party = {};
  for (const code of codes) if (Object.hasOwn(units, code) && units[code]! > 0) party[code] = units[code]!;
  return party;
}

/** The request fields that mean one unit of a category each, and have stayed from before categories were data. */
const FIELDS = new Map([
  ['adult', 'adults'],
  ['child', 'children'],
  ['single_supplement', 'single_supplements'],
]);

/** Returns the field by which a history, and an issue of a request without `party`, name the units of a category. */
export function fieldOfCode(code: string): string {
  return FIELDS.get(code) ?? `party.${code}`;
}

/** The fields of a request that an issue of its party names. */
export interface IssueFields {
  ofCode: (code: string) => string;
  ofSize: string;
}

/** The fields of a request that is not of REST. */
const ANY_FIELDS: IssueFields = { ofCode: fieldOfCode, ofSize: 'party' };

/** The tour does not sell this party: the message names the category and what is right. */
export class UnsoldCategoryError extends InvalidInputError {
  constructor(
    readonly category: string,
    message: string,
    { ofCode }: IssueFields = ANY_FIELDS,
  ) {
    super('body', ofCode(category), message);
  }
}

/** Returns the refusal of a code that is none of the categories: those of the tour, or those that a hold has locked. */
export function unknownCategory(
  code: string,
  categories: readonly Category[],
  fields?: IssueFields,
): UnsoldCategoryError {
  const codes = categories.map((category) => category.code).join(', ');
  return new UnsoldCategoryError(
    code,
    `must be left out: ${code} is none of the categories ${codes}`,
    fields,
  );
}

/**
 * Checks a party against the categories of its tour and their prices.
 * @throws UnsoldCategoryError for an unknown category, one without a price, and one that breaks its min, max, with or at_most (400)
 */
export function assertParty(
  party: Party,
  categories: readonly Category[],
  prices: Prices,
  fields: IssueFields = ANY_FIELDS,
): void {
  const known = new Map(categories.map((category) => [category.code, category]));
  for (const [code, units] of Object.entries(party)) {
    const category = known.get(code);
    if (!category) throw unknownCategory(code, categories, fields);
    if (prices[code] === undefined)
      throw new UnsoldCategoryError(code, `must be 0: the category ${code} has no price`, fields);
    const issue = issueOf(category, units, party);
    if (issue !== undefined) throw new UnsoldCategoryError(code, issue, fields);
  }
  assertPartySize(party, categories, fields);
}

/** Returns what is wrong with the number of units of a category. Undefined: it is right. */
function issueOf(
  { code, min = 1, max = UNITS_MAX, with: companions, at_most }: Category,
  units: number,
  party: Party,
): string | undefined {
  if (units < min) return `must be 0 or at least ${min}: the fewest of ${code} in one booking`;
  if (units > max) return `must be at most ${max}: the most of ${code} in one booking`;
  if (companions?.length && !companions.some((companion) => unitsOf(party, companion) > 0))
    return `must be 0 without ${companions.join(' or ')}: ${code} travels with it`;
  if (at_most !== undefined && units > unitsOf(party, at_most))
    return `must be at most the number of ${at_most}: ${code} may not exceed it`;
  return undefined;
}

/**
 * Checks the size of a party.
 * @throws InvalidInputError for less than 1 or more than 50 seats, and for more than 99 units (400)
 */
export function assertPartySize(
  party: Party,
  categories: readonly Category[],
  { ofSize }: IssueFields = ANY_FIELDS,
): void {
  const seats = seatsOf(party, categories);
  if (seats < 1 || seats > SEATS_MAX)
    throw new InvalidInputError('body', ofSize, `must take from 1 to ${SEATS_MAX} seats together`);
  if (unitCount(party) > UNITS_MAX)
    throw new InvalidInputError('body', 'party', `must be at most ${UNITS_MAX} units`);
}

/** Returns the numbers of the three categories that have a field of their own; 0 where the party has no such category. */
export function namedNumbers(party: Party): Record<'adults' | 'children' | 'single_supplements', number> {
  return {
    adults: unitsOf(party, 'adult'),
    children: unitsOf(party, 'child'),
    single_supplements: unitsOf(party, 'single_supplement'),
  };
}

/** Describes the party, for example as `2 adults, 1 child`, or by codes as `1 family_ticket`. */
export function describeParty(party: Party): string {
  return Object.entries(party)
    .map(([code, units]) => `${units} ${nounOf(code, units)}`)
    .join(', ');
}

function nounOf(code: string, units: number): string {
  const noun = NOUN[code];
  return noun ? noun[units === 1 ? 0 : 1] : code;
}

const NOUN: Record<string, [one: string, more: string] | undefined> = {
  adult: ['adult', 'adults'],
  child: ['child', 'children'],
  single_supplement: ['single supplement', 'single supplements'],
};

/** One line of a price breakdown. Money is in major units. */
export interface CategoryPrice {
  /**
   * The code of the category.
   * @example "adult"
   */
  category: string;
  /** @isInt */
  number: number;
  /** The price of one unit of this category. */
  unit_price: number;
  total: number;
}

/** Returns the categories of the party with their number and unit price. */
export function priceByCategory(party: Party, prices: Prices, digits: number): CategoryPrice[] {
  return Object.entries(party).map(([category, number]) => ({
    category,
    number,
    unit_price: toMajor(prices[category]!, digits),
    total: toMajor(prices[category]! * number, digits),
  }));
}

/** The largest price at which a tenant can sell, in minor units. Up to it, the total of the largest party is an exact number. */
const LARGEST_PRICE = Math.floor(Number.MAX_SAFE_INTEGER / (UNITS_MAX + 1));

/** Returns whether totals of these prices are exact. */
export function areExactInTotal(prices: Prices): boolean {
  return Object.values(prices).every((price) => price <= LARGEST_PRICE);
}

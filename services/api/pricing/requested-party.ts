import { InvalidInputError } from '../../platform/errors';
import { isCategoryCode } from '../../platform/text-forms';
import { type Category, firstCategory, SEATS_MAX, UNITS_MAX } from './category';
import {
  assertParty,
  assertPartySize,
  fieldOfCode,
  type Party,
  type IssueFields,
  seatsOf,
  toParty,
  unknownCategory,
} from './party';
import type { Prices } from './price-categories';

/** The party of a request, as its body has it. */
export interface PartyBody {
  adults?: number;
  children?: number;
  single_supplements?: number;
  party?: Record<string, number>;
  /** The seats of a hold. */
  quantity?: number;
}

/** The numbers of a request by category, before the tour is known. */
export interface RequestedParty {
  /** By code, as the field `party` has them. Undefined: the request has no such field. */
  party?: Record<string, number>;
  /** As the fields with names of their own have them: the key is the code that the field means. */
  named?: Record<string, number | undefined>;
  /** The seats of the whole party. */
  quantity?: number;
}

/** The party that a request means for the categories of a tour. */
export interface MeantParty {
  party: Party;
  /** The wanted seats. */
  seats: number;
  /**
   * Why the tour cannot sell it, whatever its prices are: a category is unknown, or the numbers by category are missing. assertMeantParty
   * throws it after the refusals of the departure.
   */
  partyRefusal?: InvalidInputError;
  /** The fields of the request, for the issues of its party. */
  issueFields: IssueFields;
}

/** Returns the fields of a change that ask for something. A party without a category asks for nothing. */
export function withoutEmptyParty<T extends PartyBody>(body: T): Partial<T> {
  const { party, ...others } = body;
  const isEmpty = isObject(party) && Object.keys(party).length === 0;
  return isEmpty ? (others as Partial<T>) : body;
}

/**
 * Reads the party of a new hold or booking. If tsoa refuses a number, leaves it out, because tsoa reports the issue.
 * @throws InvalidInputError as partyInput, and for names alone that have no traveller or more than 50 (400)
 */
export function newPartyInput(body: PartyBody): RequestedParty {
  const requested = partyInput(body);
  if (requested.party === undefined) assertNamedSize(requested.named ?? {});
  return requested;
}

/**
 * Reads the party of a change.
 * @throws InvalidInputError for a number that is not from 0 to 99, for a code of another form, and for a code that comes in both spellings
 *   (400)
 */
export function partyInput(body: PartyBody): RequestedParty {
  const { party } = body;
  const named = namedUnits(body);
  if (party !== undefined) {
    assertUnits(party);
    for (const [code, number] of Object.entries(named))
      if (number !== undefined && Object.hasOwn(party, code)) throw inBothSpellings(code, code);
  }
  return { party, named, quantity: countOf(body.quantity) };
}

/**
 * Returns the party of a new hold or booking for the comparison with an earlier request: two spellings of one party give the same value. It has
 * the form that answers stored before categories were data were compared by.
 */
export function comparedParty(requested: RequestedParty): Party {
  const units = Object.entries(comparedUnits(requested));
  // The three old codes have a number, also 0. Another code with 0 is a code that the request does not name.
  const given: Party = Object.fromEntries(units.filter(([code, number]) => number > 0 || code === 'adult'));
  const { child = 0, single_supplement = 0 } = given;
  const adult = given['adult'] ?? unnamedAdults(requested, child);
  return { ...given, adult, child, single_supplement };
}

/** Returns the adults of a request that does not name them: a booking means one, a hold the seats that its children leave. */
function unnamedAdults({ party, quantity }: RequestedParty, children: number): number {
  if (party !== undefined) return 0;
  return quantity === undefined ? 1 : quantity - children;
}

/** Returns the units that a change names, for the comparison with an earlier request. */
export function comparedUnits({ party, named = {} }: RequestedParty): Party {
  const given = Object.entries(named).filter((entry): entry is [string, number] => entry[1] !== undefined);
  return { ...party, ...Object.fromEntries(given) };
}

/** Returns the seats or units that the request names, for the record of a refusal. */
export function requestedNumber({ party = {}, named = {}, quantity }: RequestedParty): number {
  const { adult, child } = named;
  const units = [...Object.values(party), adult, child].filter((number) => number !== undefined);
  return quantity ?? (units.length === 0 ? 1 : units.reduce((sum, number) => sum + number, 0));
}

function namedUnits({ adults, children, single_supplements }: PartyBody) {
  return {
    adult: countOf(adults),
    child: countOf(children),
    single_supplement: countOf(single_supplements),
  };
}

/** Checks a party that comes by names alone: it has travellers, but not more than fit into one booking. */
function assertNamedSize({ adult = 1, child = 0 }: { adult?: number; child?: number }): void {
  if (adult + child < 1) throw new InvalidInputError('body', 'adults', 'must be at least 1 without children');
  if (adult + child > SEATS_MAX)
    throw new InvalidInputError('body', 'children', `must be at most ${SEATS_MAX} together with the adults`);
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function assertUnits(party: unknown): asserts party is Record<string, number> {
  if (!isObject(party))
    throw new InvalidInputError('body', 'party', 'must be an object such as {"adult": 2}');
  for (const [code, units] of Object.entries(party)) {
    if (!isCategoryCode(code))
      throw new InvalidInputError(
        'body',
        'party',
        'must have codes of categories: 2 to 32 of a-z, 0-9 and _',
      );
    if (!Number.isInteger(units) || (units as number) < 0 || (units as number) > UNITS_MAX)
      throw new InvalidInputError('body', `party.${code}`, `must be a whole number from 0 to ${UNITS_MAX}`);
  }
}

function countOf(value: unknown): number | undefined {
  return Number.isInteger(value) && (value as number) >= 0 && (value as number) <= SEATS_MAX
    ? (value as number)
    : undefined;
}

/**
 * Returns the party that a new hold or booking means. Without any number, it is one unit of the category that `adults` means, or of the first
 * category for a booking without a date: its price is the base price. The other seats of a quantity are units of the category that `adults`
 * means.
 * @param isDated false for a booking without a date
 * @throws InvalidInputError for a category in both spellings, a quantity that is not the seats of the party, and a party of a wrong size
 *   (400)
 */
export function partyOfRequest(
  requested: RequestedParty,
  categories: readonly Category[],
  isDated = true,
): MeantParty {
  const isOfFirst = !isDated && namesNothing(requested);
  const units = isOfFirst ? { [firstCategory(categories).code]: 1 } : unitsByCode(requested, categories);
  return meantParty(units, requested, categories);
}

/**
 * Returns the party of a hold or booking after a change: the numbers of the request replace those of their categories. With `quantity` alone,
 * the category that `adults` means gets the other seats. A request that names nothing keeps the party: the same object.
 * @throws InvalidInputError as partyOfRequest (400)
 */
export function changedParty(
  now: Party,
  requested: RequestedParty,
  categories: readonly Category[],
): MeantParty {
  if (namesNothing(requested))
    return { party: now, seats: seatsOf(now, categories), issueFields: issueFieldsOf(requested, categories) };
  return meantParty(unitsByCode(requested, categories, now), requested, categories, now);
}

/** Returns the seats that the request wants, by the categories that the sale locks. */
export function wantedSeats(
  { party, seats, partyRefusal }: MeantParty,
  categories: readonly Category[],
): number {
  return partyRefusal ? seats : seatsOf(party, categories);
}

/**
 * Checks that the tour sells the party. Is called after the refusals of the departure, and before an expected total is compared.
 * @param categories the tour's, or categoriesToCheck of a hold or booking
 * @throws partyRefusal, and UnsoldCategoryError as assertParty (400)
 */
export function assertMeantParty(
  { party, partyRefusal, issueFields }: MeantParty,
  categories: readonly Category[],
  prices: Prices,
): void {
  if (partyRefusal) throw partyRefusal;
  assertParty(party, categories, prices, issueFields);
}

/** Returns the fields of a request: an issue of a request with `party` names another field only for a category that has come in that field. */
function issueFieldsOf({ party, named = {} }: RequestedParty, categories: readonly Category[]): IssueFields {
  const isNamed = (code: string) => party === undefined || named[code] !== undefined;
  const hasAdult = categories.some(({ code }) => code === 'adult');
  return {
    ofCode: (code) => (isNamed(code) ? fieldOfCode(code) : `party.${code}`),
    ofSize: party === undefined && hasAdult ? 'adults' : 'party',
  };
}

function namesNothing({ party, named = {}, quantity }: RequestedParty): boolean {
  return (
    party === undefined && quantity === undefined && Object.values(named).every((one) => one === undefined)
  );
}

/** Returns the category that `adults` means: `adult` or, without one, the first category if it takes one seat. */
function categoryOfAdults(categories: readonly Category[]): Category | undefined {
  const first = firstCategory(categories);
  return categories.find(({ code }) => code === 'adult') ?? (first.seats === 1 ? first : undefined);
}

/**
 * Returns the units of the request by code. Undefined: `adults` or a bare `quantity` mean no category of the tour.
 * @param now the party before a change. Undefined: a new hold or booking
 * @throws InvalidInputError for a category that comes in both spellings (400)
 */
function unitsByCode(
  requested: RequestedParty,
  categories: readonly Category[],
  now?: Party,
): Party | undefined {
  const { party, named, quantity } = requested;
  const adults = categoryOfAdults(categories);
  const given = givenUnits(requested, adults);
  const units = given && { ...now, ...given };
  const isComplete = party !== undefined || named?.['adult'] !== undefined;
  if (units === undefined || isComplete) return units;
  if (quantity === undefined) return now ? units : adults && { ...units, [adults.code]: 1 };
  // A quantity is a number of seats. It is a number of units only where one unit takes one seat.
  if (adults?.seats !== 1) return undefined;
  return { ...units, [adults.code]: quantity - seatsOf({ ...units, [adults.code]: 0 }, categories) };
}

/** Returns the units that the request gives, by code. Undefined: it names `adults`, and these mean no category of the tour. */
function givenUnits(
  { party = {}, named = {} }: RequestedParty,
  adults: Category | undefined,
): Party | undefined {
  const units: Party = { ...party };
  for (const [code, number] of Object.entries(named)) {
    if (number === undefined) continue;
    const meant = code === 'adult' ? adults?.code : code;
    if (meant === undefined) return undefined;
    if (Object.hasOwn(party, meant)) throw inBothSpellings(code, meant);
    units[meant] = number;
  }
  return units;
}

function inBothSpellings(code: string, meant: string): InvalidInputError {
  return new InvalidInputError(
    'body',
    fieldOfCode(code),
    `must not come with party.${meant}, which means the same`,
  );
}

/** @param now the party before a change */
function meantParty(
  units: Party | undefined,
  requested: RequestedParty,
  categories: readonly Category[],
  now: Party = {},
): MeantParty {
  const { party: sent = {}, quantity } = requested;
  const issueFields = issueFieldsOf(requested, categories);
  if (units === undefined) {
    const partyRefusal =
      requested.party === undefined
        ? partyIsMissing(categories)
        : unknownCategory('adult', categories, issueFields);
    return { party: { ...now }, seats: quantity ?? 1, partyRefusal, issueFields };
  }
  const party = toParty(units, categories);
  const seats = seatsOf(units, categories);
  const known = new Set([...categories.map(({ code }) => code), ...Object.keys(now)]);
  const unknown = [...Object.keys(party), ...Object.keys(sent)].find((code) => !known.has(code));
  if (unknown !== undefined) {
    const partyRefusal = unknownCategory(unknown, categories, issueFields);
    return { party, seats: Math.max(seats, 1), partyRefusal, issueFields };
  }
  const isNegative = Object.values(units).some((number) => number < 0);
  if (isNegative || (quantity !== undefined && quantity !== seats))
    throw new InvalidInputError('body', 'quantity', 'must be the seats of the party together');
  assertPartySize(party, categories, issueFields);
  return { party, seats, issueFields };
}

function partyIsMissing(categories: readonly Category[]): InvalidInputError {
  const codes = categories.map(({ code }) => code).join(', ');
  return new InvalidInputError(
    'body',
    'party',
    `is required for this tour: a number for each wanted category of ${codes}`,
  );
}

import { InvalidInputError } from '../../platform/errors';
import type { Category } from './category';
import { fieldOfCode, type IssueFields, partyRefusalOf } from './party';
import {
  bothIssue,
  type Party,
  type PartyFields,
  partyIssue,
  type Prices,
  type RequestedParty,
  requestedParty,
  type ResolvedParty,
  resolveChange,
  resolveParty,
  SEATS_MAX,
  seatsOf,
  UNITS_MAX,
} from './party-rules';
import { isCategoryCode } from '../../platform/forms/text-forms';

/** The party that a request means for the categories of a tour. */
export interface WantedParty extends Omit<ResolvedParty, 'issue'> {
  /**
   * Why the tour cannot sell it, whatever its prices are: a category is unknown, or the numbers by category are missing. assertWantedParty
   * throws it after the refusals of the departure.
   */
  partyRefusal?: InvalidInputError;
  /** The fields of the request, for the issues of its party. */
  issueFields: IssueFields;
}

/** Returns the fields of a change that ask for something. A party without a category asks for nothing. */
export function withoutEmptyParty<T extends PartyFields>(body: T): Partial<T> {
  const { party, ...others } = body;
  const isEmpty = isObject(party) && Object.keys(party).length === 0;
  return isEmpty ? (others as Partial<T>) : body;
}

/**
 * Reads the party of a new hold or booking. If tsoa refuses a number, leaves it out, because tsoa reports the issue.
 * @throws InvalidInputError as partyInput, and for names alone that have no traveller or more than 50 (400)
 */
export function newPartyInput(body: PartyFields): RequestedParty {
  const requested = partyInput(body);
  if (requested.party === undefined) assertNamedSize(requested.named ?? {});
  return requested;
}

/**
 * Reads the party of a change.
 * @throws InvalidInputError for a number that is not from 0 to 99, for a code of another form, and for a code that comes in both spellings
 *   (400)
 */
export function partyInput(body: PartyFields): RequestedParty {
  const { party } = body;
  if (party !== undefined) assertUnits(party);
  const requested = requestedParty(body);
  const issue = bothIssue(requested);
  if (issue) throw partyRefusalOf(issue, []);
  return requested;
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

/**
 * Returns the party that a new hold or booking means, as resolveParty.
 * @param isDated false for a booking without a date
 * @throws InvalidInputError for a category in both spellings, a quantity that is not the seats of the party, and a party of a wrong size
 *   (400)
 */
export function partyOfRequest(
  requested: RequestedParty,
  categories: readonly Category[],
  isDated = true,
): WantedParty {
  return wantedParty(resolveParty(requested, categories, isDated), requested, categories);
}

/** Returns the party of a hold or booking after a change, as resolveChange. @throws InvalidInputError as partyOfRequest (400) */
export function changedParty(
  now: Party,
  requested: RequestedParty,
  categories: readonly Category[],
): WantedParty {
  return wantedParty(resolveChange(now, requested, categories), requested, categories);
}

function wantedParty(
  { party, seats, issue }: ResolvedParty,
  requested: RequestedParty,
  categories: readonly Category[],
): WantedParty {
  const issueFields = issueFieldsOf(requested, categories);
  const partyRefusal = issue && partyRefusalOf(issue, categories, issueFields);
  const isOfTour = issue?.kind === 'missing' || issue?.kind === 'unsold';
  if (partyRefusal && !isOfTour) throw partyRefusal;
  return { party, seats, partyRefusal, issueFields };
}

/** Returns the seats that the request wants, by the categories that the sale locks. */
export function wantedSeats(
  { party, seats, partyRefusal }: WantedParty,
  categories: readonly Category[],
): number {
  return partyRefusal ? seats : seatsOf(party, categories);
}

/**
 * Checks that the tour sells the party. Is called after the refusals of the departure, and before an expected total is compared.
 * @param categories the tour's, or categoriesToCheck of a hold or booking
 * @throws partyRefusal; UnsoldCategoryError for a category without a price, and one that breaks its min, max, with or at_most (400)
 * @rule a request's party is checked after the departure: test/api/party.long.test.ts
 */
export function assertWantedParty(
  { party, partyRefusal, issueFields }: WantedParty,
  categories: readonly Category[],
  prices: Prices,
): void {
  if (partyRefusal) throw partyRefusal;
  const issue = partyIssue(party, categories, prices, {});
  if (issue) throw partyRefusalOf(issue, categories, issueFields);
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

import { InvalidInputError } from '../../platform/errors';
import { isCategoryCode } from '../../platform/text-forms';
import { type Category, firstCategory } from './category';
import { assertPartySize, fieldOfCode, type Party, SEATS_MAX, seatsOf, toParty, UNITS_MAX } from './party';

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
 * @throws InvalidInputError for a number that is not from 0 to 99, and for a code of another form (400)
 */
export function partyInput(body: PartyBody): RequestedParty {
  if (body.party !== undefined) assertUnits(body.party);
  return { party: body.party, named: namedUnits(body), quantity: countOf(body.quantity) };
}

/**
 * Returns the party of a new hold or booking for the comparison with an earlier request: two spellings of one party give the same value. It has
 * the form that answers stored before categories were data were compared by.
 */
export function comparedParty(requested: RequestedParty): Party {
  const { party, quantity = 1 } = requested;
  const given = comparedUnits(requested);
  const { child = 0, single_supplement = 0 } = given;
  const adult = given['adult'] ?? (party === undefined ? quantity - child : 0);
  return { ...given, adult, child, single_supplement };
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

function assertUnits(party: unknown): asserts party is Record<string, number> {
  if (typeof party !== 'object' || party === null || Array.isArray(party))
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
 * Returns the party of a new hold or booking. Without any number, it is one unit of the category that `adults` means; with `quantity` alone,
 * so many. The other seats of a quantity are units of that category.
 * @throws InvalidInputError for a quantity that is not the seats of the party, a party that is missing, and one of a wrong size (400)
 */
export function partyOfRequest(requested: RequestedParty, categories: readonly Category[]): Party {
  const units = unitsByCode(requested, categories);
  const main = mainCategory(categories);
  if (isOpen(requested)) {
    if (main === undefined) throw partyIsMissing(categories);
    const others = seatsOf(units, categories);
    units[main] = requested.quantity === undefined ? 1 : requested.quantity - others;
  }
  return checkedParty(units, requested, categories);
}

/**
 * Returns the party after a change: the numbers of the request replace those of their categories. With `quantity` alone, the category that
 * `adults` means gets the other seats. A request that names nothing keeps the party.
 * @throws InvalidInputError as partyOfRequest (400)
 */
export function changedParty(now: Party, requested: RequestedParty, categories: readonly Category[]): Party {
  if (namesNothing(requested)) return now;
  const given = unitsByCode(requested, categories);
  const units = { ...now, ...given };
  const { quantity } = requested;
  const main = mainCategory(categories);
  if (quantity !== undefined && isOpen(requested)) {
    if (main === undefined) throw partyIsMissing(categories);
    units[main] = quantity - seatsOf({ ...units, [main]: 0 }, categories);
  }
  return checkedParty(units, requested, categories);
}

function namesNothing({ party, named = {}, quantity }: RequestedParty): boolean {
  return (
    party === undefined && quantity === undefined && Object.values(named).every((one) => one === undefined)
  );
}

/** Returns whether the request leaves the number of the category open that `adults` means. */
function isOpen({ party, named }: RequestedParty): boolean {
  return party === undefined && named?.['adult'] === undefined;
}

/** Returns the category that `adults` and a bare `quantity` mean: `adult` or, without one, the first category if it takes one seat. */
function mainCategory(categories: readonly Category[]): string | undefined {
  const first = firstCategory(categories);
  if (categories.some(({ code }) => code === 'adult')) return 'adult';
  return first.seats === 1 ? first.code : undefined;
}

/** @throws InvalidInputError for a category that comes in both spellings (400) */
function unitsByCode({ party = {}, named = {} }: RequestedParty, categories: readonly Category[]): Party {
  const units: Party = { ...party };
  for (const [code, number] of Object.entries(named)) {
    if (number === undefined) continue;
    const meant = code === 'adult' ? mainCategory(categories) : code;
    if (meant === undefined) throw partyIsMissing(categories);
    if (Object.hasOwn(party, meant))
      throw new InvalidInputError(
        'body',
        fieldOfCode(code),
        `must not come with party.${meant}, which means the same`,
      );
    units[meant] = number;
  }
  return units;
}

function partyIsMissing(categories: readonly Category[]): InvalidInputError {
  const codes = categories.map(({ code }) => code).join(', ');
  return new InvalidInputError('body', 'party', `must have numbers by category; the tour has ${codes}`);
}

function checkedParty(units: Party, { quantity }: RequestedParty, categories: readonly Category[]): Party {
  const seats = seatsOf(units, categories);
  const isNegative = Object.values(units).some((number) => number < 0);
  if (isNegative || (quantity !== undefined && quantity !== seats))
    throw new InvalidInputError('body', 'quantity', 'must be the seats of the party together');
  const party = toParty(units, categories);
  assertPartySize(party, categories);
  return party;
}

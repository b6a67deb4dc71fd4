import { InvalidInputError } from '../../platform/errors';
import { type SaleChange, valueBefore } from '../audit/changed-fields';
import type { Category } from './category';
import { type Party, type RequestIssue, SEATS_MAX, toParty, unitsOf } from './party-rules';

/** Returns the travellers of the party. */
export function peopleOfParty(party: Party, categories: readonly Category[]): number {
  return categories.reduce((people, { code, people: each }) => people + unitsOf(party, code) * each, 0);
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

/** The tour does not sell this party: the message names the category and what is right. */
export class UnsoldCategoryError extends InvalidInputError {
  constructor(
    readonly category: string,
    field: string,
    message: string,
  ) {
    super('body', field, message);
  }
}

/** Returns the refusal of a party with this issue. @param categories those of the tour, or those that a hold has locked */
export function partyRefusalOf(
  issue: RequestIssue,
  categories: readonly Category[],
  fields: IssueFields = { ofCode: fieldOfCode, ofSize: 'party' },
): InvalidInputError {
  const { kind, category, number = 0, others = [] } = issue;
  const codes = categories.map(({ code }) => code);
  const text = TEXTS[kind]({ category: category ?? '', number, others, codes });
  if (kind === 'both') return new InvalidInputError('body', fieldOfCode(category!), text);
  if (category !== undefined) return new UnsoldCategoryError(category, fields.ofCode(category), text);
  if (kind === 'quantity') return new InvalidInputError('body', 'quantity', text);
  const isOfUnits = kind === 'missing' || kind === 'max';
  return new InvalidInputError('body', isOfUnits ? 'party' : fields.ofSize, text);
}

/** An issue with the codes of the categories by which the party is read. */
interface KnownIssue extends Required<Omit<RequestIssue, 'kind'>> {
  codes: string[];
}

const SIZE_TEXT = () => `must take from 1 to ${SEATS_MAX} seats together`;

/** The text of each issue, after the name of its field. */
const TEXTS: Record<RequestIssue['kind'], (issue: KnownIssue) => string> = {
  both: ({ others }) => `must not come with party.${others[0]}, which means the same`,
  missing: ({ codes }) =>
    `is required for this tour: a number for each wanted category of ${codes.join(', ')}`,
  quantity: () => 'must be the seats of the party together',
  unsold: ({ category, codes }) =>
    codes.includes(category)
      ? `must be 0: the category ${category} has no price`
      : `must be left out: ${category} is none of the categories ${codes.join(', ')}`,
  min: ({ category, number }) => `must be 0 or at least ${number}: the fewest of ${category} in one booking`,
  max: ({ category, number }) =>
    category === ''
      ? `must be at most ${number} units`
      : `must be at most ${number}: the most of ${category} in one booking`,
  with: ({ category, others }) => `must be 0 without ${others.join(' or ')}: ${category} travels with it`,
  at_most: ({ category, others }) =>
    `must be at most the number of ${others[0]}: ${category} may not exceed it`,
  none: SIZE_TEXT,
  seats: SIZE_TEXT,
  free: SIZE_TEXT,
};

/**
 * Returns the units of each category by the field name that the history of a hold or booking has for it.
 * @param codes the categories to name, also those without a unit
 */
export function partyFields(party: Party, codes: Iterable<string>): Record<string, number> {
  return Object.fromEntries([...codes].map((code) => [fieldOfCode(code), unitsOf(party, code)]));
}

/** Returns the party before the first change. */
export function partyBefore(changes: SaleChange[], party: Party, categories: readonly Category[]): Party {
  const codes = new Set([...categories.map(({ code }) => code), ...Object.keys(party)]);
  const before = [...codes].map((code) => [
    code,
    valueBefore(changes, fieldOfCode(code), unitsOf(party, code)),
  ]);
  return toParty(Object.fromEntries(before) as Party, categories);
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

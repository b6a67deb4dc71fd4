import type { Category } from '../../../services/api/parties/category';
import { partyRefusalOf } from '../../../services/api/parties/party';
import {
  firstCategory,
  type Party,
  partyIssue,
  type PartyIssue,
  type Prices,
  type RequestIssue,
  resolveParty,
  soldCategories,
  toParty,
  UNITS_MAX,
  unitsOf,
} from '../../../services/api/parties/party-rules';
import { foldName } from '../../../services/platform/forms/fold-name';

/** A typed party, or why it is none. */
export type TypedParty = { party: Party; why?: undefined } | { party?: undefined; why: string };

/** Matches `child=1`, `2 adults`, `2x adult` and `2`. */
const PART = /([\p{L}_][\p{L}\p{N}_]*)\s*[=:]\s*(\d+)|(\d+)\s*(?:x\s+)?([\p{L}_][\p{L}\p{N}_]*)?/gu;

/**
 * Reads a party as a person types it: `2`, `2 adults, 1 child`, or `adult=2,child=1`. A number alone means what `adults` means in a request. A
 * category may be named by the beginning of its code or name.
 */
export function readParty(typed: string, categories: readonly Category[]): TypedParty {
  const text = foldName(typed);
  const units: Party = {};
  for (const [, named, ofNamed, counted, noun] of text.matchAll(PART)) {
    const number = Number(ofNamed ?? counted);
    const word = named ?? noun;
    const code = word === undefined ? adultsOf(categories) : codeOf(word, categories);
    if (code === undefined || number > UNITS_MAX) return { why: explainForm(word, categories) };
    units[code] = (units[code] ?? 0) + number;
  }
  const rest = text.replace(PART, '').replace(/\band\b/g, '');
  if (/[^\s,;.+&]/.test(rest)) return { why: explainForm(undefined, categories) };
  return { party: toParty(units, categories) };
}

/** Returns the code of the category that a number alone means. Undefined: none. */
function adultsOf(categories: readonly Category[]): string | undefined {
  const { party, issue } = resolveParty({ named: { adult: 1 } }, categories);
  return issue ? undefined : Object.keys(party)[0];
}

/** Returns the only category that the word can mean. Undefined: none, or several. */
function codeOf(word: string, categories: readonly Category[]): string | undefined {
  const namesOf = ({ code, name }: Category) => [code, ...(name === undefined ? [] : [foldName(name)])];
  const exact = categories.filter((category) => namesOf(category).includes(word));
  const begun = categories.filter((category) =>
    namesOf(category).some((name) => name.startsWith(word) || isPluralOf(word, name)),
  );
  const [only, ...others] = exact.length > 0 ? exact : begun;
  return others.length === 0 ? only?.code : undefined;
}

function isPluralOf(word: string, name: string): boolean {
  return word === 'children' ? name === 'child' : word === `${name}s` || word === `${name}es`;
}

function explainForm(word: string | undefined, categories: readonly Category[]): string {
  const codes = categories.map(({ code }) => code).join(', ');
  const example = `${firstCategory(categories).code}=1`;
  if (word === undefined) return `Name the categories of this tour, such as ${example}: ${codes}`;
  return `"${word}" is none of the categories of this tour: ${codes}`;
}

/** Says why a party cannot be sold. */
export function explainIssue(issue: RequestIssue, categories: readonly Category[]): string {
  if (issue.kind === 'free') return explainFree(issue.number ?? 0);
  const fields = { ofCode: (code: string) => `The number of ${code}`, ofSize: 'The party' };
  return partyRefusalOf(issue, categories, fields).message;
}

function explainFree(free: number): string {
  if (free === 0) return 'It is sold out';
  return free === 1 ? 'Only 1 seat is free' : `Only ${free} seats are free`;
}

/** The limits of the parties of a departure. */
export interface PartyLimits {
  categories: readonly Category[];
  prices: Prices;
  /** The seats that are left. Infinity: seats are added. */
  free: number;
}

export function issueOfParty(
  party: Party,
  { categories, prices, free }: PartyLimits,
): PartyIssue | undefined {
  return partyIssue(party, categories, prices, { free });
}

/** The most changes that are tried to make a party possible: each takes away or adds a unit. */
const CHANGES_MAX = 400;
const NEAREST_PARTIES = 3;

/** Returns possible parties that differ little from this one. None: no party is possible. */
export function nearestParties(party: Party, limits: PartyLimits): Party[] {
  const tried: Party[] = [party];
  const found = new Map<string, Party>();
  for (let at = 0; at < tried.length && at < CHANGES_MAX && found.size < NEAREST_PARTIES; at++) {
    const units = toParty(tried[at]!, limits.categories);
    const issue = issueOfParty(units, limits);
    if (issue) tried.push(...changesFor(issue, units, limits));
    else found.set(JSON.stringify(units), units);
  }
  return [...found.values()];
}

/** Returns the party with one change for each way to remove the issue. Units that travel with others may go, or the others may come. */
function changesFor(
  { kind, category = '', number = 0, others = [] }: PartyIssue,
  party: Party,
  limits: PartyLimits,
): Party[] {
  const set = (code: string, units: number): Party => ({ ...party, [code]: units });
  switch (kind) {
    case 'unsold':
      return [set(category, 0)];
    case 'min':
      return [set(category, number), set(category, 0)];
    case 'max':
      return category === '' ? lessUnits(party) : [set(category, number)];
    case 'with':
      return [...others.map((other) => set(other, 1)), set(category, 0)];
    case 'at_most':
      return [set(category, unitsOf(party, others[0]!)), set(others[0]!, unitsOf(party, category))];
    case 'none':
      return smallestParties(party, limits);
    default:
      return lessUnits(party);
  }
}

/** Returns the smallest party, instead of one without any category. A party that became empty is given up. */
function smallestParties(party: Party, { categories, prices }: PartyLimits): Party[] {
  const [first] = soldCategories(categories, prices);
  return first && Object.keys(party).length === 0 ? [{ [first.code]: first.min ?? 1 }] : [];
}

/** Returns the party with one unit less of the category that has the most. */
function lessUnits(party: Party): Party[] {
  const [most] = Object.entries(party).toSorted(([, a], [, b]) => b - a);
  return most ? [{ ...party, [most[0]]: most[1] - 1 }] : [];
}

import { isDeepStrictEqual } from 'node:util';
import type { Actor } from '../tenants/actor';

type Value = string | number | null;

/** The changed fields by their name in the API, with the values before and after. Null: a field with personal data. */
export type ChangedFields = Record<string, [before: Value, after: Value] | null>;

/** One change of a hold or booking, as stored. */
export interface SaleChange {
  at: Date;
  by: Actor | null;
  fields: ChangedFields;
}

export type NewSaleChange = Omit<SaleChange, 'at'>;

type Values = Record<string, Value>;
type PersonalValues = Record<string, unknown>;

/**
 * Compares the values before and after a change. An empty result means that nothing changes.
 * The result contains the names of personal fields without their values, so that there is nothing to erase in it (ADR 23).
 */
export function changedFields(
  [before, after]: [Values, Values],
  [personalBefore, personalAfter]: [PersonalValues, PersonalValues],
): ChangedFields {
  const changed = namesOfChanged(before, after).map((name) => [name, [before[name], after[name]]]);
  const personal = namesOfChanged(personalBefore, personalAfter).map((name) => [name, null]);
  return Object.fromEntries([...changed, ...personal]) as ChangedFields;
}

/** Returns the values after a change. A value that the change leaves undefined stays as it is. */
export function withGiven<T extends object>(now: T, given: Partial<T>): T {
  const entries = Object.entries(given).filter(([, value]) => value !== undefined);
  return { ...now, ...Object.fromEntries(entries) };
}

function namesOfChanged(before: PersonalValues, after: PersonalValues): string[] {
  return Object.keys(after).filter((name) => !isDeepStrictEqual(before[name], after[name]));
}

/** Describes a change, for example as `adults from 2 to 3, name, phone`. */
export function describeChange(fields: ChangedFields): string {
  return Object.entries(fields)
    .map(([name, values]) => {
      const field = name.replaceAll('_', ' ');
      return values === null ? field : `${field} from ${text(values[0])} to ${text(values[1])}`;
    })
    .join(', ');
}

/** Returns a text with a comma in quotes, because commas separate the fields. */
function text(value: Value): string {
  if (value === null) return 'none';
  return String(value).includes(',') ? `"${value}"` : String(value);
}

/** Returns the value that a field had before the first of the changes. */
export function valueBefore<T>(changes: SaleChange[], field: string, now: T): T {
  const first = changes.find(({ fields }) => fields[field]);
  return first ? (first.fields[field]![0] as T) : now;
}

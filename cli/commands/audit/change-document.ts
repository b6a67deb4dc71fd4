import type { RecordedChange } from '../../../services/api/audit/recorded-change';
import { describe } from '../../table';

/** The answer of show, and an item of list. */
export function toChangeDocument(change: RecordedChange) {
  return { ...change, at: change.at.toISOString() };
}

export interface ChangedField {
  field: string;
  before: string;
  after: string;
}

/** The fields that differ. What was made or removed as a whole has all its fields. */
export function changedFields({ before, after }: Pick<RecordedChange, 'before' | 'after'>): ChangedField[] {
  const [was, is] = [fieldsOf(before), fieldsOf(after)];
  return [...new Set([...Object.keys(was), ...Object.keys(is)])]
    .map((field) => ({ field, before: describe(was[field]), after: describe(is[field]) }))
    .filter((field) => field.before !== field.after);
}

/** One line of what became of what; nothing for what was made or removed, as the action says that. */
export function summary(change: Pick<RecordedChange, 'before' | 'after'>): string | null {
  if (change.before === null || change.after === null) return null;
  const fields = changedFields(change).map(({ field, before, after }) =>
    // What has fields of its own is for show, a line for each.
    [before, after].some((value) => value.includes('{"'))
      ? `${field} changed`
      : `${field} ${before} → ${after}`,
  );
  return fields.join('; ') || null;
}

function fieldsOf(value: unknown): Record<string, unknown> {
  if (value === null || value === undefined) return {};
  return typeof value === 'object' && !Array.isArray(value) ? { ...value } : { value };
}

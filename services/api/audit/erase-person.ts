import type { Trx } from '../../platform/database';
import { rewriteAuditEntry, selectAuditEntriesOf } from './audit.repository';

/**
 * Erases a person from the audit entries about these subjects: texts that identify the person become null. The action, its time
 * and its actor stay.
 * @param identifiesPerson returns whether a text identifies the person
 * @returns how many entries changed
 */
export async function erasePersonFromChanges(
  trx: Trx,
  subjects: string[],
  identifiesPerson: (text: string) => boolean,
): Promise<number> {
  let erased = 0;
  for (const { id, before, after } of await selectAuditEntriesOf(trx, subjects)) {
    const rewritten = {
      id,
      before: withoutPerson(before, identifiesPerson),
      after: withoutPerson(after, identifiesPerson),
    };
    if (JSON.stringify([before, after]) === JSON.stringify([rewritten.before, rewritten.after])) continue;
    await rewriteAuditEntry(trx, rewritten);
    erased++;
  }
  return erased;
}

function withoutPerson(value: unknown, identifiesPerson: (text: string) => boolean): unknown {
  if (typeof value === 'string') return identifiesPerson(value) ? null : value;
  if (Array.isArray(value)) return value.map((item) => withoutPerson(item, identifiesPerson));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [key, withoutPerson(inner, identifiesPerson)]),
  );
}

import {
  type AuditFilter,
  type RecordedChange,
  selectAuditEntries,
  selectAuditEntriesOf,
  showChange,
} from '../../../services/api/audit/audit.repository';
import type { Db } from '../../../services/platform/database';
import type { Context } from '../../engine/context';
import { DEFAULT_LIMIT } from '../../engine/flags';
import { answerPage, findTenantId, oneMoreThan } from '../../engine/list-page';
import { type Column, describe, properties, shortTime, table, tableOf } from '../../terminal/table';

/** Converts a change for list and show. */
function toChangeDocument(change: RecordedChange) {
  return { ...change, at: change.at.toISOString() };
}

interface ChangedField {
  field: string;
  before: string;
  after: string;
}

/** Returns the fields that differ; a created or removed subject has all its fields. */
function changedFields({ before, after }: Pick<RecordedChange, 'before' | 'after'>): ChangedField[] {
  const [was, is] = [fieldsOf(before), fieldsOf(after)];
  return [...new Set([...Object.keys(was), ...Object.keys(is)])]
    .map((field) => ({ field, before: describe(was[field]), after: describe(is[field]) }))
    .filter((field) => field.before !== field.after);
}

/** Returns the change on one line; null if created or removed, which the action already says. */
function summary(change: Pick<RecordedChange, 'before' | 'after'>): string | null {
  if (change.before === null || change.after === null) return null;
  const fields = changedFields(change).map(({ field, before, after }) =>
    // Nested fields appear only in show.
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

interface AuditListOptions extends Partial<Omit<AuditFilter, 'tenantId'>> {
  /** Slug. */
  tenant?: string;
}

const CHANGE_COLUMNS: Column[] = [
  { heading: 'id', right: true },
  'at (utc)',
  { heading: 'who', least: 8 },
  { heading: 'action', least: 16 },
  { heading: 'tenant', least: 6, aside: true },
  { heading: 'subject', least: 8 },
  { heading: 'change', least: 10 },
];

/** Returns `olga@server`, or for a name that was given beside the account `olga (root@server)`. */
function describeActor({ actor, host }: Pick<RecordedChange, 'actor' | 'host'>): string {
  return host.includes('@') ? `${actor} (${host})` : `${actor}@${host}`;
}

export async function listChangesCommand(
  { db, output }: Context,
  { tenant, limit = DEFAULT_LIMIT, ...filter }: AuditListOptions,
): Promise<void> {
  const tenantId = await findTenantId(db, tenant);
  const changes = await selectAuditEntries(db, { ...filter, tenantId, limit: oneMoreThan(limit) });
  answerPage(output, changes.map(toChangeDocument), { limit, after: ({ id }) => id }, describeList);
}

const describeList = tableOf<ReturnType<typeof toChangeDocument>>(
  CHANGE_COLUMNS,
  (c) => [c.id, shortTime(c.at), describeActor(c), c.action, c.tenant, c.subject, summary(c)],
  'No changes',
);

const FIELD_COLUMNS = ['field', { heading: 'before', least: 12 }, { heading: 'after', least: 12 }];

export async function showChangeCommand({ db, output }: Context, _: object, id: number): Promise<void> {
  const document = toChangeDocument(await showChange(db, id));
  output.answer(document, (screen) => {
    const { before: _before, after: _after, ...facts } = document;
    const rows = changedFields(document).map(({ field, before, after }) => [field, before, after]);
    return `${properties(facts, screen)}\n\n${table(FIELD_COLUMNS, rows, 'The change has no fields', screen)}`;
  });
}

export type AuditDocument = Awaited<ReturnType<typeof findAuditDocuments>>[number];

/** Finds operators' changes and reveals of the given subjects. */
export async function findAuditDocuments(db: Db, subjects: string[]) {
  const changes = await selectAuditEntriesOf(db, subjects);
  return changes.map(({ at, actor, host, action, subject }) => {
    return { at: at.toISOString(), actor, host, action, subject };
  });
}

export const describeAudit = tableOf<AuditDocument>(
  ['at (utc)', 'who', { heading: 'host', least: 8 }, 'action'],
  ({ at, actor, host, action }) => [shortTime(at), actor, host, action],
  'No changes',
);

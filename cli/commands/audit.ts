import {
  type AuditFilter,
  type RecordedChange,
  selectActions,
  selectAuditEntries,
  showChange,
} from '../../services/api/audit/audit.repository';
import type { Db } from '../../services/platform/database/database';
import { NAME_MAX } from '../../services/platform/forms/lengths';
import { flag, type Verb } from '../engine/command';
import type { Context } from '../engine/context';
import { afterFlag, findTenantId, LIST_FLAGS, listOf, sinceFlag, TENANT_FLAG } from '../engine/list';
import { line, wholeNumber } from '../engine/values';
import { describe, properties, shortTime, tableOf } from '../terminal/table';

const changeId = wholeNumber(1, 9_999_999_999);

export const auditVerbs: Verb[] = [
  {
    usage: 'list',
    about: 'List the changes, newest first',
    flags: [
      TENANT_FLAG,
      sinceFlag('made'),
      flag('--action <action>', 'only this noun and verb, such as key.revoke, or a noun with all its verbs', {
        parse: line(100),
      }),
      flag('--actor <name>', 'only by this person: a system user, or the name that --actor gave', {
        parse: line(100),
      }),
      flag('--person <name>', 'only by this person, whose login proves who acted', { parse: line(100) }),
      flag('--subject <id>', 'only of this slug, id or reference', { parse: line(NAME_MAX) }),
      ...LIST_FLAGS,
      afterFlag('id', changeId),
    ],
    examples: [
      'audit list --tenant acme --since 7d',
      'audit list --action key --actor olga',
      'audit list --subject ACME-1042 --json',
    ],
    run: listOf({
      find: async (db: Db, { tenant, ...filter }: AuditListOptions & { limit: number }) => {
        const tenantId = await findTenantId(db, tenant);
        return (await selectAuditEntries(db, { ...filter, tenantId })).map(toChangeDocument);
      },
      columns: [
        { heading: 'id', right: true },
        { heading: 'at (utc)', cell: ({ at }) => shortTime(at) },
        { heading: 'who', least: 8, cell: describeActor },
        { heading: 'login', aside: true, cell: ({ person, owner }) => person ?? (owner ? 'owner' : null) },
        { heading: 'action', least: 16 },
        { heading: 'tenant', least: 6, aside: true },
        { heading: 'subject', least: 8 },
        { heading: 'change', least: 10, cell: summary },
      ],
      empty: 'No changes',
      after: ({ id }) => id,
    }),
  },
  {
    usage: 'show <id>',
    about: 'Show a change in full: each field before and after',
    args: { id: changeId },
    examples: ['audit show 1042'],
    run: showChangeCommand,
  },
];

/** Converts a change for list and show. */
function toChangeDocument(change: RecordedChange) {
  return { ...change, at: change.at.toISOString() };
}

interface ChangedField {
  field: string;
  before: string;
  after: string;
}

/** Returns the fields that differ. For a created or removed subject these are all its fields. */
function changedFields({ before, after }: Pick<RecordedChange, 'before' | 'after'>): ChangedField[] {
  const [was, is] = [fieldsOf(before), fieldsOf(after)];
  return [...new Set([...Object.keys(was), ...Object.keys(is)])]
    .map((field) => ({ field, before: describe(was[field]), after: describe(is[field]) }))
    .filter((field) => field.before !== field.after);
}

/** Returns the change on one line; null if the subject was created or removed, which the action already says. */
function summary(change: Pick<RecordedChange, 'before' | 'after'>): string | null {
  if (change.before === null || change.after === null) return null;
  const fields = changedFields(change).map(({ field, before, after }) =>
    // Shows the values of nested fields only in `audit show`.
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
  /** Slug of the tenant. */
  tenant?: string;
}

/** Returns `olga@server`. If --actor or TOURCTL_ACTOR gave the name, adds the system account: `olga (root@server)`. */
function describeActor({ actor, host }: Pick<RecordedChange, 'actor' | 'host'>): string {
  return host.includes('@') ? `${actor} (${host})` : `${actor}@${host}`;
}

async function showChangeCommand({ db, output }: Context, _: object, id: number): Promise<void> {
  const document = toChangeDocument(await showChange(db, id));
  await output.answer(document, (screen) => {
    const { before: _before, after: _after, ...facts } = document;
    return `${properties(facts, screen)}\n\n${describeFields(changedFields(document), screen)}`;
  });
}

const describeFields = tableOf<ChangedField>(
  ['field', { heading: 'before', least: 12 }, { heading: 'after', least: 12 }],
  'The change has no fields',
);

export type AuditDocument = Awaited<ReturnType<typeof findAuditDocuments>>[number];

/** Finds the audit rows of the given subjects: changes by operators, and reveals of personal data. */
export async function findAuditDocuments(db: Db, subjects: string[]) {
  const changes = await selectActions(db, subjects);
  return changes.map(({ at, actor, host, action, subject }) => {
    return { at: at.toISOString(), actor, host, action, subject };
  });
}

/** Draws the changes as a table. Returns an empty text if there are none. */
export const describeAudit = tableOf<AuditDocument>(
  [
    { heading: 'at (utc)', cell: ({ at }) => shortTime(at) },
    { heading: 'who', cell: ({ actor }) => actor },
    { heading: 'host', least: 8 },
    'action',
  ],
  '',
);

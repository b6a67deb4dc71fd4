import { AppError } from '../../platform/errors';
import type { AuditEntry } from '../../platform/audit-log';
import type { Db, Trx } from '../../platform/database/database';

/** One entry of the audit log. */
export interface RecordedChange extends Omit<AuditEntry, 'tenantId'> {
  id: number;
  at: Date;
  /** Slug. */
  tenant: string | null;
  /** The person whose login, or whose link to the monitoring page, made the change. */
  person: string | null;
  /** True: the owner of the database made the change. */
  owner: boolean;
}

export interface AuditFilter {
  tenantId?: string;
  since?: Date;
  /** A noun and a verb, such as `tenant.set`, or a noun alone, which stands for all its verbs. */
  action?: string;
  /** The system user who ran the command. */
  actor?: string;
  /** The name of a person. */
  person?: string;
  subject?: string;
  /** Id of the last entry of the previous page. */
  after?: number;
  limit: number;
}

/** Returns entries, newest first. */
export async function selectAuditEntries(db: Db, filter: AuditFilter): Promise<RecordedChange[]> {
  const { tenantId, action, actor, person, subject, since, after, limit } = filter;
  const query = entries(db).orderBy('a.id', 'desc').limit(limit);
  if (tenantId) void query.where('a.tenant_id', tenantId);
  if (actor) void query.where('a.actor', actor);
  if (person) void query.where('a.person', person);
  if (subject) void query.where('a.subject', subject);
  if (action)
    void query.where((any) =>
      any.where('a.action', action).orWhereLike('a.action', `${escapeLike(action)}.%`),
    );
  if (since) void query.where('a.at', '>=', since);
  if (after) void query.where('a.id', '<', after);
  return query;
}

/** Returns all entries about these subjects, the oldest first. */
async function selectAuditEntriesOf(db: Db, subjects: string[]): Promise<RecordedChange[]> {
  return entries(db).whereIn('a.subject', subjects).orderBy('a.id');
}

/** Returns who did what to these subjects, the oldest first, without the values before and after. */
export async function selectActions(
  db: Db,
  subjects: string[],
): Promise<Pick<RecordedChange, 'at' | 'actor' | 'host' | 'action' | 'subject'>[]> {
  return db('audit_log')
    .whereIn('subject', subjects)
    .orderBy('id')
    .select('at', 'actor', 'host', 'action', 'subject');
}

/** @throws ChangeNotFoundError */
export async function showChange(db: Db, id: number): Promise<RecordedChange> {
  const change = await entries(db).where('a.id', id).first<RecordedChange | undefined>();
  if (!change) throw new ChangeNotFoundError(id);
  return change;
}

/** Replaces the values `before` and `after` of an entry. The database allows nothing but null in place of texts. */
async function rewriteAuditEntry(
  trx: Trx,
  { id, before, after }: { id: number; before: unknown; after: unknown },
): Promise<void> {
  const [oldValue, newValue] = [before, after].map((value) => (value == null ? null : JSON.stringify(value)));
  await trx.raw('select erase_from_audit(?, ?, ?)', [id, oldValue!, newValue!]);
}

function escapeLike(text: string): string {
  return text.replace(/[\\%_]/g, '\\$&');
}

function entries(db: Db) {
  return db('audit_log as a')
    .leftJoin('tenants as t', 't.id', 'a.tenant_id')
    .select<RecordedChange[]>(
      'a.id',
      'a.at',
      'a.actor',
      'a.host',
      'a.action',
      't.slug as tenant',
      'a.subject',
      'a.person',
      'a.by_owner as owner',
      'a.before',
      'a.after',
    );
}

class ChangeNotFoundError extends AppError {
  readonly code = 'change_not_found';

  constructor(id: number) {
    super(`There is no change ${id} in the audit log`);
  }
}

/**
 * Erases a person from the audit entries about these subjects: texts that identify the person become null. The action, its time
 * and its actor stay.
 * @param identifiesPerson returns whether a text identifies the person
 * @returns the number of entries that were changed
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

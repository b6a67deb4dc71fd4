import type { Db, Trx } from '../../platform/database';
import type { AuditFilter, RecordedChange } from './recorded-change';

/** Newest first. */
export async function selectAuditEntries(db: Db, filter: AuditFilter): Promise<RecordedChange[]> {
  const { tenantId, action, actor, subject, since, after, limit } = filter;
  const query = entries(db).orderBy('a.id', 'desc').limit(limit);
  if (tenantId) void query.where('a.tenant_id', tenantId);
  if (actor) void query.where('a.actor', actor);
  if (subject) void query.where('a.subject', subject);
  if (action)
    void query.where((any) =>
      any.where('a.action', action).orWhereLike('a.action', `${literally(action)}.%`),
    );
  if (since) void query.where('a.at', '>=', since);
  if (after) void query.where('a.id', '<', after);
  return query;
}

export async function findAuditEntry(db: Db, id: number): Promise<RecordedChange | undefined> {
  return entries(db).where('a.id', id).first<RecordedChange | undefined>();
}

/** All about these things, the oldest first. */
export async function selectAuditEntriesOf(db: Db, subjects: string[]): Promise<RecordedChange[]> {
  return entries(db).whereIn('a.subject', subjects).orderBy('a.id');
}

export async function rewriteAuditEntry(
  trx: Trx,
  { id, before, after }: { id: number; before: unknown; after: unknown },
): Promise<void> {
  const [written, rewritten] = [before, after].map((value) => (value == null ? null : JSON.stringify(value)));
  await trx('audit_log').where({ id }).update({ before: written, after: rewritten });
}

/** For a pattern of LIKE, where these mean something. */
function literally(text: string): string {
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
      'a.before',
      'a.after',
    );
}

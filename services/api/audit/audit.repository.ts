import type { Db } from '../../platform/database';
import type { AuditFilter, RecordedChange } from './recorded-change';

/** Newest first. */
export async function selectAuditEntries(db: Db, filter: AuditFilter): Promise<RecordedChange[]> {
  const { tenantId, action, actor, subject, since, after, limit } = filter;
  const query = entries(db).orderBy('a.id', 'desc').limit(limit);
  if (tenantId) void query.where('a.tenant_id', tenantId);
  if (actor) void query.where('a.actor', actor);
  if (subject) void query.where('a.subject', subject);
  if (action)
    void query.where((any) => any.where('a.action', action).orWhereLike('a.action', `${noun(action)}.%`));
  if (since) void query.where('a.at', '>=', since);
  if (after) void query.where('a.id', '<', after);
  return query;
}

export async function findAuditEntry(db: Db, id: number): Promise<RecordedChange | undefined> {
  return entries(db).where('a.id', id).first<RecordedChange | undefined>();
}

/** In a pattern of LIKE, where these mean something. */
function noun(text: string): string {
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

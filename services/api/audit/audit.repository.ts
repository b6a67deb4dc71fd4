import type { Db, Trx } from '../../platform/database';
import type { AuditEntry, AuditFilter, RecordedChange } from './audit-entry';

export async function insertAuditEntry(trx: Trx, entry: AuditEntry): Promise<void> {
  const { actor, host, action, subject } = entry;
  const [before, after] = [entry.before, entry.after].map((value) =>
    value == null ? null : JSON.stringify(value),
  );
  await trx('audit_log').insert({ actor, host, action, tenant_id: entry.tenantId, subject, before, after });
}

/** Newest first. */
export async function selectAuditEntries(db: Db, filter: AuditFilter): Promise<RecordedChange[]> {
  const query = db('audit_log as a')
    .leftJoin('tenants as t', 't.id', 'a.tenant_id')
    .select(
      'a.id',
      'a.at',
      'a.actor',
      'a.host',
      'a.action',
      't.slug as tenant',
      'a.subject',
      'a.before',
      'a.after',
    )
    .orderBy('a.id', 'desc')
    .limit(filter.limit);
  if (filter.tenantId) query.where('a.tenant_id', filter.tenantId);
  if (filter.since) query.where('a.at', '>=', filter.since);
  if (filter.action) query.where('a.action', filter.action);
  return query;
}

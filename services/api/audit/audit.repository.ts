import type { Db } from '../../platform/database';
import type { AuditFilter, RecordedChange } from './recorded-change';

/** Newest first. */
export async function selectAuditEntries(db: Db, filter: AuditFilter): Promise<RecordedChange[]> {
  const { tenantId, action, since = '-infinity', limit } = filter;
  return db('audit_log as a')
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
    .where({ ...(tenantId && { 'a.tenant_id': tenantId }), ...(action && { 'a.action': action }) })
    .where('a.at', '>=', since)
    .orderBy('a.id', 'desc')
    .limit(limit);
}

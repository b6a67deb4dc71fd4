import { listChanges } from '../../../services/api/audit/list-changes';
import { findTenant } from '../../../services/api/tenants/find-tenant';
import type { Context } from '../../context';
import { DEFAULT_LIMIT } from '../../credential-flags';
import { table } from '../../table';

export interface AuditListOptions {
  tenant?: string;
  since?: Date;
  action?: string;
  limit?: number;
}

export async function listChangesCommand(
  { db, output }: Context,
  { tenant, since, action, limit = DEFAULT_LIMIT }: AuditListOptions,
): Promise<void> {
  const tenantId = tenant === undefined ? undefined : (await findTenant(db, tenant)).id;
  const changes = await listChanges(db, { tenantId, since, action, limit });
  const items = changes.map((change) => ({ ...change, at: change.at.toISOString() }));
  output.answer({ items }, () => {
    const rows = items.map((c) => [
      c.at.slice(0, 19).replace('T', ' '),
      c.actor,
      c.host,
      c.action,
      c.tenant,
      c.subject,
    ]);
    return table(['at (utc)', 'who', 'host', 'action', 'tenant', 'subject'], rows, 'No changes');
  });
}

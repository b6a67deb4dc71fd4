import { listChanges } from '../../../services/api/audit/list-changes';
import type { AuditFilter } from '../../../services/api/audit/recorded-change';
import { findTenant } from '../../../services/api/tenants/find-tenant';
import type { Context } from '../../context';
import { DEFAULT_LIMIT } from '../../credential-flags';
import { answerPage, oneMoreThan } from '../../list-page';
import { shortTime, table, type Column } from '../../table';
import { summary, toChangeDocument } from './change-document';

interface AuditListOptions extends Partial<Omit<AuditFilter, 'tenantId'>> {
  /** Slug. */
  tenant?: string;
}

const COLUMNS: Column[] = [
  { heading: 'id', right: true },
  'at (utc)',
  { heading: 'who', least: 8 },
  { heading: 'action', least: 16 },
  { heading: 'tenant', least: 6, aside: true },
  { heading: 'subject', least: 8 },
  { heading: 'change', least: 10 },
];

export async function listChangesCommand(
  { db, output }: Context,
  { tenant, limit = DEFAULT_LIMIT, ...filter }: AuditListOptions,
): Promise<void> {
  const tenantId = tenant === undefined ? undefined : (await findTenant(db, tenant)).id;
  const changes = await listChanges(db, { ...filter, tenantId, limit: oneMoreThan(limit) });
  const found = changes.map(toChangeDocument);
  answerPage(output, found, { limit, after: ({ id }) => id }, (items, screen) => {
    const rows = items.map((c) => {
      const what = [c.action, c.tenant, c.subject, summary(c)];
      return [c.id, shortTime(c.at), `${c.actor}@${c.host}`, ...what];
    });
    return table(COLUMNS, rows, 'No changes', screen);
  });
}

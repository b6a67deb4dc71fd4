import { listTenants } from '../../../services/api/tenants/list-tenants';
import type { TenantStatus } from '../../../services/api/tenants/tenant';
import type { Context } from '../../context';
import { table } from '../../table';
import { toTenantDocument } from './tenant-document';

const COLUMNS = ['slug', 'name', 'status', 'prefix', 'currency', 'visibility', 'origins', 'created'];

export async function listTenantsCommand(
  { db, output }: Context,
  { status, limit = 100 }: { status?: TenantStatus; limit?: number },
): Promise<void> {
  const items = (await listTenants(db, { status, limit })).map(toTenantDocument);
  output.answer({ items }, () => {
    const rows = items.map((t) => {
      const created = t.created_at.slice(0, 10);
      return [
        t.slug,
        t.name,
        t.status,
        t.booking_prefix,
        t.currency,
        t.visibility,
        t.origins.length,
        created,
      ];
    });
    return table(COLUMNS, rows, 'No tenants');
  });
}

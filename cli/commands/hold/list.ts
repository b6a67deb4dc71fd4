import { listHolds } from '../../../services/api/holds/find-hold';
import type { HoldStatus } from '../../../services/api/holds/seat-hold';
import { findTenant } from '../../../services/api/tenants/find-tenant';
import { ANY_TENANT } from '../../../services/api/tenants/tenant-scope';
import type { Context } from '../../context';
import { DEFAULT_LIMIT } from '../../credential-flags';
import { table } from '../../table';
import { toHoldDocument } from './hold-document';

interface HoldListOptions {
  tenant?: string;
  status?: HoldStatus;
  limit?: number;
}

const COLUMNS = ['id', 'tenant', 'tour', 'date', 'seats', 'status', 'expires', 'reference'];

export async function listHoldsCommand(
  { db, output }: Context,
  { tenant, status, limit = DEFAULT_LIMIT }: HoldListOptions,
): Promise<void> {
  const scope = tenant === undefined ? ANY_TENANT : (await findTenant(db, tenant)).id;
  const items = (await listHolds(db, scope, { status, limit })).map(toHoldDocument);
  output.answer({ items }, () => {
    const rows = items.map((hold) => [
      hold.id,
      hold.tenant,
      hold.tour,
      hold.departure_date,
      hold.quantity,
      hold.status,
      hold.expires_at,
      hold.external_ref,
    ]);
    return table(COLUMNS, rows, 'No holds');
  });
}

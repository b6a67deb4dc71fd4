import { listHolds } from '../../../services/api/holds/find-hold';
import type { HoldStatus } from '../../../services/api/holds/seat-hold';
import { findTenant } from '../../../services/api/tenants/find-tenant';
import { ANY_TENANT } from '../../../services/api/tenants/tenant-scope';
import type { Context } from '../../context';
import { DEFAULT_LIMIT } from '../../credential-flags';
import { type Column, shortTime, table } from '../../table';
import { toHoldDocument } from './hold-document';

interface HoldListOptions {
  tenant?: string;
  status?: HoldStatus;
  since?: Date;
  externalRef?: string;
  limit?: number;
}

const COLUMNS: Column[] = [
  'id',
  { heading: 'tenant', least: 8 },
  { heading: 'tour', least: 10 },
  'date',
  { heading: 'seats', right: true },
  {
    heading: 'status',
    tones: { active: 'waiting', converted: 'good', expired: 'quiet', released: 'quiet' },
  },
  'expires (utc)',
  { heading: 'reference', least: 8 },
];

export async function listHoldsCommand(
  { db, output }: Context,
  { tenant, limit = DEFAULT_LIMIT, ...filter }: HoldListOptions,
): Promise<void> {
  const { status, since, externalRef } = filter;
  const scope = tenant === undefined ? ANY_TENANT : (await findTenant(db, tenant)).id;
  const holds = await listHolds(db, scope, { status, since, externalRef, limit });
  const items = holds.map(toHoldDocument);
  output.answer({ items }, (screen) => {
    const rows = items.map((hold) => [
      hold.id,
      hold.tenant,
      hold.tour,
      hold.departure_date,
      hold.quantity,
      hold.status,
      shortTime(hold.expires_at),
      hold.external_ref,
    ]);
    return table(COLUMNS, rows, 'No holds', screen);
  });
}

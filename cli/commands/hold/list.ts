import { listHolds } from '../../../services/api/holds/find-hold';
import type { HoldStatus } from '../../../services/api/holds/seat-hold';
import { findTenant } from '../../../services/api/tenants/find-tenant';
import { ANY_TENANT } from '../../../services/api/tenants/tenant-scope';
import type { Context } from '../../context';
import { DEFAULT_LIMIT } from '../../credential-flags';
import { answerPage, oneMoreThan } from '../../list-page';
import { type Column, shortTime, table } from '../../table';
import { toHoldDocument } from './hold-document';

interface HoldListOptions {
  tenant?: string;
  status?: HoldStatus;
  since?: Date;
  externalRef?: string;
  limit?: number;
  after?: string;
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
  const { status, since, externalRef, after } = filter;
  const scope = tenant === undefined ? ANY_TENANT : (await findTenant(db, tenant)).id;
  const page = { status, since, externalRef, after, limit: oneMoreThan(limit) };
  const found = (await listHolds(db, scope, page)).map((hold) => toHoldDocument(hold));
  answerPage(output, found, { limit, after: ({ id }) => id }, (items, screen) => {
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

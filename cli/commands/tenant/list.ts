import { listTenants } from '../../../services/api/tenants/list-tenants';
import type { TenantStatus } from '../../../services/api/tenants/tenant';
import type { Context } from '../../context';
import { DEFAULT_LIMIT } from '../../credential-flags';
import { answerPage, oneMoreThan } from '../../list-page';
import type { Tone } from '../../screen';
import { table, type Column } from '../../table';
import { toTenantDocument } from './tenant-document';

const TONES: Record<TenantStatus, Tone> = {
  trial: 'waiting',
  active: 'good',
  suspended: 'bad',
  closed: 'quiet',
};

const COLUMNS: Column[] = [
  'slug',
  { heading: 'name', least: 10 },
  { heading: 'status', tones: TONES },
  'prefix',
  { heading: 'currency', aside: true },
  { heading: 'visibility', aside: true },
  { heading: 'origins', right: true, aside: true },
  { heading: 'created', aside: true },
];

export async function listTenantsCommand(
  { db, output }: Context,
  { limit = DEFAULT_LIMIT, ...filter }: { status?: TenantStatus; limit?: number; after?: string },
): Promise<void> {
  const found = await listTenants(db, { ...filter, limit: oneMoreThan(limit) });
  const documents = found.map(toTenantDocument);
  answerPage(output, documents, { limit, after: ({ slug }) => slug }, (items, screen) => {
    const rows = items.map((t) => {
      const sells = [t.booking_prefix, t.currency, t.visibility, t.origins.length];
      return [t.slug, t.name, t.status, ...sells, t.created_at.slice(0, 10)];
    });
    return table(COLUMNS, rows, 'No tenants', screen);
  });
}

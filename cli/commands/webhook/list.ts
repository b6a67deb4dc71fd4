import { findTenant } from '../../../services/api/tenants/find-tenant';
import { listEndpoints, toEndpointDocument } from '../../../services/webhook-queue/operations';
import type { Context } from '../../context';
import { DEFAULT_LIMIT } from '../../credential-flags';
import { table } from '../../table';

export async function listWebhooksCommand(
  { db, output }: Context,
  { limit = DEFAULT_LIMIT }: { limit?: number },
  slug?: string,
): Promise<void> {
  const tenantId = slug === undefined ? undefined : (await findTenant(db, slug)).id;
  const items = (await listEndpoints(db, { tenantId, limit })).map(toEndpointDocument);
  output.answer({ items }, () => {
    const rows = items.map((e) => [
      e.id,
      e.tenant,
      e.status,
      e.url,
      e.format,
      e.events.join(' '),
      e.status_reason,
    ]);
    return table(
      ['id', 'tenant', 'status', 'url', 'format', 'events', 'reason'],
      rows,
      'No webhook endpoints',
    );
  });
}

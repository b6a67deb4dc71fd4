import { findTenant } from '../../../services/api/tenants/find-tenant';
import { listEndpoints, toEndpointDocument } from '../../../services/webhook-queue/operations';
import type { Context } from '../../context';
import { DEFAULT_LIMIT } from '../../credential-flags';
import { answerPage, oneMoreThan } from '../../list-page';
import type { Tone } from '../../screen';
import { table, type Column } from '../../table';

const TONES: Record<string, Tone> = { active: 'good', paused: 'waiting', disabled: 'bad' };

const COLUMNS: Column[] = [
  'id',
  { heading: 'tenant', least: 6 },
  { heading: 'status', tones: TONES },
  { heading: 'url', least: 12 },
  { heading: 'format', aside: true },
  { heading: 'events', least: 12, aside: true },
  { heading: 'reason', least: 10, aside: true },
];

interface WebhookListOptions {
  status?: 'active' | 'paused' | 'disabled';
  limit?: number;
  after?: string;
}

export async function listWebhooksCommand(
  { db, output }: Context,
  { limit = DEFAULT_LIMIT, ...filter }: WebhookListOptions,
  slug?: string,
): Promise<void> {
  const tenantId = slug === undefined ? undefined : (await findTenant(db, slug)).id;
  const found = (await listEndpoints(db, { ...filter, tenantId, limit: oneMoreThan(limit) })).map(
    toEndpointDocument,
  );
  answerPage(output, found, { limit, after: ({ id }) => id }, (items, screen) => {
    const rows = items.map((e) => {
      const how = [e.url, e.format, e.events.join(' '), e.status_reason];
      return [e.id, e.tenant, e.status, ...how];
    });
    return table(COLUMNS, rows, 'No webhook endpoints', screen);
  });
}

import { findTenant } from '../../../services/api/tenants/find-tenant';
import { type Endpoint, toEndpointDocument } from '../../../services/webhook-queue/endpoints/endpoint';
import { listEndpoints } from '../../../services/webhook-queue/endpoints/endpoint.repository';
import { type EndpointDetail, showEndpoint } from '../../../services/webhook-queue/endpoints/show-endpoint';
import type { Context } from '../../engine/context';
import { DEFAULT_LIMIT } from '../../engine/credential-flags';
import { answerPage, oneMoreThan } from '../../engine/list-page';
import type { Tone } from '../../terminal/screen';
import { type Column, properties, table } from '../../terminal/table';

/** Converts an endpoint to the answer of show, with its secrets and newest deliveries. */
export function toWebhookDetail({
  secrets,
  trouble,
  waiting,
  recent,
  lastFailure,
  ...endpoint
}: EndpointDetail) {
  return {
    ...toEndpointDocument(endpoint),
    secrets: secrets.map(({ createdAt, expiresAt }) => ({
      created_at: createdAt.toISOString(),
      expires_at: expiresAt?.toISOString() ?? null,
    })),
    failures_in_a_row: trouble?.failures ?? 0,
    failing_since: trouble?.failingSince.toISOString() ?? null,
    breaker_open_until: trouble?.blockedUntil?.toISOString() ?? null,
    waiting,
    recent_deliveries: recent,
    last_failure: lastFailure && {
      delivery: lastFailure.id,
      status: lastFailure.status,
      status_code: lastFailure.last_status_code,
      error: lastFailure.last_error,
    },
  };
}

/** The answer of add and rotate-secret (CONTRACT section 6); `secret` is null where it went to a file. */
export function toSecretDocument(
  { id, tenant, url, format, events, status }: Omit<Endpoint, 'tenantId' | 'statusReason' | 'createdAt'>,
  secret: string | null,
) {
  return { id, tenant, url, secret, format, events, status };
}

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

export async function showWebhookCommand({ db, output }: Context, _: object, id: string): Promise<void> {
  const document = toWebhookDetail(await showEndpoint(db, id));
  output.answer(document, (screen) => {
    const { secrets, recent_deliveries: recent, last_failure: failure, ...facts } = document;
    const ends = secrets.flatMap((secret) => secret.expires_at ?? []);
    const { counted, ...counts } = recent;
    const seen = Object.entries(counts).filter(([, count]) => count > 0);
    const shown = {
      ...facts,
      secrets: `${secrets.length} sign${ends.length > 0 ? `; until ${ends.join(', ')}` : ''}`,
      recent:
        counted === 0 ? null : `of ${counted}: ${seen.map(([name, count]) => `${count} ${name}`).join(', ')}`,
      last_failure: failure && `${failure.delivery} (${failure.status}): ${failure.error}`,
    };
    return properties(shown, screen);
  });
}

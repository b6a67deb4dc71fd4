import type { Endpoint, EndpointDetail } from '../../../services/webhook-queue/operations';

/** An endpoint in lists and in the audit log: never its secret. */
export function toWebhookDocument(endpoint: Endpoint) {
  return {
    id: endpoint.id,
    tenant: endpoint.tenant,
    url: endpoint.url,
    format: endpoint.format,
    events: endpoint.events,
    status: endpoint.status,
    status_reason: endpoint.statusReason,
    created_at: endpoint.createdAt.toISOString(),
  };
}

/** The answer of show: also how many secrets sign and until when, and how the newest deliveries fared. */
export function toWebhookDetail({ secrets, waiting, recent, lastFailure, ...endpoint }: EndpointDetail) {
  return {
    ...toWebhookDocument(endpoint),
    secrets: secrets.map(({ createdAt, expiresAt }) => ({
      created_at: createdAt.toISOString(),
      expires_at: expiresAt?.toISOString() ?? null,
    })),
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

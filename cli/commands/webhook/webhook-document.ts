import {
  toEndpointDocument,
  type Endpoint,
  type EndpointDetail,
} from '../../../services/webhook-queue/operations';

/** The answer of show: also how many secrets sign and until when, and how the newest deliveries fared. */
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

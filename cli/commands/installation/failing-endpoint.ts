import type { FailingEndpoint } from '../../../services/webhook-queue/endpoints/endpoint.repository';
import { shortTime } from '../../terminal/table';

type FailingDocument = ReturnType<typeof toFailingDocument>;

/** Converts an endpoint that fails or is disabled. */
export function toFailingDocument(endpoint: FailingEndpoint) {
  return {
    id: endpoint.id,
    tenant: endpoint.tenant,
    url: endpoint.url,
    status: endpoint.status,
    status_reason: endpoint.statusReason,
    failures_in_a_row: endpoint.failures ?? 0,
    failing_since: endpoint.failingSince?.toISOString() ?? null,
  };
}

/** Returns `hooks.example of acme fails every attempt (5 in a row since 2027-06-01 08:00:00)`. */
export function describeFailing(endpoint: FailingDocument): string {
  const { tenant, url, status, status_reason: reason, failures_in_a_row: failures } = endpoint;
  const name = `${URL.canParse(url) ? new URL(url).host : url} of ${tenant}`;
  if (status === 'disabled') return `${name} is disabled${reason ? ` (${reason})` : ''}`;
  const since = endpoint.failing_since === null ? '' : `since ${shortTime(endpoint.failing_since)}`;
  if (failures === 1) return `${name} failed its last attempt${since && ` (${since})`}`;
  const counted = [failures > 1 && `${failures} in a row`, since].filter(Boolean).join(' ');
  return `${name} fails every attempt${counted && ` (${counted})`}`;
}

/** Returns the command to run next. */
export function adviseOnFailing({ id, status }: FailingDocument): string {
  return status === 'disabled' ? `tourctl webhook enable ${id}` : `tourctl webhook show ${id}`;
}

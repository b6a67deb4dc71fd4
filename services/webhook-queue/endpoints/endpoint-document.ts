import type { Endpoint } from './endpoint';

export type EndpointDocument = ReturnType<typeof toEndpointDocument>;

/** An endpoint in answers and in the audit log, in wire names: never its secret. */
export function toEndpointDocument(endpoint: Endpoint) {
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

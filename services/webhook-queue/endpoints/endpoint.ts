import type { EventType, OctoEventType } from '../deliveries/delivery';

/**
 * Body format. spec: the eight fields. standard: the eight fields in the Standard Webhooks envelope. thin: the envelope with ids only.
 */
export type Format = 'spec' | 'standard' | 'thin';

/**
 * An operator pauses an endpoint. An operator, a response 410, or days of failures (worker/breaker.ts) disable it. Deliveries wait while
 * the endpoint is paused or disabled.
 */
export type EndpointStatus = 'active' | 'paused' | 'disabled' | 'removed';

export interface Endpoint {
  id: string;
  tenantId: string;
  /** Slug of the tenant. */
  tenant: string;
  url: string;
  /** octo: a subscription, which its tenant manages by the API (subscriptions.ts). */
  format: Format | 'octo';
  events: (EventType | OctoEventType)[];
  /** The API key that made a subscription, or that gave it its present address. Null: an operator added the endpoint. */
  apiKeyId: string | null;
  status: EndpointStatus;
  statusReason: string | null;
  createdAt: Date;
}

export type EndpointDocument = ReturnType<typeof toEndpointDocument>;

/** Converts an endpoint to wire names for output and the audit log, without its secrets. */
export function toEndpointDocument(endpoint: Endpoint) {
  return {
    id: endpoint.id,
    tenant: endpoint.tenant,
    url: endpoint.url,
    format: endpoint.format,
    events: endpoint.events,
    api_key: endpoint.apiKeyId,
    status: endpoint.status,
    status_reason: endpoint.statusReason,
    created_at: endpoint.createdAt.toISOString(),
  };
}

import type { EventType } from '../deliveries/webhook-event';

/** What a body looks like: exactly the eight fields, these inside Standard Webhooks' frame, or that frame with ids alone. */
export type Format = 'spec' | 'standard' | 'thin';

/** Paused by a person; disabled by one, by the receiver's 410, or as hopeless. What comes in waits for both. */
export type EndpointStatus = 'active' | 'paused' | 'disabled' | 'removed';

export interface Endpoint {
  id: string;
  tenantId: string;
  /** Its slug. */
  tenant: string;
  url: string;
  format: Format;
  events: EventType[];
  status: EndpointStatus;
  statusReason: string | null;
  createdAt: Date;
}

import type { EventType } from './webhook-event';

/** Paused by a person, disabled by the receiver's answer; what comes in waits for both. */
export type EndpointStatus = 'active' | 'paused' | 'disabled' | 'removed';

export interface Endpoint {
  id: string;
  tenantId: string;
  /** Its slug. */
  tenant: string;
  url: string;
  format: 'spec';
  events: EventType[];
  status: EndpointStatus;
  statusReason: string | null;
  createdAt: Date;
}

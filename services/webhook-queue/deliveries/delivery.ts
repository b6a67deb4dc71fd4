import type { SealedSecret } from '../signing/seal-secret';

/** Statuses of a delivery. `delivering` is never stored: a delivery has this status while a worker holds a lease on it. */
export const DELIVERY_STATUSES = [
  'pending',
  'delivering',
  'delivered',
  'retrying',
  'dead',
  'cancelled',
] as const;
export type DeliveryStatus = (typeof DELIVERY_STATUSES)[number];

/** The outcome of one attempt. The last four outcomes do not tell whether the request arrived. */
export type AttemptOutcome =
  | 'delivered'
  | 'http_error'
  | 'redirect'
  | 'gone'
  | 'timeout'
  | 'dns'
  | 'connection'
  | 'tls'
  | 'blocked'
  | 'unsealable'
  | 'interrupted'
  | 'hung_up'
  | 'cancelled'
  | 'worker_lost';

/** A delivery under a lease: only the worker that holds the lease may send it now. */
export interface ClaimedDelivery {
  id: string;
  endpointId: string;
  eventId: string;
  url: string;
  /** True: the endpoint is a subscription of OCTO. */
  isSubscription: boolean;
  body: string;
  /** The signing secrets of the endpoint. All deliveries to the endpoint in one claim share this list. */
  secrets: SealedSecret[];
  /** The subscriber's own headers, sealed as JSON: a list with this one entry, or an empty list. Shared like the secrets. */
  ownHeaders: SealedSecret[];
  /** Number of this attempt. A result is recorded only if the queue row still has this number. */
  fence: number;
  /** Number of earlier attempts that used an entry of the retry schedule. */
  tries: number;
  createdAt: Date;
  /** The trace of the request that caused the event. Null: unknown. */
  traceparent: string | null;
  /** Time of the claim by the database's clock. */
  claimedAt: Date;
}

/** Phases of an attempt in order: name look-up, TCP, TLS, waiting for the response head, reading the body. */
export const PHASES = ['dns', 'connect', 'tls', 'first_byte', 'body'] as const;
export type Phase = (typeof PHASES)[number];

export interface AttemptReport {
  outcome: AttemptOutcome;
  /** Null without a response. */
  statusCode: number | null;
  /** A sentence for the operator; null when delivered. */
  reason: string | null;
  responseBody: string | null;
  durationMs: number;
  /** Seconds of the Retry-After header of a 429 or 503; null without one. */
  retryAfterSeconds: number | null;
  /**
   * Whole milliseconds of each phase that was reached. An attempt on a kept connection has no dns, connect and tls. Null if no phase was
   * reached.
   */
  phases: Partial<Record<Phase, number>> | null;
  /** The remote address with its port. */
  peer: string | null;
  /** The webhook-signature header that was sent; null if the request was not sent. */
  signature: string | null;
  /** At most 50 headers and 4 KiB, without cookies and control characters. Null if there was no response. */
  responseHeaders: Record<string, string> | null;
}

export interface NextStep {
  status: 'delivered' | 'retrying' | 'dead';
  waitSeconds: number;
  /** Number of attempts, up to and including this one, that used an entry of the retry schedule. */
  tries: number;
}

export interface AttemptResult {
  delivery: ClaimedDelivery;
  report: AttemptReport;
  next: NextStep;
}

/** Event types that an endpoint may subscribe to with `--event`; docs/guide/webhooks.md explains them. */
export const EVENT_TYPES = [
  'booking.created',
  'booking.confirmed',
  'booking.updated',
  'booking.cancelled',
  'booking.expired',
  'booking.payment_due',
  'booking.answers_missing',
  'hold.expired',
  'departure.cancelled',
  'departure.updated',
  'endpoint.disabled',
] as const;
export type EventType = (typeof EVENT_TYPES)[number];

/**
 * Event types of OCTO's notifications. Only an endpoint with the format `octo`, a subscription, may subscribe to them.
 * `octo.booking_update` is about a hold that was released, moved or booked. The notification of a new booking needs it, because the
 * function that finds the UUID by the booking does not see a booking that the same statement inserts.
 */
export const OCTO_EVENT_TYPES = [
  'octo.product_update',
  'octo.availability_update',
  'octo.booking_update',
] as const;
export type OctoEventType = (typeof OCTO_EVENT_TYPES)[number];

export interface WebhookEvent {
  tenantId: string;
  /** A ping goes to the tested endpoint, whatever its subscribed types. */
  type: EventType | OctoEventType | 'ping';
  bookingRef: string | null;
  /** The exact JSON body: keys in order, null for missing values. */
  body: Record<string, unknown>;
}

export function isEventType(text: string): text is EventType {
  return (EVENT_TYPES as readonly string[]).includes(text);
}

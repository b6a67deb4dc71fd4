import type { SealedSecret } from '../signing/seal-secret';

/** `delivering` is never stored: it is a delivery that some worker holds a live lease on. */
export const DELIVERY_STATUSES = [
  'pending',
  'delivering',
  'delivered',
  'retrying',
  'dead',
  'cancelled',
] as const;
export type DeliveryStatus = (typeof DELIVERY_STATUSES)[number];

/** What became of one request. The last four were cut off, and may have arrived. */
export type Outcome =
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

/** A delivery under a lease: the worker that holds it is the only one who may send it now. */
export interface ClaimedDelivery {
  id: string;
  endpointId: string;
  eventId: string;
  url: string;
  body: string;
  /** One list for all deliveries to the endpoint that were claimed together. */
  secrets: SealedSecret[];
  /** Number of this attempt, and proof that the lease is still ours when the result is written. */
  fence: number;
  /** Tries spent before this one. */
  tries: number;
  createdAt: Date;
  /** By the database's clock, as everything here that is compared. */
  claimedAt: Date;
}

/** Where the time of a try went, in this order: look-up, TCP, TLS, waiting for the head of the answer, reading its body. */
export const PHASES = ['dns', 'connect', 'tls', 'first_byte', 'body'] as const;
export type Phase = (typeof PHASES)[number];

export interface AttemptReport {
  outcome: Outcome;
  /** Null where no answer came. */
  statusCode: number | null;
  /** A plain sentence for the operator; null where it was delivered. */
  reason: string | null;
  responseBody: string | null;
  durationMs: number;
  /** What the receiver asked for, in seconds; null where it asked for nothing. */
  retryAfterSeconds: number | null;
  /** Whole milliseconds, as far as it came; a connection that was kept has spared the first three. Null where nothing began. */
  phases: Partial<Record<Phase, number>> | null;
  /** The address connected to, with its port. */
  peer: string | null;
  /** The webhook-signature header that was sent; null where nothing was. */
  signature: string | null;
  /** A part of them: no cookies, 50 names and 4 KiB at most, no control characters. Null where no answer came. */
  responseHeaders: Record<string, string> | null;
}

export interface NextStep {
  status: 'delivered' | 'retrying' | 'dead';
  waitSeconds: number;
  /** Tries spent, this one included if it counts. */
  tries: number;
}

export interface Settlement {
  delivery: ClaimedDelivery;
  report: AttemptReport;
  next: NextStep;
}

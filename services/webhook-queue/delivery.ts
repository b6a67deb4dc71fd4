import type { SealedSecret } from './seal-secret';

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

/** What became of one request. The last three were cut off, and may have arrived. */
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
  | 'cancelled'
  | 'worker_lost';

/** A delivery under a lease: the worker that holds it is the only one who may send it now. */
export interface ClaimedDelivery {
  id: string;
  endpointId: string;
  eventId: string;
  url: string;
  body: string;
  secrets: SealedSecret[];
  /** Number of this attempt, and proof that the lease is still ours when the result is written. */
  fence: number;
  /** Tries spent before this one. */
  tries: number;
  /** By the database's clock, as everything here that is compared. */
  claimedAt: Date;
}

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

import type { ClaimedDelivery } from '../deliveries/delivery';

/** What this worker knows of an endpoint, where it is not what every endpoint begins with. */
export interface KnownEndpoint {
  id: string;
  /** Requests that it has in flight from this worker, or claimed for it. */
  inFlight: number;
  lanes: number;
  /** One of those that together hold at most half of the slots. */
  slow: boolean;
  /** Nothing that this worker could claim was due before; see due-floors.ts. Null where all has to be looked through. */
  floor: Date | null;
}

export interface ClaimLimits {
  worker: string;
  /** Rows at most. */
  rows: number;
  /** Deliveries at most that this worker holds; a tenant's share is of these. */
  capacity: number;
  /** Requests at most in flight; the shares of slow and of unproven endpoints are of these. */
  slots: number;
  /** Requests in flight at most to an endpoint that is not among `known`. */
  lanes: number;
  known: KnownEndpoint[];
  /** Endpoints that took their last delivery from this worker quickly. */
  proven: string[];
  /** Of an endpoint that is not among `known`. */
  floor: Date | null;
  /** Endpoints are gone through in the order of their ids, from behind this one. */
  after: string;
  leaseSeconds: number;
}

/** A claimed delivery with what its next step depends on. */
export interface Claim extends ClaimedDelivery {
  /** Tries before that were nobody's fault. */
  spared: number;
  /** Since when it was due. */
  dueAt: Date;
}

export interface ClaimAnswer {
  claims: Claim[];
  /** Of these, how many a worker that never came back had before. */
  lost: number;
  /** Where the next claim goes on; null once all endpoints were gone through. */
  next: string | null;
}

import type { ClaimedDelivery } from '../deliveries/delivery';

/** State of an endpoint in this worker, where it differs from the initial state. */
export interface KnownEndpoint {
  id: string;
  /** Deliveries that this worker has in flight or claimed. */
  inFlight: number;
  lanes: number;
  /** Slow endpoints together use at most half of the slots. */
  slow: boolean;
  /** Due lower bound (due-lower-bounds.ts). Null: the claim scans all entries. */
  floor: Date | null;
}

export interface ClaimLimits {
  worker: string;
  /** Maximum number of deliveries in this claim. */
  rows: number;
  /** Maximum number of deliveries that this worker holds; a tenant's share is a part of it. */
  capacity: number;
  /** Maximum number of requests in flight; the shares of slow and unproven endpoints are parts of it. */
  slots: number;
  /** Concurrency limit of an endpoint that `known` does not contain. */
  lanes: number;
  known: KnownEndpoint[];
  /** Ids of endpoints that accepted their last delivery from this worker quickly. */
  proven: string[];
  /** Due lower bound of endpoints that `known` does not contain. */
  floor: Date | null;
  /** The claim continues after this endpoint id. */
  after: string;
  leaseSeconds: number;
}

/** A claimed delivery with the values that its next step depends on. */
export interface Claim extends ClaimedDelivery {
  /** Previous attempts that were not counted. */
  spared: number;
  /** Time since which the delivery is due. */
  dueAt: Date;
}

export interface ClaimAnswer {
  claims: Claim[];
  /** Number of these claims that a lost worker held before. */
  lost: number;
  /** Endpoint id after which the next claim continues; null after the last endpoint. */
  next: string | null;
}

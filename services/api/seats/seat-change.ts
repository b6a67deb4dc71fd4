import type { ApiKeyPrincipal } from '../credentials/credential';
import type { KeyClaim } from '../idempotency/key-claim';
import type { Tenant } from '../tenants/tenant';
import type { Decided } from './decided';
import type { CountedKind, SaleFacts } from './read/facts';

/** The tenant that sells, and the credential and Idempotency-Key of its request. */
export interface Seller<Result> {
  tenant: Tenant;
  /** The API key of the request, which is checked again under the locks. Null: the terminal. */
  principal: ApiKeyPrincipal | null;
  /** Null: a request without an Idempotency-Key. A seller with a claim also has a principal, but for the desk. */
  claim: KeyClaim<Result> | null;
  /** The trace of the request. Null: the request has none, or there is no request. */
  traceparent: string | null;
}

/** Returns the seller of a sale that is made without an API key. @param claim the key of a request of the desk */
export function sellerWithoutKey<Result = never>(
  tenant: Tenant,
  claim: KeyClaim<Result> | null = null,
): Seller<Result> {
  return { tenant, principal: null, claim, traceparent: null };
}

/**
 * A change of seats: its locks, the facts that it reads, and its decision. The engine performs all changes in the same way, and does not know
 * which one it has. changes/ has a file for each.
 */
export interface SeatChange<Result = unknown> extends Seller<Result> {
  locks: WantedLocks;
  reads: WantedFacts;
  /** True: has a transaction of its own. False: is written together with others that wait (ADR 53). */
  isAlone: boolean;
  /** The tour whose dates no refusal may name if the tenant does not see it. Undefined: the decision checks that the tenant sees the tour. */
  hiddenTourId?: string;
  /**
   * Decides by the facts that were read under the locks. Adds what it grants to the facts.
   * @throws AppError: the refusal, which leaves the facts as they are
   */
  decide(facts: SaleFacts): Decided<Result>;
}

/** The locks of a change, beside those of its Idempotency-Key, its API key and its tenant. */
export interface WantedLocks {
  /** For a move: the present departure first, then the new one. Empty: the change has no date, or the request names no existing departure. */
  departureIds: string[];
  /** True: the change takes no seats, so it locks none of the resources that its departures use. */
  freesOnly?: true;
  /** The booking, which is read too. Undefined: none. */
  leadId?: number;
  /** The UUID that a client chose for a new booking of OCTO. Undefined: none. */
  octoUuid?: string;
}

/** Returns the change as one that takes no seats. */
export function freeingOnly<Result>(change: SeatChange<Result>): SeatChange<Result> {
  return { ...change, locks: { ...change.locks, freesOnly: true } };
}

/** The facts that a change reads, beside those of its departures. An undefined one is not read. */
export interface WantedFacts {
  /** The tour whose prices the change may quote: its price rules and, if the change locks no departure, the tour itself. */
  tourId?: string;
  /** The stored hold. The lock of its departure keeps it as it is. */
  holdId?: string;
  /** The live hold that a new booking consumes, by its id or by the reference of the tenant. */
  consumed?: { id: string } | { externalRef: string };
  /** The reference of a booking without a date, which may be meant for a hold of the tour. */
  reference?: { externalRef: string; departureTime: string | null };
  /** The number of rows of the tenant, which a limit bounds. */
  counted?: CountedKind;
  /** True: the change may make a booking, which needs a number. */
  bookingNumber?: boolean;
}

/**
 * Lets a change of a hold or booking lock the departure to which it moves too, and keeps the dates of its tour from a tenant that does not see it.
 * @param to the departure after the change, and its tour
 */
export function movingTo<Result>(
  change: SeatChange<Result>,
  { departureId, tour }: { departureId: string | null; tour: { id: string } },
): SeatChange<Result> {
  const [present = null] = change.locks.departureIds;
  return {
    ...change,
    locks: { ...change.locks, departureIds: departuresOfMove(present, departureId) },
    reads: { ...change.reads, tourId: tour.id },
    hiddenTourId: tour.id,
  };
}

/** Returns the different departures of a change, the present one first. */
export function departuresOfMove(present: string | null, next: string | null): string[] {
  return [...new Set([present, next])].filter((id) => id !== null);
}

import type { Operation } from '../idempotency/operation';

/** One refused request for seats. */
export interface Refusal {
  id: number;
  at: Date;
  /** Slug. */
  tenant: string;
  operation: Operation;
  /** The code of the problem document, such as insufficient_seats. */
  code: string;
  requestId: string;
  /** Slug. Null: the refusal was for another reason than the departure, or the tour was deleted. */
  tour: string | null;
  departureDate: string | null;
  /** HH:MM: the time of the departure, or the requested time. Null: none. */
  departureTime: string | null;
  /** Requested seats. */
  quantity: number | null;
  /** Free seats. Null: the refusal was for another reason than too few free seats. */
  seatsAvailable: number | null;
  /** The code of the resource that left too few seats. Null: the refusal was for another reason. */
  resource: string | null;
  externalRef: string | null;
  holdId: string | null;
  bookingRef: string | null;
}

export interface RefusalFilter {
  tenantId?: string;
  /** True: refusals of sandbox tenants. False: of real tenants. Undefined: of all tenants. */
  sandbox?: boolean;
  since?: Date;
  code?: string;
  externalRef?: string;
  holdId?: string;
  bookingRef?: string;
  /** Id of the last refusal of the previous page. */
  after?: number;
  limit: number;
}

/** The days for which the counts of refusals are kept. The refusals with their details are kept for REFUSALS_KEPT_DAYS. */
export const COUNTS_KEPT_DAYS = 400;
export const REFUSALS_KEPT_DAYS = 30;

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
  /** Slug; null when the request was refused before the departure was read, or the tour was deleted. */
  tour: string | null;
  departureDate: string | null;
  /** HH:MM, of the departure, or as requested; null: none. */
  departureTime: string | null;
  /** Requested seats. */
  quantity: number | null;
  /** Free seats; null unless there were too few. */
  seatsAvailable: number | null;
  externalRef: string | null;
  holdId: string | null;
  bookingRef: string | null;
}

export interface RefusalFilter {
  tenantId?: string;
  /** True: of sandbox tenants; undefined: of all. */
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

/** Retention of the counts and of the single refusals. */
export const COUNTS_KEPT_DAYS = 400;
export const REFUSALS_KEPT_DAYS = 30;

import type { Operation } from '../idempotency/operation';

/** One request for seats that was refused. */
export interface Refusal {
  id: number;
  at: Date;
  /** Slug. */
  tenant: string;
  operation: Operation;
  /** Of the problem document: insufficient_seats. */
  code: string;
  requestId: string;
  /** Slug; null where the refusal came before the departure was looked at, or the tour is gone. */
  tour: string | null;
  departureDate: string | null;
  /** Seats asked for. */
  quantity: number | null;
  /** Seats that were free, where too few were. */
  seatsAvailable: number | null;
  externalRef: string | null;
  holdId: string | null;
  bookingRef: string | null;
}

export interface RefusalFilter {
  tenantId?: string;
  since?: Date;
  code?: string;
  externalRef?: string;
  holdId?: string;
  bookingRef?: string;
  /** Id of the refusal behind which it goes on. */
  after?: number;
  limit: number;
}

/** How many were refused on a day (UTC) for one reason. */
export interface DayOfRefusals {
  day: string;
  code: string;
  count: number;
}

/** How long counts are kept, and single refusals. */
export const COUNTS_KEPT_DAYS = 400;
export const REFUSALS_KEPT_DAYS = 30;

/** Operations that take seats for somebody new. */
export const SALES: readonly Operation[] = ['hold.place', 'booking.create'];

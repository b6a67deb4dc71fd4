import type { WantedAdjustment } from './adjustment';
import type { BookingSource } from './booking-lead';

/**
 * The terms on which the operator sells at its desk. The sale is that of REST but for these terms: the closing of the departure and the limits of
 * the tenant's websites do not apply, and these limits do not count it (ADR 73).
 * @rule on which terms the desk sells: test/cli/desk-sale.test.ts
 */
export interface DeskTerms {
  /** RFC 3339: the end of the payment window. Null: none. Undefined: that of the tenant, or none for cash. */
  payBy?: string | null;
  /** Null: none. */
  adjustment: WantedAdjustment | null;
}

/** Returns whether bookings of this source count against the limits of a tenant's websites, as source_is_limited does (0164_desk_and_imports.sql). */
export function isLimited(source: BookingSource): boolean {
  return source === 'tenant_api' || source === 'octo';
}

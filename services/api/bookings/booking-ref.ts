const BOOKING_REF = /^[A-Z0-9]{2,10}-\d{1,15}$/;

/** The form of a booking's reference: a tenant's prefix, a dash, and the lead's id, as in ACME-1042. */
export function isBookingRef(text: string): boolean {
  return BOOKING_REF.test(text);
}

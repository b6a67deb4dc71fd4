/**
 * Returns the address to which a visitor goes after booking: the site's `next`, with the reference of the booking in its query. Undefined:
 * there is no `next`, or it is no address that a site links to: a script, a page without TLS from a page with it, or one with a password.
 * @param base the address of the page
 * @rule where a visitor goes with a booking: test/docs/guide-sell.long.test.ts
 */
export function nextAddress(next: string | null, base: string, bookingRef: string): string | undefined {
  if (next === null || !URL.canParse(next, base)) return undefined;
  const address = new URL(next, base);
  const { protocol, username, password } = address;
  const isSafe = protocol === 'https:' || (protocol === 'http:' && new URL(base).protocol === 'http:');
  if (!isSafe || username || password) return undefined;
  address.searchParams.set('booking_ref', bookingRef);
  return address.href;
}

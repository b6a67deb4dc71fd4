import { createHmac, timingSafeEqual } from 'node:crypto';

/** Only who holds the session's token can make it; it tells nothing about the token. */
export function sessionMac(sessionToken: string, purpose: 'csrf' | 'notice', text = ''): string {
  return createHmac('sha256', sessionToken).update(`${purpose}\n${text}`).digest('base64url');
}

/** In constant time. */
export function sameMac(given: string, expected: string): boolean {
  const [a, b] = [Buffer.from(given), Buffer.from(expected)];
  return a.length === b.length && timingSafeEqual(a, b);
}

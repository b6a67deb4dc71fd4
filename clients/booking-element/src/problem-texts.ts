import type { Problem } from './wire.ts';
import type { Words } from './words/en.ts';

/** The key of a text about a problem. `tooFew` is how many seats are left. */
type Text = Exclude<keyof Words['problem'], 'again' | 'alternatives'> | 'soldOut' | 'cancelled' | 'tooFew';

/** The text of each problem that a visitor can meet. All others are errors of the site: `failed`. */
const TEXTS: Record<string, Text> = {
  network: 'network',
  no_cookies: 'noCookies',
  rate_limited: 'busy',
  departure_busy: 'busy',
  idempotency_in_progress: 'busy',
  overloaded: 'busy',
  shutting_down: 'busy',
  tour_not_found: 'noTour',
  departure_gone: 'gone',
  departure_cancelled: 'cancelled',
  insufficient_seats: 'tooFew',
  hold_limit_reached: 'limit',
  hold_expired: 'holdOver',
  hold_not_found: 'holdOver',
  hold_state_conflict: 'holdOver',
  price_changed: 'price',
  validation_failed: 'invalid',
  body_too_large: 'invalid',
};

/** From this wait on the text says how long it is, in seconds. */
const LONG_WAIT = 90;

/** Returns the key of the text for a problem. */
export function textOf({ code, retryAfter = 0, seats_available }: Problem): Text {
  const text = TEXTS[code] ?? 'failed';
  if (text === 'busy' && retryAfter >= LONG_WAIT) return 'wait';
  if (text === 'tooFew' && seats_available === 0) return 'soldOut';
  return text;
}

/** The problems after which the same call may succeed: the visitor can try again with one click. */
export const AGAIN: readonly Text[] = ['network', 'busy', 'failed'];

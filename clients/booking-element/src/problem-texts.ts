import type { Problem } from './wire.ts';
import type { Words } from './words/en.ts';

/** The key of a text about a problem. `tooFew` is how many seats are left. */
type Text = Exclude<keyof Words['problem'], 'again' | 'alternatives'> | 'soldOut' | 'tooFew';

/** The text of each problem that a visitor can meet. All others are a short wait, `busy`, or errors of the site, `failed`. */
const TEXTS: Record<string, Text> = {
  internal_error: 'failed',
  network: 'network',
  stopped: 'stopped',
  no_cookies: 'noCookies',
  tour_changed: 'tourChanged',
  tour_not_found: 'noTour',
  departure_gone: 'gone',
  departure_cancelled: 'cancelled',
  insufficient_seats: 'tooFew',
  hold_limit_reached: 'limit',
  hold_expired: 'timeOver',
  hold_not_found: 'holdOver',
  hold_state_conflict: 'holdOver',
  price_changed: 'price',
  validation_failed: 'invalid',
  body_too_large: 'invalid',
};

/** From this wait on the text says how long it is, in seconds. */
const LONG_WAIT = 90;

/**
 * Returns the key of the text for a problem.
 * @rule which words the element has for a problem: test/unit/problem-texts.test.ts
 */
export function textOf({ code, retryable, retryAfter = 0, seats_available }: Problem): Text {
  const text = TEXTS[code] ?? (retryable ? 'busy' : 'failed');
  if (text === 'busy' && retryAfter >= LONG_WAIT) return 'wait';
  if (text === 'tooFew' && seats_available === 0) return 'soldOut';
  return text;
}

/** The problems after which the same call may succeed: the visitor can try again with one click. */
export const AGAIN: readonly Text[] = ['network', 'stopped', 'busy', 'failed'];

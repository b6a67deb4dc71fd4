import { invalidField, Refusal } from './problems.ts';

/** A slug or a UUID. Has no character that means something in a path. */
const SLUG = /^[A-Za-z0-9-]{1,64}$/;

/** Returns a slug or UUID that may stand in a path of the platform. @throws Refusal tour_not_found (404) */
export function slugOf(text: string): string {
  if (!SLUG.test(text)) throw new Refusal('tour_not_found', 'There is no such tour.');
  return text.toLowerCase();
}

/** Reads `tour_id` of a body. @throws Refusal 400 or 404 */
export function tourIdOf(value: unknown): string {
  if (typeof value !== 'string') throw invalidField('body', 'tour_id', 'must be a text');
  return slugOf(value);
}

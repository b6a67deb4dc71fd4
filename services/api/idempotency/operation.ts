/**
 * Every kind of write, by the name in its keys, refusals and metrics; true if the request contains a person's data, because
 * the fingerprint of its body would confirm a guess.
 */
const CARRIES_PERSON = {
  'hold.place': true,
  'hold.extend': false,
  'hold.change': true,
  'booking.create': true,
  'booking.confirm': false,
  'booking.change': true,
  // The request has a reason, a free text.
  'booking.cancel': true,
  'octo.reserve': true,
  // The requests of these name no person, but the answers have the contacts.
  'octo.extend': true,
  'octo.confirm': true,
  'octo.change': true,
  'octo.cancel': true,
};

/** The operation of a key. A key is unique within one operation of one tenant. */
export type Operation = keyof typeof CARRIES_PERSON;

/** Returns true for an unknown name too, so that the keys of older releases are erased. */
export function carriesPerson(operation: string): boolean {
  return (CARRIES_PERSON as Record<string, boolean | undefined>)[operation] !== false;
}

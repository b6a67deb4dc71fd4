/**
 * Every kind of write, by the name that its keys, its refusals and its metrics have; true where the request has a person in
 * it: the fingerprint of its body tells who was guessed right.
 */
const CARRIES_PERSON = {
  'hold.place': true,
  'hold.extend': false,
  'booking.create': true,
  'booking.confirm': false,
  'booking.cancel': false,
};

/** A key is good for one operation of one tenant. */
export type Operation = keyof typeof CARRIES_PERSON;

/** A name that is not known any more counts as one with a person in it: what an older release kept is erased, too. */
export function carriesPerson(operation: string): boolean {
  return (CARRIES_PERSON as Record<string, boolean | undefined>)[operation] !== false;
}

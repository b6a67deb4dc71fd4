/**
 * Every kind of write, by its name in Idempotency-Keys, refusals and metrics. True: the request or its answer may contain a person's data.
 * An erasure then also erases the fingerprint of the request, because a fingerprint could confirm a guess of the request's content.
 */
const CARRIES_PERSON = {
  'hold.place': true,
  'hold.extend': false,
  'hold.change': true,
  'booking.create': true,
  // The answer has the answers to the questions of the tour.
  'booking.confirm': true,
  'booking.change': true,
  // The request contains the reason of the cancellation, which is free text.
  'booking.cancel': true,
  'desk.book': true,
  'desk.hold': true,
  'octo.reserve': true,
  // The answers of the OCTO operations contain the contacts, even if the request names no person.
  'octo.extend': true,
  'octo.confirm': true,
  'octo.change': true,
  'octo.cancel': true,
};

/** The operation of a key. A key is unique within one operation of one tenant. */
export type Operation = keyof typeof CARRIES_PERSON;

/**
 * Returns whether a request of the operation, or its answer, may contain a person's data. True for an unknown name, so that the answers of
 * older releases are erased too.
 */
export function carriesPerson(operation: string): boolean {
  return (CARRIES_PERSON as Record<string, boolean | undefined>)[operation] !== false;
}

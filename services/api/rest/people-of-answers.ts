import { isDeepStrictEqual } from 'node:util';
import type { BookingAnswer, BookingDetail, TravellerAnswer } from './booking.dto';
import { customerAnswer, type PartialCustomer } from '../customers/customer';
import type { AnswerValue } from '../questions/answers';
import type { GivenAnswers } from '../questions/given-answers';

/*
 * The personal data in the answers of writes. A key with booking:read gets all of them. Another key gets what the request itself has stored, and
 * null for the rest, because another key may have sent it (ADR 62). OCTO has the same rule in octo/people-of-answers.ts.
 */

/** The personal data that a request has stored. An undefined field: none. */
export interface SentPeople {
  customer?: Partial<PartialCustomer>;
  notes?: string | null;
  travellers?: TravellerAnswer[] | null;
  answers?: GivenAnswers;
  /** The reason of a cancellation. */
  reason?: string | null;
}

/**
 * Returns the answer without the personal data that the request has not stored: null in their place.
 * @rule which people the answer of a write shows: test/api/people-of-writes.long.test.ts
 */
export function bookingWithoutPeople<A extends BookingAnswer | BookingDetail>(
  answer: A,
  sent: SentPeople = {},
): A {
  const masked = {
    ...answer,
    // REST sends no reason of an adjustment.
    adjustment: answer.adjustment && { ...answer.adjustment, reason: null },
    cancel_reason: ifSent(answer.cancel_reason, sent.reason),
    answers: answersIfSent(answer.answers, sent.answers),
    pickup: pickupIfSent(answer.pickup, sent.answers),
  };
  if (!('customer' in answer)) return masked;
  const { customer, notes, travellers } = answer;
  const sentCustomer = customerAnswer({ name: null, phone: null, email: null, ...sent.customer });
  const { name, phone, phone_as_sent, email } = customer;
  return {
    ...masked,
    customer: {
      name: ifSent(name, sentCustomer.name),
      phone: ifSent(phone, sentCustomer.phone),
      phone_as_sent: phone_as_sent && ifSent(phone_as_sent, sentCustomer.phone_as_sent),
      email: ifSent(email, sentCustomer.email),
    },
    notes: ifSent(notes, sent.notes),
    travellers: ifSent(travellers, sent.travellers),
  };
}

/** Returns the pickup, without a place that the request has not sent. */
function pickupIfSent(pickup: BookingAnswer['pickup'], given: GivenAnswers = {}): BookingAnswer['pickup'] {
  const sent = given.pickup && 'place' in given.pickup ? given.pickup.place : null;
  return pickup === null || pickup.point !== null || pickup.name === sent ? pickup : null;
}

/** Returns every question, with the values that the request has sent. */
function answersIfSent(
  answers: BookingAnswer['answers'],
  given: GivenAnswers = {},
): BookingAnswer['answers'] {
  const sent = [given.ofBooking, ...(given.ofTravellers ?? []).map(({ values }) => values)];
  const isSent = (code: string, value: AnswerValue | null) => sent.some((values) => values?.[code] === value);
  return answers.map((one) => {
    const { code, label, traveller, value } = one;
    return value === null || isSent(code, value) ? one : { code, label, value: null, traveller };
  });
}

function ifSent<V>(value: V, sent: unknown): V | null {
  return isDeepStrictEqual(value, sent) ? value : null;
}

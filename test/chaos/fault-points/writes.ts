import { randomUUID } from 'node:crypto';
import { CUSTOMER } from '../../support/website';
import type { Definite, Question } from '../mixed/ask';
import type { Stock } from '../mixed/clients';

type Ask = (question: Question) => Promise<Definite>;

/** One write, or several concurrent writes, each with its own reference. */
export interface WriteKind {
  name: string;
  /**
   * Creates the holds and bookings that the writes need.
   * @returns the requests of the writes. Each request has the Idempotency-Key `key-<reference>`.
   */
  prepare(ask: Ask, stock: Stock, reference: string): Promise<Question[]>;
  /** The end state of each reference (describeSale). */
  expected: string[];
}

const PARTY = { adults: 2, children: 1 };

export function holdOf({ tour, date }: Stock, reference: string): Question {
  const body = { departure_date: date, quantity: 3, ...PARTY, hold_minutes: 30, external_ref: reference };
  const path = `/api/gateway/tours/${tour.slug}/hold`;
  return { method: 'POST', path, body, key: `key-${reference}` };
}

function bookingOf({ tour, date }: Stock, reference: string, holdId?: string): Question {
  const body = { ...CUSTOMER, ...PARTY, tour_id: tour.id, departure_date: date, external_ref: reference };
  const named = holdId === undefined ? body : { ...body, hold_id: holdId };
  return { method: 'POST', path: '/api/tenant/bookings', body: named, key: `key-${reference}` };
}

async function givenHold(ask: Ask, stock: Stock, reference: string): Promise<string> {
  const { body } = await ask({ ...holdOf(stock, reference), key: `hold-${reference}` });
  return body.hold_id as string;
}

async function bookByHold(ask: Ask, stock: Stock, reference: string): Promise<Question> {
  return bookingOf(stock, reference, await givenHold(ask, stock, reference));
}

/** Creates a write on one booking. */
function onBooking(
  name: string,
  method: Question['method'],
  path: string,
  body: object | undefined,
  end: string,
): WriteKind {
  return {
    name,
    expected: [end],
    async prepare(ask, stock, reference) {
      const booked = await ask({ ...bookingOf(stock, reference), key: `booking-${reference}` });
      const at = `/api/tenant/bookings/${booked.body.booking_ref as string}${path}`;
      return [{ method, path: at, body, key: `key-${reference}` }];
    },
  };
}

const HELD = 'hold active 3 0 0, no booking, no event';
const BOOKED = 'no hold, booking pending_payment 3 0, booking.created';
const CONVERTED = 'hold converted 3 0 0, booking pending_payment 3 0, booking.created';

export const BOOK_BY_HOLD: WriteKind = {
  name: 'a booking that consumes a hold',
  expected: [CONVERTED],
  prepare: async (ask, stock, reference) => [await bookByHold(ask, stock, reference)],
};

export const TOGETHER: WriteKind = {
  name: 'a hold, a booking and a booking of a hold together',
  expected: [HELD, BOOKED, CONVERTED],
  prepare: async (ask, stock, reference) => [
    holdOf(stock, reference),
    bookingOf(stock, `${reference}-1`),
    await bookByHold(ask, stock, `${reference}-2`),
  ],
};

/** The kinds of writes that are one request in its own transaction. */
export const OTHER_WRITES: WriteKind[] = [
  {
    name: 'a hold',
    expected: [HELD],
    prepare: async (_ask, stock, reference) => [holdOf(stock, reference)],
  },
  {
    name: 'an extension',
    expected: ['hold active 3 1 0, no booking, no event'],
    async prepare(ask, stock, reference) {
      const path = `/api/gateway/holds/${await givenHold(ask, stock, reference)}/extend`;
      return [{ method: 'POST', path, body: { hold_minutes: 60 }, key: `key-${reference}` }];
    },
  },
  {
    name: 'a change of a hold',
    expected: ['hold active 4 0 1, no booking, no event'],
    async prepare(ask, stock, reference) {
      const path = `/api/gateway/holds/${await givenHold(ask, stock, reference)}`;
      return [{ method: 'PATCH', path, body: { adults: 3 }, key: `key-${reference}` }];
    },
  },
  onBooking(
    ...(['a confirmation', 'POST', '/confirm', undefined] as const),
    'no hold, booking confirmed 3 0, booking.confirmed booking.created',
  ),
  onBooking(
    ...(['a change of a booking', 'PATCH', '', { adults: 3 }] as const),
    'no hold, booking pending_payment 4 1, booking.created booking.updated',
  ),
  onBooking(
    ...(['a cancellation', 'POST', '/cancel', { reason: 'changed plans' }] as const),
    'no hold, booking cancelled 3 0, booking.cancelled booking.created',
  ),
  {
    name: 'a confirmation over OCTO',
    expected: ['hold converted 2 0 0, booking confirmed 2 0, booking.confirmed booking.created'],
    async prepare(ask, { tour, departureId }, reference) {
      const uuid = randomUUID();
      const units = [{ unitId: 'adult' }, { unitId: 'adult' }];
      const body = {
        uuid,
        productId: tour.id,
        optionId: 'DEFAULT',
        availabilityId: departureId,
        unitItems: units,
        resellerReference: reference,
        expirationMinutes: 60,
      };
      await ask({ method: 'POST', path: '/octo/bookings', body, key: `hold-${reference}` });
      const contact = { fullName: 'Ana Lima' };
      const path = `/octo/bookings/${uuid}/confirm`;
      return [{ method: 'POST', path, body: { contact }, key: `key-${reference}` }];
    },
  },
];

import { changeBooking } from '../../services/api/seats/changes/change-booking';
import { changeHold } from '../../services/api/seats/changes/change-hold';
import { releaseHold } from '../../services/api/seats/changes/release-hold';
import type { Trx } from '../../services/platform/database/database';
import { useTestApi } from '../support/api';
import { change as performed } from '../support/change';
import { daysFromToday, givenDeparture } from '../support/given';
import { answerAfter, transactionsWait } from '../support/lock-wait';
import { expectProblem } from '../support/responses';
import { givenSeats, type Seats, seatsTaken, useWebsite } from '../support/website';

const api = useTestApi();
const website = useWebsite(api);
let seats: Seats;
let other: Seats;
beforeEach(async () => {
  seats = await givenSeats(api.db);
  const date = await givenDeparture(api.db, seats.tour, { date: daysFromToday(31) });
  other = { tour: seats.tour, date };
});

/** Sends a request that waits for the departure's lock. Another transaction moves the hold or booking and then releases the lock. */
function whileMoved(
  request: () => ReturnType<typeof website.post>,
  moved: { holdId: string } | { bookingRef: string },
) {
  const { tenant } = website;
  const to = { by: null, departureDate: other.date, customer: {} };
  return answerAfter(api.db, seats, request, (trx) =>
    'holdId' in moved
      ? performed(trx, tenant, changeHold, { ...to, ...moved })
      : performed(trx, tenant, changeBooking, { ...to, ...moved, party: {}, expectedTotal: null }),
  );
}

async function givenHold(more: object = {}) {
  return (await website.hold(seats.tour, { departure_date: seats.date, quantity: 2, ...more })).body.hold_id;
}

async function givenBooking() {
  const order = { tour_id: seats.tour.id, departure_date: seats.date, adults: 2 };
  return (await website.book(order)).body.booking_ref;
}

const taken = async () => [await seatsTaken(api.db, seats), await seatsTaken(api.db, other)];

describe('a request that waits for the departure of a hold while the hold moves to another one', () => {
  it('an extension that waited while its hold moved extends the hold on the new departure', async () => {
    const holdId = await givenHold();
    const extend = () => website.post(`/api/gateway/holds/${holdId}/extend`, { hold_minutes: 30 });
    const answer = await whileMoved(extend, { holdId });
    expect([answer.status, answer.body.departure_date]).toEqual([200, other.date]);
    expect(await taken()).toEqual([0, 2]);
  });

  it('a release that waited while its hold moved releases the hold on the new departure', async () => {
    const holdId = await givenHold();
    const answer = await whileMoved(() => website.delete(`/api/gateway/holds/${holdId}`), { holdId });
    expect(answer.status).toBe(204);
    expect(await taken()).toEqual([0, 0]);
  });

  it('a change that waited while its hold moved changes the hold on the new departure', async () => {
    const holdId = await givenHold();
    const change = () => website.patch(`/api/gateway/holds/${holdId}`, { quantity: 3 });
    // A change without a date keeps the departure that the hold has after the wait.
    const answer = await whileMoved(change, { holdId });
    expect(answer.body).toMatchObject({ departure_date: other.date, quantity: 3 });
    expect(await taken()).toEqual([0, 3]);
  });

  it('a booking by hold_id that waited while its hold moved books the new departure', async () => {
    const holdId = await givenHold();
    const order = { tour_id: seats.tour.id, hold_id: holdId, adults: 2 };
    const { status, body } = await whileMoved(() => website.book(order), { holdId });
    expect([status, body.departure_date]).toEqual([201, other.date]);
    expect(await taken()).toEqual([0, 2]);
  });

  it('a booking by external_ref that waited while its hold moved books the new departure only once', async () => {
    const holdId = await givenHold({ external_ref: 'cart-81' });
    const order = { tour_id: seats.tour.id, external_ref: 'cart-81', adults: 2 };
    const book = () => website.book(order, { 'idempotency-key': `book-${holdId}` });
    const answer = await whileMoved(book, { holdId });
    expect([answer.status, answer.body.departure_date]).toEqual([201, other.date]);
    expect((await book()).text).toBe(answer.text);
    expect(await taken()).toEqual([0, 2]);
  });
});

describe('a booking that waits for the departure of a hold with its reference while the hold ends', () => {
  it('a booking gets hold_expired if the hold with its reference was released while the booking waited', async () => {
    const holdId = await givenHold({ external_ref: 'cart-82' });
    const order = { tour_id: seats.tour.id, external_ref: 'cart-82', adults: 2 };
    const release = (trx: Trx) => performed(trx, website.tenant, releaseHold, { holdId, by: null });
    expectProblem(await answerAfter(api.db, seats, () => website.book(order), release), 409, 'hold_expired');
    expect(await taken()).toEqual([0, 0]);
  });
});

describe('a request that waits for the departure of a booking while the booking moves to another one', () => {
  it.each([
    ['confirm', 2],
    ['cancel', 0],
  ])(
    'a request that waited while its booking moved can %s the booking on the new departure',
    async (step, seatsThere) => {
      const bookingRef = await givenBooking();
      const answer = await whileMoved(() => website.post(`/api/tenant/bookings/${bookingRef}/${step}`), {
        bookingRef,
      });
      expect([answer.status, answer.body.departure_date]).toEqual([200, other.date]);
      expect(await taken()).toEqual([0, seatsThere]);
    },
  );

  it('a change that waited while its booking moved applies on the new departure, and a repeat changes nothing', async () => {
    const bookingRef = await givenBooking();
    const change = () =>
      website.patch(`/api/tenant/bookings/${bookingRef}`, { adults: 3 }, { 'idempotency-key': bookingRef });
    const answer = await whileMoved(change, { bookingRef });
    expect(answer.body).toMatchObject({ departure_date: other.date, adults: 3 });
    expect((await change()).text).toBe(answer.text);
    expect(await taken()).toEqual([0, 3]);
  });
});

describe('a request whose hold or booking moves during each of its three tries', () => {
  const moves = {
    booking: (trx: Trx, ref: string, { tour, date }: Seats) =>
      trx.raw(
        `update booking_leads l set departure_id = d.id, departure_date = d.departure_date from departures d
         where l.booking_ref = ? and d.tour_id = ? and d.departure_date = ?`,
        [ref, tour.id, date],
      ),
    hold: (trx: Trx, id: string, { tour, date }: Seats) =>
      trx.raw(
        `update seat_holds h set departure_id = d.id from departures d
         where h.id = ? and d.tour_id = ? and d.departure_date = ?`,
        [id, tour.id, date],
      ),
  };

  /**
   * Sends a request, and moves its hold or booking to and fro whenever the request waits for the present departure. Begins again if the
   * machine was so slow that the request's wait of two seconds ended before the moves did.
   */
  async function whileMovedAgainAndAgain(
    request: () => ReturnType<typeof website.post>,
    kind: keyof typeof moves,
    id: string,
  ) {
    let places = [seats, other];
    for (;;) {
      const { answer, inTime, ...moved } = await moveThreeTimes(
        request,
        (trx, to) => moves[kind](trx, id, to),
        places,
      );
      if (inTime) return answer;
      places = moved.places;
    }
  }

  /** Returns the answer, true if it came after all moves, and the departures: first the one to which the hold or booking moved last. */
  async function moveThreeTimes(
    request: () => ReturnType<typeof website.post>,
    move: (trx: Trx, to: Seats) => Promise<unknown>,
    places: Seats[],
  ) {
    const { db } = api;
    const lock = async ({ tour, date }: Seats) => {
      const trx = await db.transaction();
      const named = { tour_id: tour.id, departure_date: date };
      await trx('departures').select('id').where(named).forUpdate();
      return trx;
    };
    let [present, next] = places as [Seats, Seats];
    let locked = await lock(present);
    let answered = false;
    const answer = request().then((one) => {
      answered = true;
      return one;
    });
    let inTime = true;
    for (let moved = 0; moved < 3 && inTime; moved++) {
      inTime = await transactionsWait(db, 1, () => answered);
      await move(locked, next);
      // Queues for the next departure before the request does. The move has locked it.
      const queued = lock(next);
      inTime &&= await transactionsWait(db, 2, () => answered);
      await locked.commit();
      locked = await queued;
      [present, next] = [next, present];
    }
    const result = await answer;
    inTime &&= result.body.code !== 'departure_busy';
    await locked.rollback();
    return { answer: result, inTime, places: [present, next] };
  }

  it('a cancellation whose booking moved during each try is 409 booking_state_conflict, which names the next step', async () => {
    const ref = await givenBooking();
    const cancel = () => website.post(`/api/tenant/bookings/${ref}/cancel`, {});
    const answer = await whileMovedAgainAndAgain(cancel, 'booking', ref);
    expectProblem(answer, 409, 'booking_state_conflict');
    expect(answer.body.detail).toBe(
      'Other requests have changed the booking meanwhile. Read it, then send the request again.',
    );
    expect((await cancel()).body.status).toBe('cancelled');
  });

  it('an extension whose hold moved during each try is 409 hold_state_conflict', async () => {
    const holdId = await givenHold();
    const extend = () => website.post(`/api/gateway/holds/${holdId}/extend`, { hold_minutes: 30 });
    expectProblem(await whileMovedAgainAndAgain(extend, 'hold', holdId), 409, 'hold_state_conflict');
  });
});

it('a change of a booking without a date whose row is locked for two seconds is 409 departure_busy, whose detail names the booking', async () => {
  const { db } = api;
  const ref = (await website.book({ tour_id: seats.tour.id })).body.booking_ref;
  const trx = await db.transaction();
  await trx('booking_leads').select('id').where({ booking_ref: ref }).forUpdate();
  const answer = await website.patch(`/api/tenant/bookings/${ref}`, { notes: 'Vegan' });
  await trx.rollback();
  expectProblem(answer, 409, 'departure_busy', { retryable: true });
  expect(answer.body.detail).toBe('Another request is changing this booking. Try again in a second.');
});

import type { Response } from 'supertest';
import type { Trx } from '../../services/platform/database';
import { useTestApi } from '../support/api';
import { answerAfter as answerAfterWait } from '../support/lock-wait';
import { expectProblem } from '../support/responses';
import { endHoldIn, givenSeats, type Seats, seatsTaken, useWebsite } from '../support/website';

const api = useTestApi();
const website = useWebsite(api);

const answerAfter = (
  seats: Seats,
  request: () => Promise<Response>,
  work: (trx: Trx, departureId: string) => Promise<unknown>,
) => answerAfterWait(api.db, seats, request, work);

const pause = (milliseconds: number) => new Promise((resolve) => setTimeout(resolve, milliseconds));

async function insertHold(trx: Trx, departureId: string, quantity: number): Promise<void> {
  await trx('seat_holds').insert({
    tenant_id: website.tenant.id,
    departure_id: departureId,
    quantity,
    hold_minutes: 15,
    created_at: trx.raw('clock_timestamp()'),
    expires_at: trx.raw(`clock_timestamp() + interval '15 minutes'`),
    unit_price_minor: 1,
    currency: 'EUR',
    currency_digits: 2,
    price_breakdown: {},
  });
}

const hold =
  ({ tour, date }: Seats, quantity: number) =>
  () =>
    website.hold(tour, { departure_date: date, quantity });

describe('a request that waited for a departure', () => {
  it('counts the seats that the request before it took, because lock and count are two statements (C2)', async () => {
    const seats = await givenSeats(api.db, { seats: 3 });
    const take = (trx: Trx, id: string) => insertHold(trx, id, 2);
    const held = await answerAfter(seats, hold(seats, 2), take);
    expectProblem(held, 409, 'insufficient_seats', { seats_available: 1 });

    const order = { tour_id: seats.tour.id, departure_date: seats.date };
    const booked = await answerAfter(
      seats,
      () => website.book(order),
      (trx, id) => insertHold(trx, id, 1),
    );
    expectProblem(booked, 409, 'insufficient_seats', { seats_available: 0 });
    expect(await seatsTaken(api.db, seats)).toBe(3);
  });

  it('counts the seats that were freed during its wait', async () => {
    const seats = await givenSeats(api.db, { seats: 2 });
    await website.hold(seats.tour, { departure_date: seats.date, quantity: 2 });
    const release = (trx: Trx, id: string) =>
      trx('seat_holds').where({ departure_id: id }).update({ status: 'released' });
    expect((await answerAfter(seats, hold(seats, 2), release)).status).toBe(201);
  });

  it('is refused after a cancellation during its wait', async () => {
    const seats = await givenSeats(api.db);
    const cancel = (trx: Trx, id: string) => trx('departures').where({ id }).update({ status: 'cancelled' });
    expectProblem(await answerAfter(seats, hold(seats, 1), cancel), 409, 'departure_cancelled');
  });

  it('reads the clock after the lock: seats that expired during its wait are free, and its own time starts then', async () => {
    const { db } = api;
    const seats = await givenSeats(db, { seats: 1 });
    const first = await website.hold(seats.tour, { departure_date: seats.date, quantity: 1 });
    await endHoldIn(db, first.body.hold_id, 400);
    const answer = await answerAfter(seats, hold(seats, 1), () => pause(450));
    expect(answer.status).toBe(201);
    const path = `/api/gateway/holds/${first.body.hold_id}`;
    const { expires_at } = (await website.get(path)).body;
    expect(Date.parse(answer.body.created_at)).toBeGreaterThanOrEqual(Date.parse(expires_at));
    expect(Date.parse(answer.body.expires_at) - Date.parse(answer.body.created_at)).toBe(15 * 60_000);
  });

  it('does not extend or book a hold that expired and was sold again during its wait', async () => {
    const { db } = api;
    const seats = await givenSeats(db, { seats: 1 });
    const { hold_id } = (await website.hold(seats.tour, { departure_date: seats.date, quantity: 1 })).body;
    const extend = () => website.post(`/api/gateway/holds/${hold_id}/extend`, { hold_minutes: 30 });
    const book = () => website.book({ tour_id: seats.tour.id, hold_id });
    for (const request of [extend, book]) {
      await db('seat_holds').where({ id: hold_id }).update({ status: 'active' });
      await endHoldIn(db, hold_id, 300);
      const answer = await answerAfter(seats, request, async (trx, id) => {
        await pause(350);
        await insertHold(trx, id, 1);
      });
      expectProblem(answer, 409, 'hold_expired');
      expect(await seatsTaken(db, seats)).toBe(1);
      await db('seat_holds').whereNot({ id: hold_id }).update({ status: 'released' });
    }
  });

  it('answers departure_busy after two seconds and writes nothing (T19)', async () => {
    const seats = await givenSeats(api.db);
    let answer: Response | undefined;
    const key = { 'idempotency-key': 'busy' };
    const request = async () =>
      (answer = await website.hold(seats.tour, { departure_date: seats.date, quantity: 1 }, key));
    await answerAfter(seats, request, async () => {
      while (!answer) await pause(20);
    });
    expectProblem(answer!, 409, 'departure_busy', { retryable: true });
    expect(answer!.headers['retry-after']).toBe('1');
    expect((await request()).status).toBe(201);
    expect(await seatsTaken(api.db, seats)).toBe(1);
  });
});

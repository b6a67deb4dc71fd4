import type { Response } from 'supertest';
import type { Trx } from '../../services/platform/database/database';
import { useTestApi } from '../support/api';
import { insertHold } from '../support/given';
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

const hold =
  ({ tour, date }: Seats, quantity: number) =>
  () =>
    website.hold(tour, { departure_date: date, quantity });

describe('a request that waited for a departure', () => {
  it('a request that waited for a lock counts the seats that were taken meanwhile', async () => {
    const seats = await givenSeats(api.db, { seats: 3 });
    const take = (quantity: number) => (trx: Trx) =>
      insertHold(trx, website, seats.tour, seats.date, { quantity });
    const held = await answerAfter(seats, hold(seats, 2), take(2));
    expectProblem(held, 409, 'insufficient_seats', { seats_available: 1 });

    const order = { tour_id: seats.tour.id, departure_date: seats.date };
    const booked = await answerAfter(seats, () => website.book(order), take(1));
    expectProblem(booked, 409, 'insufficient_seats', { seats_available: 0 });
    expect(await seatsTaken(api.db, seats)).toBe(3);
  });

  it('a request that waited for a lock gets the seats that were freed meanwhile', async () => {
    const seats = await givenSeats(api.db, { seats: 2 });
    await hold(seats, 2)();
    const release = (trx: Trx, id: string) =>
      trx('seat_holds').where({ departure_id: id }).update({ status: 'released' });
    expect((await answerAfter(seats, hold(seats, 2), release)).status).toBe(201);
  });

  it('the API refuses a hold if the departure was cancelled while the request waited for it', async () => {
    const seats = await givenSeats(api.db);
    const cancel = (trx: Trx, id: string) => trx('departures').where({ id }).update({ status: 'cancelled' });
    expectProblem(await answerAfter(seats, hold(seats, 1), cancel), 409, 'departure_cancelled');
  });

  it('a hold that waited for a locked departure reads the clock after the wait', async () => {
    const { db } = api;
    const seats = await givenSeats(db, { seats: 1 });
    const first = await hold(seats, 1)();
    await endHoldIn(db, first.body.hold_id, 400);
    const answer = await answerAfter(seats, hold(seats, 1), () => pause(450));
    expect(answer.status).toBe(201);
    const path = `/api/gateway/holds/${first.body.hold_id}`;
    const { expires_at } = (await website.get(path)).body;
    expect(Date.parse(answer.body.created_at)).toBeGreaterThanOrEqual(Date.parse(expires_at));
    expect(Date.parse(answer.body.expires_at) - Date.parse(answer.body.created_at)).toBe(15 * 60_000);
  });

  it.each(['extend', 'book'])(
    'the API refuses to %s a hold that expired and was sold again while the request waited',
    async (step) => {
      const { db } = api;
      const seats = await givenSeats(db, { seats: 1 });
      const { hold_id } = (await hold(seats, 1)()).body;
      const requests: Record<string, () => Promise<Response>> = {
        extend: () => website.post(`/api/gateway/holds/${hold_id}/extend`, { hold_minutes: 30 }),
        book: () => website.book({ tour_id: seats.tour.id, hold_id }),
      };
      await endHoldIn(db, hold_id, 300);
      const answer = await answerAfter(seats, requests[step]!, async (trx) => {
        await pause(350);
        await insertHold(trx, website, seats.tour, seats.date, { quantity: 1 });
      });
      expectProblem(answer, 409, 'hold_expired');
      expect(await seatsTaken(db, seats)).toBe(1);
    },
  );

  it('a request for a locked departure gets departure_busy after two seconds and writes nothing', async () => {
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

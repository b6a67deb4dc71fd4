import { setTimeout as sleep } from 'node:timers/promises';
import { useTestApi } from '../support/api';
import { daysFromToday, givenDeparture } from '../support/given';
import { givenSeats, givenWebsite, type Seats, useWebsite, type Website } from '../support/website';

const api = useTestApi();
const website = useWebsite(api);

const setStatus = ({ tour, date }: Seats, status: 'scheduled' | 'cancelled') =>
  api.db('departures').where({ tour_id: tour.id, departure_date: date }).update({ status });
const book = async (seats: Seats, who: Website = website): Promise<string> =>
  (await who.book({ tour_id: seats.tour.id, departure_date: seats.date })).body.booking_ref;
const pathOf = (ref: string) => `/api/tenant/bookings/${ref}`;

describe("a booking's departure_status", () => {
  it('departure_status follows the departure, while the booking keeps its own status', async () => {
    const seats = await givenSeats(api.db);
    const made = await website.book({ tour_id: seats.tour.id, departure_date: seats.date });
    const ref = made.body.booking_ref;
    expect(made.body).toMatchObject({ status: 'pending_payment', departure_status: 'scheduled' });
    for (const departure_status of ['cancelled', 'scheduled'] as const) {
      await setStatus(seats, departure_status);
      const shown = { status: 'pending_payment', departure_status };
      expect((await website.get(pathOf(ref))).body).toMatchObject(shown);
      const { items } = (await website.get('/api/tenant/bookings?limit=1')).body;
      expect(items).toEqual([expect.objectContaining({ booking_ref: ref, ...shown })]);
      const changed = await website.patch(pathOf(ref), { notes: departure_status });
      expect(changed.body).toMatchObject(shown);
    }
    await setStatus(seats, 'cancelled');
    const cancelled = await website.post(`${pathOf(ref)}/cancel`);
    expect(cancelled.body).toMatchObject({ status: 'cancelled', departure_status: 'cancelled' });
  });

  it('a booking that moves to another departure shows the status of that departure', async () => {
    const seats = await givenSeats(api.db);
    const ref = await book(seats);
    await setStatus(seats, 'cancelled');
    const departure_date = await givenDeparture(api.db, seats.tour, { date: daysFromToday(77) });
    const moved = await website.patch(pathOf(ref), { departure_date });
    expect(moved.body).toMatchObject({ departure_date, departure_status: 'scheduled' });
    expect((await website.post(`${pathOf(ref)}/confirm`)).body.departure_status).toBe('scheduled');
  });

  it('departure_status is null for a booking without a date', async () => {
    const { tour } = await givenSeats(api.db);
    const made = await website.book({ tour_id: tour.id });
    expect([made.status, made.body.departure_status]).toEqual([201, null]);
    expect((await website.get(pathOf(made.body.booking_ref))).body.departure_status).toBeNull();
  });

  it('a repeated request gets the departure_status of the first answer after the status has changed', async () => {
    const seats = await givenSeats(api.db);
    const order = { tour_id: seats.tour.id, departure_date: seats.date };
    const key = { 'idempotency-key': 'departure-status' };
    const first = await website.book(order, key);
    await setStatus(seats, 'cancelled');
    expect((await website.book(order, key)).text).toBe(first.text);
  });
});

describe('the bookings of a departure that is cancelled or reopened', () => {
  async function refsSince(who: Website, since: string, limit: number, more = ''): Promise<string[]> {
    const refs: string[] = [];
    let cursor = '';
    do {
      const path = `/api/tenant/bookings?updated_since=${since}&limit=${limit}${more}${cursor}`;
      const { body } = await who.get(path);
      refs.push(...body.items.map((item: { booking_ref: string }) => item.booking_ref));
      cursor = body.next_cursor === null ? '' : `&cursor=${body.next_cursor}`;
    } while (cursor);
    return refs;
  }
  const updatedAt = async (who: Website, ref: string): Promise<string> =>
    (await who.get(pathOf(ref))).body.updated_at;
  /** Returns a time of the database's clock. All changes so far are earlier, and all further changes are later. */
  async function now(): Promise<string> {
    const { rows } = await api.db.raw(
      "select date_trunc('milliseconds', clock_timestamp()) + interval '1 millisecond' as at",
    );
    await sleep(2);
    return rows[0].at.toISOString();
  }

  it('updated_since lists the bookings of a cancelled departure in the order of all changes', async () => {
    const who = await givenWebsite(api);
    const [one, other] = [await givenSeats(api.db), await givenSeats(api.db)];
    const [a, b, c, d, e] = [
      await book(one, who),
      await book(other, who),
      await book(one, who),
      await book(other, who),
      await book(one, who),
    ];
    await book(one);
    const begin = await now();
    await setStatus(one, 'cancelled');
    await who.post(`${pathOf(d)}/confirm`);
    await who.patch(pathOf(a), { notes: 'after the cancellation' });
    for (const limit of [1, 2, 3, 100]) {
      expect(await refsSince(who, begin, limit)).toEqual([c, e, d, a]);
      expect(await refsSince(who, '1970-01-01T00:00:00Z', limit)).toEqual([b, c, e, d, a]);
      expect(await refsSince(who, begin, limit, '&status=pending_payment')).toEqual([c, e, a]);
      expect(await refsSince(who, begin, limit, `&departure_to=${daysFromToday(0)}`)).toEqual([]);
    }
    expect(await updatedAt(who, c)).toBe(await updatedAt(who, e));
    expect(await refsSince(who, await updatedAt(who, e), 10)).toEqual([c, e, d, a]);
    const later = await now();
    expect(await refsSince(who, later, 10)).toEqual([]);
    await setStatus(one, 'scheduled');
    expect(await refsSince(who, later, 2)).toEqual([a, c, e]);
  });

  it('a change of a departure that keeps its status does not update its bookings', async () => {
    const who = await givenWebsite(api);
    const seats = await givenSeats(api.db);
    const ref = await book(seats, who);
    const before = await updatedAt(who, ref);
    await api
      .db('departures')
      .where({ tour_id: seats.tour.id })
      .update({ seats_total: 40, status: 'scheduled', prices_minor: { adult: 1 } });
    expect(await updatedAt(who, ref)).toBe(before);
  });
});

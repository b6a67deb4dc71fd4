import { moveDeparture } from '../../services/api/seats/changes/move-departure';
import { byOperator } from '../../services/api/tenants/actor';
import { inTransaction } from '../../services/platform/database/database';
import { useTestApi } from '../support/api';
import { changeDepartures } from '../support/change';
import { daysFromToday, givenDeparture, unique } from '../support/given';
import { expectProblem } from '../support/responses';
import { givenSeats, type PlacedSeats, useWebsite } from '../support/website';

const api = useTestApi();
const website = useWebsite(api);
const LATER = daysFromToday(40);

/** Returns an instant of the database's clock, `minutes` from now, as the API shows it. */
async function inMinutes(minutes: number): Promise<string> {
  const { rows } = await api.db.raw(
    `select date_trunc('milliseconds', clock_timestamp() + make_interval(mins => ?)) as at`,
    [minutes],
  );
  return rows[0].at.toISOString();
}

/** Creates a tour with a departure that closes in `minutes` minutes, and one on LATER that closes at its start. */
async function givenClosing(minutes: number): Promise<PlacedSeats & { closesAt: string }> {
  const closesAt = await inMinutes(minutes);
  const seats = await givenSeats(api.db, { closesAt });
  await givenDeparture(api.db, seats.tour, { date: LATER });
  return { ...seats, closesAt };
}

const closeIn = async ({ departureId }: PlacedSeats, minutes: number): Promise<string> => {
  const closesAt = await inMinutes(minutes);
  await api.db('departures').where({ id: departureId }).update({ closes_at: closesAt });
  return closesAt;
};

const hold = async ({ tour, date }: Pick<PlacedSeats, 'tour' | 'date'>, body: object = {}) => {
  const placed = await website.hold(tour, { departure_date: date, quantity: 1, ...body });
  expect(placed.status).toBe(201);
  return placed.body;
};
const pathOf = (holdId: string) => `/api/gateway/holds/${holdId}`;
const extend = (holdId: string, hold_minutes: number) =>
  website.post(`${pathOf(holdId)}/extend`, { hold_minutes });
const read = async (holdId: string) => (await website.get(pathOf(holdId))).body;

describe('the end of a hold whose departure closes soon', () => {
  it('a hold ends when its departure closes, and keeps the minutes that were asked for', async () => {
    const seats = await givenClosing(5);
    const placed = await hold(seats, { hold_minutes: 30 });
    expect(placed).toMatchObject({ expires_at: seats.closesAt, hold_minutes: 30, status: 'active' });
    expect(await read(placed.hold_id)).toEqual(placed);
  });

  it('a hold ends before its departure closes if it is shorter', async () => {
    const seats = await givenClosing(45);
    const { created_at, expires_at } = await hold(seats, { hold_minutes: 30 });
    expect(Date.parse(expires_at) - Date.parse(created_at)).toBe(30 * 60_000);
  });

  it('a hold ends when the cut-off of its tour or the start of its departure is reached', async () => {
    const start = new Date(Math.ceil(Date.now() / 60_000) * 60_000 + 10 * 60_000);
    const [date, startTime] = [start.toISOString().slice(0, 10), start.toISOString().slice(11, 16)];
    const seats = await givenSeats(api.db, { date, startTime });
    expect((await hold(seats, { hold_minutes: 60 })).expires_at).toBe(start.toISOString());
    await api.db('tours').where({ id: seats.tour.id }).update({ booking_cutoff: '5m' });
    const cutoff = new Date(start.getTime() - 5 * 60_000).toISOString();
    expect((await hold(seats, { hold_minutes: 60 })).expires_at).toBe(cutoff);
  });

  it('an extension ends when the departure closes', async () => {
    const seats = await givenClosing(20);
    const placed = await hold(seats, { hold_minutes: 5 });
    const extended = await extend(placed.hold_id, 60);
    expect([extended.status, extended.body.expires_at, extended.body.hold_minutes]).toEqual([
      200,
      seats.closesAt,
      60,
    ]);
    expect(await read(placed.hold_id)).toEqual(extended.body);
  });

  it('an extension that can gain nothing is 200 with the end unchanged, and is not recorded', async () => {
    const seats = await givenClosing(20);
    const placed = await hold(seats, { hold_minutes: 60 });
    const extended = await extend(placed.hold_id, 60);
    expect([extended.status, extended.body]).toEqual([200, placed]);
    expect(await api.db('hold_extensions').where({ hold_id: placed.hold_id })).toEqual([]);
  });

  it('a closing that an operator brings nearer changes no hold, and an extension never shortens', async () => {
    const seats = await givenClosing(50);
    const placed = await hold(seats, { hold_minutes: 30 });
    await closeIn(seats, 10);
    expect((await read(placed.hold_id)).expires_at).toBe(placed.expires_at);
    expect((await extend(placed.hold_id, 40)).body).toEqual(placed);
    const renamed = await website.patch(pathOf(placed.hold_id), { external_ref: unique('cart') });
    expect(renamed.body.expires_at).toBe(placed.expires_at);
  });

  it('an extension to a total of more than 120 minutes is refused, also if the departure closes before', async () => {
    const seats = await givenClosing(20);
    const placed = await hold(seats, { hold_minutes: 5 });
    await api.db.raw(`update seat_holds set created_at = created_at - interval '100 minutes' where id = ?`, [
      placed.hold_id,
    ]);
    expectProblem(await extend(placed.hold_id, 30), 400, 'validation_failed');
  });

  it('a hold that moves to a departure that closes sooner ends with it, and moving back does not prolong it', async () => {
    const seats = await givenClosing(10);
    const placed = await hold({ ...seats, date: LATER }, { hold_minutes: 30 });
    const moved = await website.patch(pathOf(placed.hold_id), { departure_date: seats.date });
    expect([moved.status, moved.body.expires_at]).toEqual([200, seats.closesAt]);
    expect(await read(placed.hold_id)).toEqual(moved.body);
    const { fields } = await api.db('hold_changes').where({ hold_id: placed.hold_id }).first('fields');
    expect(fields.expires_at).toEqual([placed.expires_at, seats.closesAt]);
    const back = await website.patch(pathOf(placed.hold_id), { departure_date: LATER });
    expect(back.body.expires_at).toBe(seats.closesAt);
  });

  it('a hold that takes more seats ends when its departure closes now, and one that gives seats back keeps its end', async () => {
    const seats = await givenClosing(50);
    const placed = await hold(seats, { hold_minutes: 30, quantity: 3 });
    const closesAt = await closeIn(seats, 10);
    const smaller = await website.patch(pathOf(placed.hold_id), { quantity: 2 });
    expect(smaller.body.expires_at).toBe(placed.expires_at);
    const larger = await website.patch(pathOf(placed.hold_id), { quantity: 4 });
    expect([larger.status, larger.body.expires_at]).toEqual([200, closesAt]);
    expect(await read(placed.hold_id)).toEqual(larger.body);
  });

  it('tourctl departure move moves a hold, which ends no later than the other departure closes', async () => {
    const seats = await givenClosing(10);
    const early = await hold({ ...seats, date: LATER }, { hold_minutes: 5 });
    const late = await hold({ ...seats, date: LATER }, { hold_minutes: 30 });
    await inTransaction(api.db, (trx) =>
      changeDepartures(
        trx,
        moveDeparture(trx, seats.tour, {
          from: { date: LATER },
          to: { date: seats.date },
          by: byOperator({ name: 'ops' }),
        }),
      ),
    );
    expect((await read(late.hold_id)).expires_at).toBe(seats.closesAt);
    expect((await read(early.hold_id)).expires_at).toBe(early.expires_at);
  });
});

import type { CancellationPolicy } from '../../services/api/catalog/cancellation-policy';
import { useTestApi } from '../support/api';
import { daysFromToday, givenDeparture, givenTour, type TourOverrides } from '../support/given';
import { expectProblem } from '../support/responses';
import { useWebsite } from '../support/website';
import { useTerminalOf } from './terminal';

const api = useTestApi();
const terminal = useTerminalOf(api);
const website = useWebsite(api);

/** Full refund until 30 days before the start, half until 7 days. */
const TIERS: CancellationPolicy = {
  tiers: [
    { until: '30d', refund_percent: 100 },
    { until: '7d', refund_percent: 50 },
  ],
};
const NEVER: CancellationPolicy = { tiers: [] };
const OF_BOOKING = '/api/tenant/bookings';

/** Creates a tour with a departure on each day from today. An adult costs 979 EUR. */
async function given(days: number[], cancellation?: CancellationPolicy, more: TourOverrides = {}) {
  const tour = await givenTour(api.db, { cancellation, ...more });
  const dates = days.map((day) => daysFromToday(day));
  for (const date of dates) await givenDeparture(api.db, tour, { date, prices: { adult: 97_900 } });
  return { tour, dates };
}

async function book(tour: { id: string }, date: string): Promise<string> {
  const { body } = await website.book({ tour_id: tour.id, departure_date: date });
  return body.booking_ref;
}

async function bookPaid(tour: { id: string }, date: string): Promise<string> {
  const ref = await book(tour, date);
  expect((await website.post(`${OF_BOOKING}/${ref}/confirm`)).status).toBe(200);
  return ref;
}

const read = async (ref: string) => (await website.get(`${OF_BOOKING}/${ref}`)).body;
const quote = async (ref: string) => (await website.get(`${OF_BOOKING}/${ref}/cancellation`)).body;
const cancel = (ref: string, body?: object) => website.post(`${OF_BOOKING}/${ref}/cancel`, body);
const move = (tour: { slug: string }, from: string, to: string) =>
  terminal.json(`departure move ${tour.slug} ${from} ${to}`);
const takeOff = (tour: { slug: string }, date: string) =>
  terminal.json(`departure cancel ${tour.slug} ${date} --yes`);
/** Moves a departure to another instant, as time would. */
const setStart = (tour: { id: string }, date: string, row: object) =>
  api.db('departures').where({ tour_id: tour.id, departure_date: date }).update(row);

describe('the lowest refund after departure move', () => {
  it.each<[string, CancellationPolicy | undefined]>([
    ['a policy that refunds half', TIERS],
    ['a policy that refunds nothing', NEVER],
    ['no policy', undefined],
  ])(
    'bookings of a cancelled departure with %s keep their full refund on the new date, in every answer',
    async (_name, policy) => {
      const { tour, dates } = await given([20, 3], policy);
      const [ref, other] = [await bookPaid(tour, dates[0]!), await bookPaid(tour, dates[0]!)];
      await takeOff(tour, dates[0]!);
      await move(tour, dates[0]!, dates[1]!);
      const all = { refund_percent: 100, refund_amount: 979 };
      expect(await quote(ref)).toMatchObject({ ...all, floor_percent: 100 });
      const end = `${daysFromToday(4)}T00:00:00.000Z`;
      expect((await read(ref)).cancellation).toEqual({ ...all, next_change_at: end });
      const shown = await terminal.json(`booking show ${ref}`);
      expect(shown.cancellation).toEqual({ ...all, next_change_at: end });
      expect(shown.history.at(-1).detail).toContain('lowest refund percent from none to 100');
      const { stdout } = await terminal.tourctl(`booking show ${ref}`);
      const then = policy ? 'nothing' : 'it is not stated';
      expect(stdout.replace(/\s+/g, ' ')).toContain(`A cancellation refunds 100% (979.00 EUR) until`);
      expect(stdout.replace(/\s+/g, ' ')).toContain(`UTC, then ${then} `);
      expectProblem(await cancel(ref, { expected_refund: 0 }), 409, 'refund_changed', all);
      const { body } = await cancel(ref, { expected_refund: 979 });
      expect(body.refund).toEqual({ percent: 100, amount: 979 });
      const cancelled = await terminal.json(`booking cancel ${other} --yes`);
      expect(cancelled.refund).toEqual({ percent: 100, amount: 979 });
    },
  );

  it('the tiers count from the new start, and the share of the moment of the move is the lowest one', async () => {
    const { tour, dates } = await given([20, 3, 60], TIERS);
    const ref = await bookPaid(tour, dates[0]!);
    await move(tour, dates[0]!, dates[1]!);
    const near = await quote(ref);
    expect(near).toMatchObject({ refund_percent: 50, floor_percent: 50 });
    expect(near.tiers.map((tier: { refund_percent: number }) => tier.refund_percent)).toEqual([100, 50]);
    await move(tour, dates[1]!, dates[2]!);
    expect(await quote(ref)).toMatchObject({ refund_percent: 100, floor_percent: 50 });
    await move(tour, dates[2]!, dates[1]!);
    expect(await quote(ref)).toMatchObject({ refund_percent: 100, floor_percent: 100 });
  });

  it('a move sets no lowest refund where nothing is stated, and 0 where nothing is refunded', async () => {
    const unstated = await given([20, 30]);
    const plain = await bookPaid(unstated.tour, unstated.dates[0]!);
    await move(unstated.tour, unstated.dates[0]!, unstated.dates[1]!);
    expect(await quote(plain)).toMatchObject({ refund_percent: null, floor_percent: null, tiers: null });
    expect((await read(plain)).cancellation).toBeNull();
    const never = await given([20, 30], NEVER);
    const ref = await bookPaid(never.tour, never.dates[0]!);
    await move(never.tour, never.dates[0]!, never.dates[1]!);
    expect(await quote(ref)).toMatchObject({ refund_percent: 0, floor_percent: 0, tiers: [] });
  });

  it('the lowest refund ends when the departure is past, by the clock of the database', async () => {
    for (const [policy, after] of [
      [NEVER, 0],
      [undefined, null],
    ] as const) {
      const { tour, dates } = await given([20, 30], policy);
      const ref = await bookPaid(tour, dates[0]!);
      await takeOff(tour, dates[0]!);
      await move(tour, dates[0]!, dates[1]!);
      await setStart(tour, dates[1]!, { departure_date: daysFromToday(0) });
      expect(await quote(ref)).toMatchObject({ refund_percent: 100, floor_percent: 100 });
      await setStart(tour, daysFromToday(0), { departure_date: daysFromToday(-1) });
      expect(await quote(ref)).toMatchObject({ refund_percent: after, floor_percent: null });
      expect((await cancel(ref)).body.refund).toEqual(after === null ? undefined : { percent: 0, amount: 0 });
    }
  });

  it('another date by the guest ends the lowest refund, whose share is the highest from then on', async () => {
    const { tour, dates } = await given([20, 3, 60], TIERS);
    const [ref, other] = [await bookPaid(tour, dates[0]!), await bookPaid(tour, dates[0]!)];
    await move(tour, dates[0]!, dates[1]!);
    await website.patch(`${OF_BOOKING}/${ref}`, { name: 'Rui Lima' });
    expect(await quote(ref)).toMatchObject({ refund_percent: 50, floor_percent: 50 });
    const { body } = await website.patch(`${OF_BOOKING}/${ref}`, { departure_date: dates[2] });
    expect(body.cancellation).toMatchObject({ refund_percent: 50, refund_amount: 489.5 });
    const moved = await quote(ref);
    expect(moved).toMatchObject({ refund_percent: 50, floor_percent: null });
    expect(moved.tiers.map((tier: { refund_percent: number }) => tier.refund_percent)).toEqual([50, 50]);
    const { history } = await terminal.json(`booking show ${ref}`);
    expect(history.at(-1).detail).toContain('lowest refund percent from 50 to none');
    await terminal.json(`booking change ${other} --date ${dates[2]}`);
    expect(await quote(other)).toMatchObject({ refund_percent: 50, floor_percent: null });
  });

  it('an unpaid booking that is moved shows no refund, and has the lowest refund once it is paid', async () => {
    const { tour, dates } = await given([20, 3], TIERS);
    const ref = await book(tour, dates[0]!);
    await move(tour, dates[0]!, dates[1]!);
    expect((await read(ref)).cancellation).toBeNull();
    expect(await quote(ref)).toMatchObject({ refund_percent: null, refund_amount: null, floor_percent: 50 });
    await website.post(`${OF_BOOKING}/${ref}/confirm`);
    expect(await quote(ref)).toMatchObject({ refund_percent: 50, floor_percent: 50 });
  });

  it('departure cancel names a full refund for a booking with a lower floor, and a reopened departure has the floor again', async () => {
    const { tour, dates } = await given([20, 3], TIERS);
    const ref = await bookPaid(tour, dates[0]!);
    await move(tour, dates[0]!, dates[1]!);
    expect((await takeOff(tour, dates[1]!)).bookings).toMatchObject([{ refund: { percent: 100 } }]);
    expect(await quote(ref)).toMatchObject({ refund_percent: 100, floor_percent: 50 });
    await terminal.json(`departure reopen ${tour.slug} ${dates[1]}`);
    expect(await quote(ref)).toMatchObject({ refund_percent: 50, floor_percent: 50 });
    await terminal.json(`departure cancel ${tour.slug} ${dates[1]} --cancel-bookings --yes`);
    expect((await read(ref)).refund).toEqual({ percent: 100, amount: 979 });
  });
});

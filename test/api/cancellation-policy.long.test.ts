import type { CancellationPolicy } from '../../services/api/catalog/cancellation-policy';
import { inTransaction } from '../../services/platform/database/database';
import { addEndpoint } from '../../services/webhook-queue/endpoints/add-endpoint';
import { useTestApi } from '../support/api';
import { daysFromToday, givenDeparture, givenTour, type TourOverrides } from '../support/given';
import { expectInvalidFields, expectProblem } from '../support/responses';
import { endPaymentWindow, useWebsite } from '../support/website';

const api = useTestApi();
const website = useWebsite(api);

beforeAll(() =>
  inTransaction(api.db, (trx) =>
    addEndpoint(trx, 's'.repeat(32), {
      tenantId: website.tenant.id,
      url: 'https://example.com/cancelled',
      events: ['booking.cancelled'],
    }),
  ),
);

/** Full refund until 30 days before the start, half until 7 days. */
const TIERS: CancellationPolicy = {
  tiers: [
    { until: '30d', refund_percent: 100 },
    { until: '7d', refund_percent: 50 },
  ],
};

interface Stated extends TourOverrides {
  /** Days from today. */
  days?: number[];
  /** HH:MM */
  startTime?: string;
  price?: number;
}

/** Creates a tour with a departure on each day. @returns the tour and its dates */
async function givenStated({ days = [20], startTime, price = 50_000, ...tour }: Stated = {}) {
  const created = await givenTour(api.db, { cancellation: TIERS, ...tour });
  const dates = days.map((day) => daysFromToday(day));
  for (const date of dates)
    await givenDeparture(api.db, created, { date, startTime, prices: { adult: price } });
  return { tour: created, dates };
}

async function book(tourId: string, date?: string, more: object = {}) {
  const answer = await website.book({ tour_id: tourId, departure_date: date, ...more });
  expect(answer.status).toBe(201);
  return answer.body;
}

const step = (ref: string, name: 'confirm' | 'cancel', body?: object) =>
  website.post(`/api/tenant/bookings/${ref}/${name}`, body);
const read = async (ref: string) => (await website.get(`/api/tenant/bookings/${ref}`)).body;
const quote = async (ref: string) => (await website.get(`/api/tenant/bookings/${ref}/cancellation`)).body;
const move = (ref: string, body: object) => website.patch(`/api/tenant/bookings/${ref}`, body);
const setPolicy = (id: string, policy: CancellationPolicy | null) =>
  api
    .db('tours')
    .where({ id })
    .update({ cancellation: policy && JSON.stringify(policy) });

/** Books one adult and confirms the booking. */
async function bookPaid(tourId: string, date: string): Promise<string> {
  const { booking_ref } = await book(tourId, date);
  expect((await step(booking_ref, 'confirm')).status).toBe(200);
  return booking_ref;
}

/** Returns the data of the last event about the booking. */
async function lastEvent(ref: string) {
  const row = await api
    .db('webhook_events')
    .where({ booking_ref: ref })
    .orderBy('created_at', 'desc')
    .first();
  return JSON.parse(row.body);
}

describe('the quote of a cancellation', () => {
  it.each([
    [40, 100, 500, 0],
    [20, 50, 250, 1],
    [3, 0, 0, null],
  ])('a booking %i days before its date says %i percent, and when this changes', async (days, ...now) => {
    const [percent, amount, next] = now;
    const { tour, dates } = await givenStated({ days: [days] });
    const ref = await bookPaid(tour.id, dates[0]!);
    const tiers = [
      {
        until: '30d',
        at: `${daysFromToday(days - 30)}T00:00:00.000Z`,
        refund_percent: 100,
        refund_amount: 500,
      },
      { until: '7d', at: `${daysFromToday(days - 7)}T00:00:00.000Z`, refund_percent: 50, refund_amount: 250 },
    ];
    const next_change_at = next == null ? null : tiers[next]!.at;
    const { cancellation } = await read(ref);
    expect(cancellation).toEqual({ refund_percent: percent, refund_amount: amount, next_change_at });
    expect(await quote(ref)).toEqual({
      ok: true,
      currency: 'EUR',
      refund_percent: percent,
      refund_amount: amount,
      floor_percent: null,
      tiers,
    });
  });

  it.each([
    [62, 100],
    [58, 50],
  ])(
    'a departure that starts in %i minutes refunds %i percent with a tier that ends 60 minutes before',
    async (minutes, percent) => {
      const start = new Date(Date.now() + minutes * 60_000).toISOString();
      const tour = await givenTour(api.db, {
        cancellation: {
          tiers: [
            { until: '60m', refund_percent: 100 },
            { until: '0m', refund_percent: 50 },
          ],
        },
      });
      const date = await givenDeparture(api.db, tour, {
        date: start.slice(0, 10),
        startTime: start.slice(11, 16),
      });
      const ref = await bookPaid(tour.id, date);
      expect((await quote(ref)).refund_percent).toBe(percent);
      expect((await step(ref, 'cancel')).body.refund).toEqual({ percent, amount: percent * 5 });
    },
  );

  it('a policy without tiers refunds nothing, at any time', async () => {
    const { tour, dates } = await givenStated({ cancellation: { tiers: [] } });
    const ref = await bookPaid(tour.id, dates[0]!);
    expect(await quote(ref)).toMatchObject({ refund_percent: 0, refund_amount: 0, tiers: [] });
    expect((await read(ref)).cancellation).toEqual({
      refund_percent: 0,
      refund_amount: 0,
      next_change_at: null,
    });
    expect((await step(ref, 'cancel')).body.refund).toEqual({ percent: 0, amount: 0 });
  });

  it('a booking of a tour without a policy, and one without a date, has no cancellation', async () => {
    const unstated = await givenStated({ cancellation: undefined });
    const { booking_ref: plain } = await book(unstated.tour.id, unstated.dates[0]);
    const stated = await givenStated();
    const { booking_ref: undated } = await book(stated.tour.id);
    for (const ref of [plain, undated]) {
      expect((await read(ref)).cancellation).toBeNull();
      const none = { refund_percent: null, refund_amount: null, tiers: null };
      expect(await quote(ref)).toMatchObject(none);
      expect(await read(ref)).not.toHaveProperty('refund');
    }
    await step(plain, 'confirm');
    expect((await step(plain, 'cancel')).body).not.toHaveProperty('refund');
  });

  it('the API answers 404 for the quote of an unknown booking', async () => {
    expectProblem(await website.get('/api/tenant/bookings/ACME-1/cancellation'), 404, 'booking_not_found');
  });
});

describe('the refund of a cancellation', () => {
  it('a paid booking answers its refund, rounded half up, and so does its event; a second cancel changes nothing', async () => {
    const { tour, dates } = await givenStated({ price: 99_999 });
    const ref = await bookPaid(tour.id, dates[0]!);
    const cancelled = await step(ref, 'cancel');
    expect(cancelled.body).toMatchObject({ status: 'cancelled', cancellation: null });
    expect(cancelled.body.refund).toEqual({ percent: 50, amount: 500 });
    expect(await lastEvent(ref)).toMatchObject({
      event_type: 'booking.cancelled',
      refund_percent: 50,
      refund_amount: 500,
    });
    await setPolicy(tour.id, null);
    expect((await step(ref, 'cancel')).body).toEqual(cancelled.body);
    expect((await read(ref)).refund).toEqual({ percent: 50, amount: 500 });
    expect(await quote(ref)).toMatchObject({ refund_percent: 50, refund_amount: 500 });
  });

  it('a booking that was never confirmed has no refund', async () => {
    const { tour, dates } = await givenStated({ days: [40] });
    const { booking_ref } = await book(tour.id, dates[0]);
    expect((await step(booking_ref, 'cancel')).body.refund).toBeNull();
    expect(await lastEvent(booking_ref)).toMatchObject({ refund_percent: null, refund_amount: null });
  });

  it('a refund that differs from expected_refund is 409 with the amount, and the booking stands', async () => {
    const { tour, dates } = await givenStated({ price: 12_345 });
    const ref = await bookPaid(tour.id, dates[0]!);
    const refused = await step(ref, 'cancel', { expected_refund: 123.45 });
    expectProblem(refused, 409, 'refund_changed');
    expect(refused.body).toMatchObject({ refund_percent: 50, refund_amount: 61.73, currency: 'EUR' });
    expect((await read(ref)).status).toBe('confirmed');
    const agreed = await step(ref, 'cancel', { expected_refund: 61.73, reason: 'ill' });
    expect(agreed.body.refund).toEqual({ percent: 50, amount: 61.73 });
  });

  it('an unpaid booking shows no refund, is cancelled with an expected refund of 0 alone, and refunds nothing', async () => {
    const { tour, dates } = await givenStated({ days: [40] });
    const { booking_ref, cancellation } = await book(tour.id, dates[0]);
    expect([cancellation, (await read(booking_ref)).cancellation]).toEqual([null, null]);
    const shown = await quote(booking_ref);
    expect(shown).toMatchObject({ refund_percent: null, refund_amount: null, floor_percent: null });
    expect(shown.tiers).toHaveLength(2);
    for (const expected_refund of [499, 500])
      expectProblem(await step(booking_ref, 'cancel', { expected_refund }), 409, 'refund_changed', {
        refund_percent: null,
        refund_amount: null,
        currency: 'EUR',
      });
    expect((await step(booking_ref, 'cancel', { expected_refund: 0 })).body.refund).toBeNull();
  });

  it('a paid booking for which nothing is stated has no refund, which 0 alone expects', async () => {
    const { tour, dates } = await givenStated({ cancellation: undefined });
    const ref = await bookPaid(tour.id, dates[0]!);
    const refused = await step(ref, 'cancel', { expected_refund: 250 });
    expectProblem(refused, 409, 'refund_changed', { refund_percent: null, refund_amount: null });
    expect((await step(ref, 'cancel', { expected_refund: 0 })).body.status).toBe('cancelled');
  });

  it('the API refuses an expected refund with more decimals than the currency has, whatever the status of the booking', async () => {
    const { tour, dates } = await givenStated();
    const refs = [await bookPaid(tour.id, dates[0]!), (await book(tour.id, dates[0])).booking_ref];
    refs.push(await bookPaid(tour.id, dates[0]!));
    await step(refs[2], 'cancel');
    for (const ref of refs)
      for (const expected_refund of [100.001, 250.005])
        expectInvalidFields(await step(ref, 'cancel', { expected_refund }), ['expected_refund']);
    const yen = await givenStated({ currency: 'JPY', price: 500 });
    const ref = await bookPaid(yen.tour.id, yen.dates[0]!);
    expectInvalidFields(await step(ref, 'cancel', { expected_refund: 250.5 }), ['expected_refund']);
    expect((await step(ref, 'cancel', { expected_refund: 250 })).body.refund.amount).toBe(250);
    // The sum of 83.1 and 166.9 has a rounding error of floating-point numbers.
    expect((await step(refs[0], 'cancel', { expected_refund: 83.1 * 3 + 0.7 })).body.status).toBe(
      'cancelled',
    );
  });

  it('the quote of an expired booking shows its tiers, and no refund', async () => {
    const { tour, dates } = await givenStated({ days: [40] });
    const { booking_ref } = await book(tour.id, dates[0]);
    await endPaymentWindow(api.db, booking_ref);
    const answer = await quote(booking_ref);
    expect(answer).toMatchObject({ refund_percent: null, refund_amount: null });
    expect(answer.tiers).toHaveLength(2);
  });

  it('the API refuses an expected refund that is no number, or below 0', async () => {
    const { tour, dates } = await givenStated();
    const { booking_ref } = await book(tour.id, dates[0]);
    for (const expected_refund of ['all', -1])
      expectInvalidFields(await step(booking_ref, 'cancel', { expected_refund }), ['expected_refund']);
  });

  it('a departure that its operator cancels refunds all, whatever the policy says', async () => {
    for (const cancellation of [{ tiers: [] }, undefined]) {
      const { tour, dates } = await givenStated({ cancellation });
      const ref = await bookPaid(tour.id, dates[0]!);
      await api.db('departures').where({ tour_id: tour.id }).update({ status: 'cancelled' });
      expect(await quote(ref)).toMatchObject({ refund_percent: 100, refund_amount: 500 });
      const all = { refund_percent: 100, refund_amount: 500 };
      expect((await read(ref)).cancellation).toEqual({ ...all, next_change_at: null });
      const listed = await website.get(`/api/tenant/bookings?departure_from=${dates[0]}`);
      const item = listed.body.items.find((one: { booking_ref: string }) => one.booking_ref === ref);
      expect(item.cancellation).toMatchObject(all);
      expectProblem(await step(ref, 'cancel', { expected_refund: 0 }), 409, 'refund_changed', all);
      const { body } = await step(ref, 'cancel', { expected_refund: 500 });
      expect(body.refund).toEqual({ percent: 100, amount: 500 });
      expect(await lastEvent(ref)).toMatchObject(all);
    }
  });
});

describe('the locked policy', () => {
  it('a booking keeps the policy of its sale, and a booking with a hold that of the hold', async () => {
    const { tour, dates } = await givenStated({ days: [40] });
    const direct = await bookPaid(tour.id, dates[0]!);
    const hold = (await website.hold(tour, { departure_date: dates[0], quantity: 1 })).body.hold_id;
    await setPolicy(tour.id, { tiers: [] });
    const held = await book(tour.id, dates[0], { hold_id: hold });
    await step(held.booking_ref, 'confirm');
    const late = await bookPaid(tour.id, dates[0]!);
    const percents = [await quote(direct), await quote(held.booking_ref), await quote(late)];
    expect(percents.map(({ refund_percent }) => refund_percent)).toEqual([100, 100, 0]);
  });

  it('another date locks the present policy, and the share reached before is the highest from then on', async () => {
    const { tour, dates } = await givenStated({ days: [20, 60] });
    const ref = await bookPaid(tour.id, dates[0]!);
    expect((await move(ref, { departure_date: dates[1] })).status).toBe(200);
    const moved = await quote(ref);
    expect(moved.tiers.map((tier: { refund_percent: number }) => tier.refund_percent)).toEqual([50, 50]);
    expect((await read(ref)).cancellation).toEqual({
      refund_percent: 50,
      refund_amount: 250,
      next_change_at: `${daysFromToday(53)}T00:00:00.000Z`,
    });
    await setPolicy(tour.id, { tiers: [{ until: '1d', refund_percent: 30 }] });
    await move(ref, { departure_date: dates[0] });
    expect(await quote(ref)).toMatchObject({ refund_percent: 30, refund_amount: 150 });
    const [row] = await api.db('booking_changes').orderBy('at', 'desc').limit(1);
    expect(row.fields.cancellation).toEqual(['100% until 30d, 50% until 7d', '30% until 1d']);
  });

  it('more travellers on the same date keep the policy', async () => {
    const { tour, dates } = await givenStated({ days: [40] });
    const ref = await bookPaid(tour.id, dates[0]!);
    await setPolicy(tour.id, { tiers: [] });
    const changed = await move(ref, { adults: 2 });
    expect(changed.body.cancellation).toMatchObject({ refund_percent: 100, refund_amount: 1000 });
  });

  it('a hold that moves to another date locks the present policy', async () => {
    const { tour, dates } = await givenStated({ days: [40, 50] });
    const hold = (await website.hold(tour, { departure_date: dates[0], quantity: 1 })).body.hold_id;
    await setPolicy(tour.id, { tiers: [] });
    const stays = await website.patch(`/api/gateway/holds/${hold}`, { quantity: 2 });
    expect(stays.status).toBe(200);
    const policy = async () => (await api.db('seat_holds').where({ id: hold }).first()).cancellation;
    expect(await policy()).toEqual(TIERS);
    await website.patch(`/api/gateway/holds/${hold}`, { departure_date: dates[1] });
    expect(await policy()).toEqual({ tiers: [] });
  });

  it('a booking without a date gets the policy of its first date', async () => {
    const { tour, dates } = await givenStated({ days: [40] });
    const { booking_ref } = await book(tour.id);
    await step(booking_ref, 'confirm');
    await move(booking_ref, { departure_date: dates[0] });
    expect(await quote(booking_ref)).toMatchObject({ refund_percent: 100 });
  });
});

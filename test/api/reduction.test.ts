import type { CancellationPolicy } from '../../services/api/catalog/cancellation-policy';
import { useTestApi } from '../support/api';
import { daysFromToday, givenDeparture, givenTour } from '../support/given';
import { useWebsite } from '../support/website';
import { add } from '../webhook-queue/queue-fixture';

const api = useTestApi();
const website = useWebsite(api);

beforeAll(() => add(api.db, website.tenant.id, 'https://acme.example/webhooks', ['booking.updated']));

/** Full refund until 30 days before the start, half until 7 days. */
const TIERS: CancellationPolicy = {
  tiers: [
    { until: '30d', refund_percent: 100 },
    { until: '7d', refund_percent: 50 },
  ],
};

interface Given {
  /** Days from today of each departure. */
  days?: number[];
  cancellation?: CancellationPolicy | null;
  /** The price of an adult on each departure, in cents. */
  prices?: number[];
  party?: object;
  isPaid?: boolean;
}

/** Books three adults for 333.33 EUR each, on the first of the departures, and confirms the booking. */
async function given({
  days = [20],
  cancellation = TIERS,
  prices = [33_333],
  party = { adults: 3 },
  isPaid = true,
}: Given = {}) {
  const tour = await givenTour(api.db, { cancellation: cancellation ?? undefined });
  const dates = days.map((day) => daysFromToday(day));
  for (const [place, date] of dates.entries())
    await givenDeparture(api.db, tour, { date, prices: { adult: prices[place]!, child: 10_000 } });
  const { body } = await website.book({ tour_id: tour.id, departure_date: dates[0], ...party });
  const path = `/api/tenant/bookings/${body.booking_ref}`;
  if (isPaid) await website.post(`${path}/confirm`);
  return { tour, dates, ref: body.booking_ref as string, path };
}

/** Returns the reductions of the events booking.updated of a booking, the oldest first. */
async function reductionsOf(ref: string): Promise<unknown[]> {
  const rows = await api
    .db('webhook_events')
    .where({ booking_ref: ref, type: 'booking.updated' })
    .orderBy('id');
  return rows.map(({ body }) => JSON.parse(body).reduction);
}

describe('the reduction of a changed booking', () => {
  it.each([
    [40, TIERS, { refund_percent: 100, refund_amount: 333.33 }],
    [20, TIERS, { refund_percent: 50, refund_amount: 166.67 }],
    [3, TIERS, { refund_percent: 0, refund_amount: 0 }],
    [20, { tiers: [] }, { refund_percent: 0, refund_amount: 0 }],
    [20, null, { refund_percent: null, refund_amount: null }],
  ])(
    'a paid party that becomes smaller %i days before its date answers what the terms %j refund, and so does the event',
    async (days, cancellation, refund) => {
      const { path, ref } = await given({ days: [days], cancellation });
      const { body } = await website.patch(path, { adults: 2 });
      expect(body).toMatchObject({ total_price: 666.66, reduction: { amount: 333.33, ...refund } });
      expect(await reductionsOf(ref)).toEqual([body.reduction]);
      expect((await website.get(path)).body).not.toHaveProperty('reduction');
      expect((await website.patch(path, { adults: 2 })).body.reduction).toBeNull();
      expect(await reductionsOf(ref)).toHaveLength(1);
    },
  );

  it('a change that keeps or raises the total, and each change of an unpaid booking, has no reduction', async () => {
    const paid = await given();
    for (const patch of [{ name: 'Rui Lima' }, { adults: 4 }, { adults: 4, notes: 'Vegan' }])
      expect((await website.patch(paid.path, patch)).body.reduction).toBeNull();
    const unpaid = await given({ isPaid: false });
    expect((await website.patch(unpaid.path, { adults: 1 })).body.reduction).toBeNull();
    for (const { ref } of [paid, unpaid]) expect(new Set(await reductionsOf(ref))).toEqual(new Set([null]));
  });

  it('a repeat with the same Idempotency-Key answers the reduction of the first answer', async () => {
    const { path, ref } = await given();
    const send = () => website.patch(path, { adults: 1 }, { 'idempotency-key': `smaller-${ref}` });
    const [first, again] = [await send(), await send()];
    expect(first.body.reduction).toEqual({ amount: 666.66, refund_percent: 50, refund_amount: 333.33 });
    expect([again.headers['idempotent-replayed'], again.text]).toEqual(['true', first.text]);
    expect(await reductionsOf(ref)).toHaveLength(1);
  });

  it('a cheaper category in place of a dearer one is a reduction by the difference', async () => {
    const { path } = await given();
    const { body } = await website.patch(path, { adults: 2, children: 1 });
    expect(body.reduction).toEqual({ amount: 233.33, refund_percent: 50, refund_amount: 116.67 });
  });

  it('a cheaper date is a reduction by the terms of the old date, and a dearer one is none', async () => {
    const { path, dates } = await given({ days: [20, 60, 50], prices: [33_333, 20_000, 40_000] });
    const { body } = await website.patch(path, { departure_date: dates[1] });
    expect(body.reduction).toEqual({ amount: 399.99, refund_percent: 50, refund_amount: 200 });
    expect((await website.patch(path, { departure_date: dates[2] })).body.reduction).toBeNull();
  });

  it('a smaller party of a cancelled departure is refunded in full, without a policy too', async () => {
    for (const cancellation of [{ tiers: [] }, null]) {
      const { tour, path } = await given({ cancellation });
      await api.db('departures').where({ tour_id: tour.id }).update({ status: 'cancelled' });
      const { body } = await website.patch(path, { adults: 2 });
      expect(body.reduction).toEqual({ amount: 333.33, refund_percent: 100, refund_amount: 333.33 });
      expect(body.cancellation).toMatchObject({ refund_percent: 100, refund_amount: 666.66 });
    }
  });

  it('the lowest and the highest refund of a booking decide its reduction too', async () => {
    const { path, ref, dates } = await given({ days: [20, 60], prices: [33_333, 33_333] });
    await api.db('booking_leads').where({ booking_ref: ref }).update({ refund_floor: 80 });
    const floored = await website.patch(path, { adults: 2 });
    expect(floored.body.reduction).toMatchObject({ refund_percent: 80, refund_amount: 266.66 });
    const moved = await website.patch(path, { departure_date: dates[1], adults: 1 });
    expect(moved.body.reduction).toMatchObject({ refund_percent: 80, refund_amount: 266.66 });
    expect(moved.body.cancellation).toMatchObject({ refund_percent: 80, refund_amount: 266.66 });
  });

  it('a cancellation after a reduction refunds of the smaller total', async () => {
    const { path } = await given();
    await website.patch(path, { adults: 1 });
    const { body } = await website.post(`${path}/cancel`);
    expect(body.refund).toEqual({ percent: 50, amount: 166.67 });
  });
});

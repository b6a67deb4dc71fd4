import type { CancellationPolicy } from '../../services/api/catalog/cancellation-policy';
import type { OctoBooking } from '../../services/api/octo/booking.dto';
import { useTestApi } from '../support/api';
import { givenDeparture, givenTour, type GivenTour, todayIn, type TourOverrides } from '../support/given';
import { useWebsite } from '../support/website';
import { add } from '../webhook-queue/queue-fixture';
import { adults } from './conformance-api';
import { expectOcto, expectOctoError } from './schemas';

const api = useTestApi();
const reseller = useWebsite(api);

/** Returns a policy of `until` and percent pairs. */
const policyOf = (...tiers: [string, number][]): CancellationPolicy => ({
  tiers: tiers.map(([until, refund_percent]) => ({ until, refund_percent })),
});
const USUAL = policyOf(['30d', 100], ['7d', 50]);

/** Returns the UTC date and time of the minute that is so many minutes from now. */
function startIn(minutes: number): { date: string; startTime: string } {
  const at = new Date(Date.now() + minutes * 60_000).toISOString();
  return { date: at.slice(0, 10), startTime: at.slice(11, 16) };
}

const DAY = 24 * 60;

interface Placed {
  tour: GivenTour;
  booking: OctoBooking;
}

/** Holds one seat on a new tour whose departure starts in so many minutes. Null: it has no start time, and is today. */
async function hold(minutes: number | null, overrides: TourOverrides = {}): Promise<Placed> {
  const tour = await givenTour(api.db, overrides);
  const start = minutes === null ? { date: todayIn(overrides.timeZone!) } : startIn(minutes);
  await givenDeparture(api.db, tour, start);
  const { id } = await api.db('departures').where({ tour_id: tour.id }).first('id');
  const body = { productId: tour.id, optionId: 'DEFAULT', availabilityId: id, unitItems: adults(1) };
  return { tour, booking: expectOcto(await reseller.post('/octo/bookings', body), 'booking') };
}

const at = ({ uuid }: OctoBooking, call = '') => `/octo/bookings/${uuid}${call}`;
const cancel = (booking: OctoBooking) => reseller.post(at(booking, '/cancel'), {});
const confirm = (booking: OctoBooking) => reseller.post(at(booking, '/confirm'), {});
const read = async (booking: OctoBooking): Promise<OctoBooking> =>
  expectOcto(await reseller.get(at(booking)), 'booking');

async function book(minutes: number | null, overrides: TourOverrides = {}): Promise<Placed> {
  const { tour, booking } = await hold(minutes, overrides);
  return { tour, booking: expectOcto(await confirm(booking), 'booking') };
}

/** Moves the departure of the tour, as time would. */
async function moveDeparture({ id }: GivenTour, { date, startTime }: { date: string; startTime?: string }) {
  const row = { departure_date: date, start_time: startTime ?? null };
  await api.db('departures').where({ tour_id: id }).update(row);
}

/** Returns the fields of the option that say until when a cancellation refunds in full. */
const cutoffOf = ({ option }: Pick<OctoBooking, 'option'>) => [
  option.cancellationCutoff,
  option.cancellationCutoffAmount,
  option.cancellationCutoffUnit,
];

describe('the cancellation cut-off of an option', () => {
  it.each<[string, CancellationPolicy | undefined, unknown[]]>([
    ['no policy', undefined, ['Not stated', 0, 'hour']],
    ['a policy without tiers', policyOf(), ['Never refunded', 365, 'day']],
    ['a policy that refunds 0 percent', policyOf(['3d', 0]), ['Never refunded', 365, 'day']],
    ['one tier in full', policyOf(['3d', 100]), ['3 days', 3, 'day']],
    ['one day', policyOf(['1d', 100]), ['1 day', 1, 'day']],
    ['one hour', policyOf(['1h', 100]), ['1 hour', 1, 'hour']],
    ['36 hours', policyOf(['36h', 100], ['1h', 20]), ['36 hours', 36, 'hour']],
    ['90 minutes', policyOf(['90m', 100]), ['90 minutes', 90, 'minute']],
    ['a full refund until the start', policyOf(['0m', 100]), ['0 minutes', 0, 'minute']],
    ['several tiers', USUAL, ['30 days', 30, 'day']],
    ['no tier in full', policyOf(['30d', 80], ['7d', 50]), ['Never refunded in full', 365, 'day']],
  ])('a product with %s says so', async (_shape, cancellation, expected) => {
    const { id } = await givenTour(api.db, { cancellation });
    const product = expectOcto(await reseller.get(`/octo/products/${id}`), 'product');
    expect(cutoffOf({ option: product.options[0] })).toEqual(expected);
  });

  it('a booking keeps the cut-off that it has locked, from the hold on', async () => {
    const { tour, booking } = await hold(40 * DAY, { cancellation: USUAL });
    await api
      .db('tours')
      .where({ id: tour.id })
      .update({ cancellation: JSON.stringify(policyOf()) });
    const locked = ['30 days', 30, 'day'];
    expect(cutoffOf(await read(booking))).toEqual(locked);
    const confirmed = expectOcto(await confirm(booking), 'booking');
    expect([cutoffOf(confirmed), confirmed.product.options]).toEqual([locked, [confirmed.option]]);
    expect(cutoffOf(await read(booking))).toEqual(locked);
    const product = expectOcto(await reseller.get(`/octo/products/${tour.id}`), 'product');
    expect(product.options[0].cancellationCutoff).toBe('Never refunded');
  });

  it('a booking that changed its date after the tier in full says that it is never refunded in full', async () => {
    const { tour, booking } = await book(20 * DAY, { cancellation: USUAL });
    const later = startIn(60 * DAY);
    await givenDeparture(api.db, tour, later);
    const { id } = await api
      .db('departures')
      .where({ tour_id: tour.id, departure_date: later.date })
      .first('id');
    const moved = expectOcto(await reseller.patch(at(booking), { availabilityId: id }), 'booking');
    expect(cutoffOf(moved)).toEqual(['Never refunded in full', 365, 'day']);
    expect(expectOcto(await cancel(booking), 'booking').cancellation.refund).toBe('PARTIAL');
  });
});

describe('the refund of a cancelled booking', () => {
  it.each<[string, number, CancellationPolicy | undefined]>([
    ['FULL', 40, USUAL],
    ['PARTIAL', 20, USUAL],
    ['NONE', 3, USUAL],
    ['NONE', 40, policyOf()],
    ['NONE', 40, undefined],
  ])('a cancellation refunds %s %i days before the start', async (refund, days, cancellation) => {
    const { booking } = await book(days * DAY, { cancellation });
    const cancelled = expectOcto(await cancel(booking), 'booking');
    expect(cancelled).toMatchObject({ status: 'CANCELLED', cancellable: false, cancellation: { refund } });
    expect((await read(booking)).cancellation).toEqual(cancelled.cancellation);
    expect(expectOcto(await cancel(booking), 'booking')).toEqual(cancelled);
  });

  it.each([USUAL, policyOf(), undefined])(
    'a booking of a cancelled departure with the policy %j is refunded in full, and its option says so',
    async (cancellation) => {
      const { tour, booking } = await book(3 * DAY, { cancellation });
      await api.db('departures').where({ tour_id: tour.id }).update({ status: 'cancelled' });
      const shown = await read(booking);
      expect(cutoffOf(shown)).toEqual(['0 minutes', 0, 'minute']);
      expect(shown.cancellable).toBe(true);
      expect(expectOcto(await cancel(booking), 'booking').cancellation.refund).toBe('FULL');
    },
  );

  it.each<[string, number, CancellationPolicy | undefined, unknown[]]>([
    ['FULL', 100, policyOf(), ['0 minutes', 0, 'minute']],
    ['FULL', 100, undefined, ['0 minutes', 0, 'minute']],
    ['PARTIAL', 40, policyOf(), ['Never refunded in full', 365, 'day']],
    ['PARTIAL', 40, undefined, ['Never refunded in full', 365, 'day']],
    ['PARTIAL', 40, USUAL, ['30 days', 30, 'day']],
    ['NONE', 0, undefined, ['Never refunded', 365, 'day']],
  ])(
    'a booking that its operator has moved refunds %s by a floor of %i percent',
    async (refund, floor, cancellation, cutoff) => {
      const { booking } = await book(3 * DAY, { cancellation });
      await api
        .db('booking_leads')
        .where({ booking_ref: booking.supplierReference })
        .update({ refund_floor: floor });
      expect(cutoffOf(await read(booking))).toEqual(cutoff);
      expect(expectOcto(await cancel(booking), 'booking').cancellation.refund).toBe(refund);
    },
  );

  it('a confirmed booking with fewer units shows no reduction, which its event has', async () => {
    const { booking } = await book(20 * DAY, { cancellation: USUAL });
    const path = at(booking);
    const more = { unitItems: adults(2) };
    await reseller.patch(path, more);
    await add(api.db, reseller.tenant.id, 'https://reseller.example/', ['booking.updated']);
    const changed = expectOcto(await reseller.patch(path, { unitItems: adults(1) }), 'booking');
    expect(changed).not.toHaveProperty('reduction');
    const row = await api
      .db('webhook_events')
      .where({ booking_ref: booking.supplierReference, type: 'booking.updated' })
      .orderBy('id', 'desc')
      .first();
    expect(JSON.parse(row.body).reduction).toMatchObject({ refund_percent: 50 });
  });

  it('a cancelled hold refunds nothing, because nothing was paid', async () => {
    const { booking } = await hold(40 * DAY, { cancellation: USUAL });
    expect(expectOcto(await cancel(booking), 'booking').cancellation.refund).toBe('NONE');
  });
});

describe('a booking at the start of its departure', () => {
  const STARTED = expect.stringContaining('has started');

  it('a booking can be cancelled until the start, and not after it', async () => {
    const { tour, booking } = await book(3);
    const kept = await book(3);
    expect((await read(booking)).cancellable).toBe(true);
    expect(expectOcto(await cancel(booking), 'booking').status).toBe('CANCELLED');

    await moveDeparture(kept.tour, startIn(0));
    expect(await read(kept.booking)).toMatchObject({ status: 'CONFIRMED', cancellable: false });
    for (const answer of [await cancel(kept.booking), await reseller.delete(at(kept.booking))]) {
      expectOctoError(answer, 400, 'UNPROCESSABLE_ENTITY');
      expect(answer.body.errorMessage).toEqual(STARTED);
    }
    expect((await read(kept.booking)).status).toBe('CONFIRMED');

    await moveDeparture(tour, startIn(0));
    expect(expectOcto(await cancel(booking), 'booking').status).toBe('CANCELLED');
  });

  it('a hold can be cancelled until the start, and not after it', async () => {
    const { tour, booking } = await hold(3);
    const kept = await hold(3);
    expect(expectOcto(await cancel(booking), 'booking').status).toBe('CANCELLED');
    await moveDeparture(kept.tour, startIn(0));
    expect(await read(kept.booking)).toMatchObject({ status: 'ON_HOLD', cancellable: false });
    expectOctoError(await cancel(kept.booking), 400, 'UNPROCESSABLE_ENTITY');
    await moveDeparture(tour, startIn(0));
    expect(expectOcto(await cancel(booking), 'booking').status).toBe('CANCELLED');
  });

  it.each(['Pacific/Kiritimati', 'Pacific/Pago_Pago'])(
    'a booking without a start time can be cancelled until its date ends in %s',
    async (timeZone) => {
      const { tour, booking } = await book(null, { timeZone });
      expect((await read(booking)).cancellable).toBe(true);
      const today = todayIn(timeZone);
      const yesterday = new Date(Date.parse(today) - DAY * 60_000).toISOString().slice(0, 10);
      await moveDeparture(tour, { date: yesterday });
      expect((await read(booking)).cancellable).toBe(false);
      expectOctoError(await cancel(booking), 400, 'UNPROCESSABLE_ENTITY');
      await moveDeparture(tour, { date: today });
      expect(expectOcto(await cancel(booking), 'booking').status).toBe('CANCELLED');
    },
  );

  it('REST cancels a booking after the start', async () => {
    const { tour, booking } = await book(3);
    await moveDeparture(tour, startIn(0));
    const { body } = await reseller.post(`/api/tenant/bookings/${booking.supplierReference}/cancel`);
    expect(body.status).toBe('cancelled');
    expect(expectOcto(await cancel(booking), 'booking').status).toBe('CANCELLED');
  });
});

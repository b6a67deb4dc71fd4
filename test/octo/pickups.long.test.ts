import type { Response } from 'supertest';
import { eraseAnswersAfterReturn } from '../../services/api/bookings/erase-late-answers';
import type { OctoBooking } from '../../services/api/octo/booking.dto';
import { useTestApi } from '../support/api';
import { daysFromToday, givenDeparture, givenKey, givenTour } from '../support/given';
import { type Seats, useWebsite } from '../support/website';
import { useTerminalOf } from '../cli/terminal';
import { expectOcto, expectOctoError } from './schemas';

const api = useTestApi();
const reseller = useWebsite(api);
const terminal = useTerminalOf(api);
const PICKUPS = { 'octo-capabilities': 'octo/pickups' };
/** Clocks in Berlin change on 2027-03-28 at 02:00. */
const SUNDAY = '2027-03-28';

beforeAll(async () => {
  const point = {
    translations: '{}',
    lat: 52.5,
    lng: 13.4,
    google_place_id: 'ChIJ-1',
    directions: 'North gate',
  };
  await api.db('pickup_points').insert([
    { ...point, code: 'station', name: 'Station', address: 'Europaplatz 1' },
    { ...point, code: 'pier', name: 'Pier', address: null, directions: null },
  ]);
});

interface Product extends Seats {
  availabilityId: string;
}

async function givenProduct({
  pickup = {},
  date = daysFromToday(20),
}: { pickup?: object | null; date?: string } = {}): Promise<Product> {
  const tour = await givenTour(api.db);
  const points = [
    { point: 'station', minutes_before: 30 },
    { point: 'pier', minutes_before: 90 },
  ];
  const offered = { required: false, until: 'confirm', elsewhere: true, points, ...pickup };
  await api
    .db('tours')
    .where({ id: tour.id })
    .update({
      pickup: pickup && JSON.stringify(offered),
      start_time: '03:30',
      time_zone: 'Europe/Berlin',
    });
  await givenDeparture(api.db, tour, { seats: 60, date });
  const [availabilityId] = await api.db('departures').where({ tour_id: tour.id }).pluck('id');
  return { tour, date, availabilityId };
}

const bodyOf = ({ tour, availabilityId }: Product, more: object = {}) => ({
  productId: tour.id,
  optionId: 'DEFAULT',
  availabilityId,
  unitItems: [{ unitId: 'adult' }],
  ...more,
});
const ok = (answer: Response) => expectOcto(answer, 'booking') as OctoBooking;
const reserve = async (product: Product, more: object = {}) =>
  ok(await reseller.post('/octo/bookings', bodyOf(product, more), PICKUPS));
const change = async ({ uuid }: OctoBooking, body: object) =>
  ok(await reseller.patch(`/octo/bookings/${uuid}`, body, PICKUPS));
const confirm = async ({ uuid }: OctoBooking, body: object = {}) =>
  ok(await reseller.post(`/octo/bookings/${uuid}/confirm`, body, PICKUPS));
const read = async ({ uuid }: OctoBooking) => ok(await reseller.get(`/octo/bookings/${uuid}`).set(PICKUPS));
const restOf = async ({ supplierReference }: OctoBooking) =>
  (await reseller.get(`/api/tenant/bookings/${supplierReference}`)).body;

describe('octo/pickups', () => {
  it('is listed, and in effect only by its name with the prefix', async () => {
    const { body } = await reseller.get('/octo/capabilities');
    expect(body.map(({ id }: { id: string }) => id)).toContain('octo/pickups');
    const named = async (header: string) =>
      (await reseller.get('/octo/capabilities').set({ 'octo-capabilities': header })).headers[
        'octo-capabilities'
      ];
    expect(await named('octo/pickups')).toBe('octo/pickups');
    expect(await named('pickups, pricing')).toBe('octo/pricing');
    const { tour, availabilityId } = await givenProduct();
    const product = expectOcto(await reseller.get(`/octo/products/${tour.id}`), 'product');
    expect(product.options[0]).not.toHaveProperty('pickupAvailable');
    const ids = { productId: tour.id, optionId: 'DEFAULT', availabilityIds: [availabilityId] };
    expect((await reseller.post('/octo/availability', ids)).body[0]).not.toHaveProperty('pickupPoints');
  });

  it('lists the points of an option without times, and of an availability with their times, over a change of the clocks', async () => {
    const { tour, availabilityId } = await givenProduct({ pickup: { required: true }, date: SUNDAY });
    const { body: product } = await reseller.get(`/octo/products/${tour.id}`).set(PICKUPS);
    const station = {
      id: 'station',
      name: 'Station',
      directions: 'North gate',
      address: 'Europaplatz 1',
      latitude: 52.5,
      longitude: 13.4,
      localDateTime: null,
      localDateTimeTo: null,
      googlePlaceId: 'ChIJ-1',
      street: null,
      postalCode: null,
      locality: null,
      region: null,
      state: null,
      country: null,
    };
    expect(product.options[0]).toMatchObject({ pickupAvailable: true, pickupRequired: true });
    expect(product.options[0].pickupPoints[0]).toEqual(station);
    const ids = { productId: tour.id, optionId: 'DEFAULT', availabilityIds: [availabilityId] };
    const { body } = await reseller.post('/octo/availability', ids, PICKUPS);
    expect(body[0]).toMatchObject({ pickupAvailable: true, pickupRequired: true });
    const times = body[0].pickupPoints.map(({ localDateTime }: { localDateTime: string }) => localDateTime);
    expect(times).toEqual(['2027-03-28T03:00:00+02:00', '2027-03-28T01:00:00+01:00']);
  });

  it('says that a tour fetches nobody', async () => {
    const product = await givenProduct({ pickup: null });
    const none = { pickupAvailable: false, pickupRequired: false, pickupPoints: [] };
    const { body } = await reseller.get(`/octo/products/${product.tour.id}`).set(PICKUPS);
    expect(body.options[0]).toMatchObject(none);
    const empty = { pickupRequested: false, pickupPointId: null, pickupPoint: null, pickupHotel: null };
    expect(await reserve(product, { pickupHotel: 'Hotel Adlon' })).toMatchObject({
      ...empty,
      availability: none,
    });
  });
});

describe('the pickup of an OCTO booking', () => {
  it('is kept with the reservation, and taken over by the booking, also after its point was dropped', async () => {
    const product = await givenProduct({ pickup: { required: true, until: 'booking' } });
    const held = await reserve(product, {
      pickupRequested: true,
      pickupPointId: 'station',
      pickupHotel: 'Adlon',
    });
    const shown = {
      pickupRequested: true,
      pickupPointId: 'station',
      pickupPoint: {
        id: 'station',
        name: 'Station',
        localDateTime: expect.stringContaining(`${product.date}T03:00:00`),
      },
      pickupHotel: 'Adlon',
      pickupHotelRoom: null,
    };
    expect(held).toMatchObject(shown);
    expect(await read(held)).toEqual(held);
    const dropped = { required: true, until: 'booking', elsewhere: false, points: [] };
    await api
      .db('tours')
      .where({ id: product.tour.id })
      .update({ pickup: JSON.stringify(dropped) });
    const booked = await confirm(held);
    expect(booked).toMatchObject({
      ...shown,
      pickupPoint: { id: 'station', latitude: null },
      status: 'CONFIRMED',
    });
    expect((await restOf(booked)).pickup).toMatchObject({ point: 'station', name: 'Station', time: '03:00' });
  });

  it('is a hotel as a place where the tour fetches elsewhere, and a point wins over it', async () => {
    const product = await givenProduct();
    const held = await reserve(product, { pickupHotel: 'Hotel Adlon', pickupHotelRoom: '12' });
    expect(held).toMatchObject({
      pickupRequested: true,
      pickupPoint: null,
      pickupHotel: 'Hotel Adlon',
      pickupHotelRoom: '12',
    });
    const booked = await confirm(held);
    expect((await restOf(booked)).pickup).toMatchObject({ point: null, name: 'Hotel Adlon, 12', time: null });
    expect(booked).toMatchObject({ pickupHotel: 'Hotel Adlon', pickupHotelRoom: '12' });
    const moved = await change(booked, { pickupPointId: 'pier' });
    expect(moved).toMatchObject({ pickupPointId: 'pier', pickupHotel: 'Hotel Adlon' });
    expect((await restOf(booked)).pickup).toMatchObject({ point: 'pier', time: '02:00' });
    await reseller.patch(`/api/tenant/bookings/${booked.supplierReference}`, {
      pickup: { place: 'Harbour 7' },
    });
    expect(await read(booked)).toMatchObject({
      pickupPointId: null,
      pickupHotel: 'Harbour 7',
      pickupHotelRoom: null,
    });
    expect(await change(booked, { pickupRequested: true, pickupPointId: null })).toMatchObject({
      pickupHotel: 'Harbour 7',
    });
    expect(await change(booked, { pickupRequested: false })).toMatchObject({
      pickupRequested: false,
      pickupHotel: null,
    });
    expect((await restOf(booked)).pickup).toBeNull();
  });

  it('a confirmation may name it, and a change of the reservation replaces or clears it', async () => {
    const product = await givenProduct();
    const held = await reserve(product);
    expect(await change(held, { pickupPointId: 'pier' })).toMatchObject({ pickupPointId: 'pier' });
    expect(await change(held, { notes: 'Two bicycles' })).toMatchObject({ pickupPointId: 'pier' });
    expect(await change(held, { pickupPointId: null })).toMatchObject({
      pickupRequested: true,
      pickupPointId: null,
    });
    expect(await confirm(held, { pickupPointId: 'station' })).toMatchObject({ pickupPointId: 'station' });
  });

  it('an unknown point is BAD_REQUEST in a reservation, a change and a confirmation, as is a hotel where the tour fetches at points only', async () => {
    const product = await givenProduct({ pickup: { elsewhere: false } });
    const wrong = { pickupPointId: 'harbour' };
    expectOctoError(await reseller.post('/octo/bookings', bodyOf(product, wrong)), 400, 'BAD_REQUEST');
    const hotel = await reseller.post('/octo/bookings', bodyOf(product, { pickupHotel: 'Adlon' }));
    expectOctoError(hotel, 400, 'BAD_REQUEST');
    const held = await reserve(product);
    const at = `/octo/bookings/${held.uuid}`;
    expectOctoError(await reseller.patch(at, wrong), 400, 'BAD_REQUEST');
    expectOctoError(await reseller.post(`${at}/confirm`, wrong), 400, 'BAD_REQUEST');
    await change(held, { pickupPointId: 'pier', pickupHotel: 'Adlon' });
    expect(await change(held, { pickupPointId: null })).toMatchObject({
      pickupPointId: null,
      pickupHotel: null,
    });
    const booked = await confirm(held);
    expectOctoError(await reseller.patch(`/octo/bookings/${booked.uuid}`, wrong), 400, 'BAD_REQUEST');
    expect(await read(booked)).toMatchObject({ status: 'CONFIRMED', pickupPointId: null });
    for (const body of [{ pickupRequested: 'yes' }, { pickupHotel: 'x'.repeat(201) }, { pickupHotelRoom: 7 }])
      expectOctoError(await reseller.post('/octo/bookings', bodyOf(product, body)), 400, 'BAD_REQUEST');
  });

  it('a required pickup that is missing never blocks, is listed as missing, and may be cleared', async () => {
    const product = await givenProduct({ pickup: { required: true, until: 'booking' } });
    const booked = await confirm(await reserve(product, { pickupRequested: true }));
    expect(booked).toMatchObject({ status: 'CONFIRMED', pickupRequested: true, pickupPointId: null });
    const line = `booking list --missing-answers --tenant ${reseller.tenant.slug}`;
    const refs = async () =>
      (await terminal.json(line)).items.map(({ booking_ref }: { booking_ref: string }) => booking_ref);
    expect(await refs()).toContain(booked.supplierReference);
    await change(booked, { pickupPointId: 'station' });
    expect(await refs()).not.toContain(booked.supplierReference);
    expect(await change(booked, { pickupPointId: null })).toMatchObject({ pickupPointId: null });
  });

  it('moves to another product with its point, if that product fetches there too', async () => {
    const [first, second] = [await givenProduct(), await givenProduct()];
    const third = await givenProduct({ pickup: { points: [{ point: 'pier', minutes_before: 5 }] } });
    const held = await reserve(first, { pickupPointId: 'station' });
    const to = ({ tour, availabilityId }: Product) => ({ productId: tour.id, availabilityId });
    expect(await change(held, to(second))).toMatchObject({ pickupPointId: 'station' });
    expect(await change(held, to(third))).toMatchObject({ pickupRequested: true, pickupPointId: null });
  });

  it('is taken over by a booking that REST makes of the reservation, unless that names another one', async () => {
    const product = await givenProduct({ pickup: { required: true, until: 'booking' } });
    const book = async (body: object) => {
      const { uuid } = await reserve(product, { pickupPointId: 'station' });
      const [hold_id] = await api.db('octo_bookings').where({ uuid }).pluck('hold_id');
      const { body: answer } = await reseller.book({ tour_id: product.tour.id, hold_id, ...body });
      return answer.pickup;
    };
    expect(await book({})).toMatchObject({ point: 'station' });
    expect(await book({ pickup: { point: 'pier' } })).toMatchObject({ point: 'pier' });
  });

  it('the same reservation with another pickup is another one', async () => {
    const product = await givenProduct();
    const uuid = '6f1b0d7e-2f63-4f9d-8d0e-6a3b1c2d4e5f';
    const held = await reserve(product, { uuid, pickupPointId: 'station' });
    expect(await reserve(product, { uuid, pickupPointId: 'station' })).toEqual(held);
    const other = await reseller.post('/octo/bookings', bodyOf(product, { uuid, pickupPointId: 'pier' }));
    expectOctoError(other, 400, 'INVALID_BOOKING_UUID', { uuid });
  });

  it('a key that may not read bookings sees only the hotel that it has sent', async () => {
    const product = await givenProduct();
    const booked = await confirm(
      await reserve(product, { pickupHotel: 'Hotel Adlon', pickupHotelRoom: '12' }),
    );
    const key = await givenKey(api.db, reseller.tenant, ['booking:create', 'booking:manage']);
    const headers = { ...PICKUPS, authorization: `Bearer ${key}` };
    const patch = (body: object) => reseller.patch(`/octo/bookings/${booked.uuid}`, body, headers);
    expect(ok(await patch({ notes: 'Late' }))).toMatchObject({ pickupHotel: null, pickupHotelRoom: null });
    expect(ok(await patch({ pickupHotel: 'Grand Hotel' }))).toMatchObject({
      pickupHotel: 'Grand Hotel',
      pickupHotelRoom: null,
    });
  });

  it('is erased with its customer, and after the return', async () => {
    const product = await givenProduct();
    const stored = async ({ uuid }: OctoBooking) =>
      (await api.db('octo_bookings').where({ uuid }).pluck('pickup'))[0];
    const erased = await confirm(
      await reserve(product, { pickupHotel: 'Hotel Adlon', pickupHotelRoom: '12' }),
    );
    await terminal.json(`booking anonymize ${erased.supplierReference} --yes --force`);
    expect([await stored(erased), (await read(erased)).pickupHotel]).toEqual([null, null]);
    const late = await confirm(await reserve(product, { pickupHotel: 'Hotel Adlon' }));
    const live = await reserve(await givenProduct(), { pickupHotel: 'Hotel Adlon' });
    const date = daysFromToday(-92);
    await api
      .db('departures')
      .where({ id: product.availabilityId })
      .update({ departure_date: date, return_date: date });
    await api
      .db('booking_leads')
      .where({ booking_ref: late.supplierReference })
      .update({ departure_date: date });
    await eraseAnswersAfterReturn(api.db, 90);
    expect([await stored(late), (await read(late)).pickupHotel]).toEqual([null, null]);
    expect(await stored(live)).toMatchObject({ hotel: 'Hotel Adlon' });
  });
});

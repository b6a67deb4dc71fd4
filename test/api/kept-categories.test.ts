import { randomUUID } from 'node:crypto';
import type { Response } from 'supertest';
import type { Category } from '../../services/api/parties/category';
import { useTestApi } from '../support/api';
import { daysFromToday, givenDeparture, givenTour, type GivenTour } from '../support/given';
import { expectInvalidFields } from '../support/responses';
import { seatsTaken, useWebsite } from '../support/website';

/*
 * A hold or booking whose tour has lost a category, or has other rules for it, keeps the units that it has. A further unit is judged by the
 * tour's present list.
 */

const ADULT: Category = { code: 'adult', kind: 'adult', seats: 1, people: 1 };
const SENIOR: Category = { code: 'senior', kind: 'senior', seats: 1, people: 1 };
const BOAT: Category = { code: 'boat', kind: 'group', seats: 4, people: 4 };
const PRICES = { adult: 2_000, senior: 1_500, boat: 9_000 };

const api = useTestApi();
const website = useWebsite(api);

interface Shop {
  tour: GivenTour;
  date: string;
  other: string;
}

async function givenShop(): Promise<Shop> {
  const tour = await givenTour(api.db, { categories: [ADULT, SENIOR, BOAT] });
  const departure = { seats: 40, prices: PRICES };
  const date = await givenDeparture(api.db, tour, departure);
  const other = await givenDeparture(api.db, tour, { ...departure, date: daysFromToday(31) });
  return { tour, date, other };
}

/** Gives the tour another list of categories, as an import does: a removed category loses its prices. */
async function change({ tour }: Shop, categories: Category[]): Promise<void> {
  await api
    .db('tours')
    .where({ id: tour.id })
    .update({ categories: JSON.stringify(categories) });
  const codes = categories.map(({ code }) => code);
  const prices = Object.entries(PRICES).filter(([code]) => codes.includes(code));
  await api
    .db('departures')
    .where({ tour_id: tour.id })
    .update({ prices_minor: JSON.stringify(Object.fromEntries(prices)) });
}

const hold = async ({ tour, date }: Shop, party: object, more: object = {}) =>
  (await website.hold(tour, { departure_date: date, party, ...more })).body.hold_id as string;
const book = ({ tour, date }: Shop, body: object) =>
  website.book({ tour_id: tour.id, departure_date: date, ...body });
const bookingOf = async (shop: Shop, party: object) =>
  (await book(shop, { party })).body.booking_ref as string;
const patchHold = (id: string, body: object) => website.patch(`/api/gateway/holds/${id}`, body);
const patch = (ref: string, body: object) => website.patch(`/api/tenant/bookings/${ref}`, body);

/** Checks that the answer is 400 and names the category. */
function expectRefused(answer: Response, code: string, message: string): void {
  expectInvalidFields(answer, [`party.${code}`]);
  expect(answer.body.errors[0].message).toContain(message);
}

describe('a hold whose tour has lost a category', () => {
  it.each<[string, (id: string, ref: string) => object]>([
    ['by its id', (id) => ({ hold_id: id })],
    ['by its reference', (_, ref) => ({ external_ref: ref })],
    ['by its reference without a date', (_, ref) => ({ external_ref: ref, departure_date: undefined })],
  ])('a booking %s cannot take a unit that the hold does not have', async (_, named) => {
    const shop = await givenShop();
    const ref = randomUUID();
    const id = await hold(shop, { adult: 2 }, { external_ref: ref });
    await change(shop, [ADULT, SENIOR]);
    const lost = 'boat is none of the categories adult, senior';
    expectRefused(await book(shop, { party: { adult: 1, boat: 1 }, ...named(id, ref) }), 'boat', lost);
    const booked = await book(shop, { party: { adult: 1, senior: 2 }, ...named(id, ref) });
    expect(booked.body).toMatchObject({ party: { adult: 1, senior: 2 }, total_price: 50 });
  });

  it('a change cannot take a unit that the hold does not have, and the others stay free to change', async () => {
    const shop = await givenShop();
    const id = await hold(shop, { adult: 2 });
    await change(shop, [ADULT]);
    expectRefused(await patchHold(id, { party: { boat: 1 } }), 'boat', 'is none of the categories adult');
    expectRefused(await patchHold(id, { party: { senior: 1 } }), 'senior', 'is none of the categories adult');
    expect((await patchHold(id, { party: { adult: 3 } })).body).toMatchObject({
      party: { adult: 3 },
      quantity: 3,
    });
  });

  it('the units that it has are booked and moved at their locked price, and do not become more', async () => {
    const shop = await givenShop();
    const id = await hold(shop, { adult: 1, boat: 2 });
    await change(shop, [ADULT, SENIOR]);
    expectRefused(
      await patchHold(id, { party: { boat: 3 } }),
      'boat',
      'is none of the categories adult, senior',
    );
    const moved = await patchHold(id, { departure_date: shop.other, party: { senior: 1 } });
    expect(moved.body).toMatchObject({
      departure_date: shop.other,
      party: { adult: 1, senior: 1, boat: 2 },
      quantity: 10,
      total_price: 215,
    });
    expect((await patchHold(id, { party: { boat: 1 } })).body).toMatchObject({
      quantity: 6,
      total_price: 125,
    });
    const body = { hold_id: id, departure_date: undefined, expected_total: 125 };
    const booked = await book(shop, { ...body, party: { adult: 1, senior: 1, boat: 1 } });
    expect(booked.body).toMatchObject({ party: { adult: 1, senior: 1, boat: 1 }, total_price: 125 });
    expect(await seatsTaken(api.db, { ...shop, date: shop.other })).toBe(6);
  });

  it('a reservation of OCTO has INVALID_UNIT_ID for a unit that it does not have', async () => {
    const shop = await givenShop();
    const [departureId] = await api
      .db('departures')
      .where({ tour_id: shop.tour.id, departure_date: shop.date })
      .pluck('id');
    const unitItems = (...units: string[]) => units.map((unitId) => ({ unitId }));
    const { body } = await website.post('/octo/bookings', {
      productId: shop.tour.id,
      optionId: 'DEFAULT',
      availabilityId: departureId,
      unitItems: unitItems('adult', 'senior'),
    });
    await change(shop, [ADULT]);
    const path = `/octo/bookings/${body.uuid}`;
    const refused = { status: 400, body: { error: 'INVALID_UNIT_ID', unitId: 'boat' } };
    expect(await website.patch(path, { unitItems: unitItems('adult', 'boat') })).toMatchObject(refused);
    expect(await website.post(`${path}/confirm`, { unitItems: unitItems('boat') })).toMatchObject(refused);
    const more = await website.patch(path, { unitItems: unitItems('adult', 'senior', 'senior') });
    expect([more.status, more.body.errorMessage]).toEqual([
      400,
      'The number of senior must be left out: senior is none of the categories adult.',
    ]);
    expect((await website.post(`${path}/confirm`, { unitItems: unitItems('senior') })).body.status).toBe(
      'CONFIRMED',
    );
  });
});

describe('a booking whose tour has lost a category', () => {
  it('a booking changes its date, and keeps the price of the units whose category is lost', async () => {
    const shop = await givenShop();
    const ref = await bookingOf(shop, { adult: 1, boat: 2 });
    await change(shop, [SENIOR, ADULT]);
    await api
      .db('departures')
      .where({ tour_id: shop.tour.id })
      .update({ prices_minor: JSON.stringify({ adult: 3_000, senior: 1_000 }) });
    const moved = await patch(ref, { departure_date: shop.other, expected_total: 210 });
    expect(moved.body).toMatchObject({
      departure_date: shop.other,
      party: { adult: 1, boat: 2 },
      total_price: 210,
    });
    expect(moved.body.price_breakdown.categories).toEqual([
      expect.objectContaining({ category: 'adult', number: 1, unit_price: 30 }),
      expect.objectContaining({ category: 'boat', number: 2, unit_price: 90 }),
    ]);
    expect(await seatsTaken(api.db, shop)).toBe(0);
    expect(await seatsTaken(api.db, { ...shop, date: shop.other })).toBe(9);
    const lost = 'boat is none of the categories senior, adult';
    expectRefused(await patch(ref, { party: { boat: 3 } }), 'boat', lost);
    expectRefused(await patch(ref, { departure_date: shop.date, party: { boat: 3 } }), 'boat', lost);
    expect((await patch(ref, { party: { boat: 1 } })).body.total_price).toBe(120);
    expectRefused(await patch(ref, { party: { boat: 2 } }), 'boat', lost);
    expect((await patch(ref, { departure_date: shop.date })).body).toMatchObject({
      party: { adult: 1, boat: 1 },
      total_price: 120,
    });
  });

  it('a booking cannot take a unit of the lost category that it does not have', async () => {
    const shop = await givenShop();
    const ref = await bookingOf(shop, { adult: 2 });
    await change(shop, [ADULT]);
    for (const date of [shop.date, shop.other])
      expectRefused(await patch(ref, { departure_date: date, party: { boat: 1 } }), 'boat', 'must be');
    expect((await patch(ref, { party: { adult: 1 } })).body.total_price).toBe(20);
  });
});

describe('a hold or booking whose tour has other rules for a category', () => {
  const LIMITED: Category[] = [
    ADULT,
    { ...SENIOR, max: 1 },
    { ...BOAT, with: ['senior'], seats: 5, people: 5 },
  ];

  it('a hold or booking keeps the units that it has, and more units obey the present rules', async () => {
    const shop = await givenShop();
    const id = await hold(shop, { adult: 1, senior: 3 });
    const ref = await bookingOf(shop, { adult: 1, senior: 3 });
    await change(shop, LIMITED);
    for (const changed of [(body: object) => patchHold(id, body), (body: object) => patch(ref, body)]) {
      expectRefused(await changed({ party: { senior: 4 } }), 'senior', 'must be at most 1');
      expect((await changed({ party: { adult: 2 } })).body.party).toEqual({ adult: 2, senior: 3 });
      expect((await changed({ party: { senior: 2 } })).body.party).toEqual({ adult: 2, senior: 2 });
      expect((await changed({ departure_date: shop.other })).body.party).toEqual({ adult: 2, senior: 2 });
    }
    const booked = await book(shop, {
      hold_id: id,
      departure_date: undefined,
      party: { adult: 3, senior: 2 },
    });
    expect(booked.body.party).toEqual({ adult: 3, senior: 2 });
  });

  it('a unit that a hold or booking does not have yet has the present rules and seats', async () => {
    const shop = await givenShop();
    const id = await hold(shop, { adult: 1 });
    const ref = await bookingOf(shop, { adult: 1 });
    await change(shop, LIMITED);
    for (const changed of [(body: object) => patchHold(id, body), (body: object) => patch(ref, body)])
      expectRefused(await changed({ party: { boat: 1 } }), 'boat', 'must be 0 without senior');
    expect((await patch(ref, { party: { boat: 1, senior: 1 } })).status).toBe(200);
    expect((await patchHold(id, { party: { boat: 1, senior: 1 } })).body.quantity).toBe(7);
    expect(await seatsTaken(api.db, shop)).toBe(14);
    expectRefused(
      await book(shop, { hold_id: id, party: { adult: 1, senior: 2, boat: 1 } }),
      'senior',
      'must be at most 1',
    );
    expect((await book(shop, { hold_id: id, party: { senior: 1, boat: 2 } })).status).toBe(201);
    expect(await seatsTaken(api.db, shop)).toBe(18);
  });
});

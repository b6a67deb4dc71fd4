import type { Response } from 'supertest';
import type { Category } from '../../services/api/parties/category';
import { useTestApi } from '../support/api';
import { daysFromToday, givenDeparture, givenPriceRule, givenTour } from '../support/given';
import { expectInvalidFields, expectProblem, expectReplay } from '../support/responses';
import {
  endPaymentWindow,
  givenSeats,
  type Seats,
  seatsTaken,
  givenWebsite,
  useWebsite,
} from '../support/website';

const MUSEUM: Category[] = [
  { code: 'visitor', kind: 'adult', seats: 1, people: 1 },
  { code: 'senior', kind: 'senior', age_from: 65, seats: 1, people: 1, max: 3 },
  { code: 'infant', kind: 'infant', age_to: 2, seats: 0, people: 1, with: ['visitor', 'senior'] },
  { code: 'family', kind: 'family', seats: 4, people: 4 },
  { code: 'guide', kind: 'supplement', seats: 0, people: 0, at_most: 'visitor' },
];
const PRICES = { visitor: 2_000, senior: 1_500, infant: 0, family: 5_000, guide: 700 };
const CLUB: Category[] = [
  { code: 'adult', kind: 'adult', seats: 1, people: 1, max: 4 },
  { code: 'infant', kind: 'infant', seats: 0, people: 1 },
  { code: 'family', kind: 'family', seats: 4, people: 4 },
  { code: 'single_supplement', kind: 'supplement', seats: 0, people: 0, at_most: 'adult' },
];
const BOAT: Category[] = [{ code: 'boat', kind: 'group', seats: 8, people: 8, max: 1 }];

const TRAVELLER = { category: 'family', first_name: 'Ana', last_name: 'Lima' };

const api = useTestApi();
const website = useWebsite(api);

async function givenCategories(
  categories: Category[],
  prices: Record<string, number>,
  seats = 20,
): Promise<Seats> {
  const tour = await givenTour(api.db, { categories });
  return { tour, date: await givenDeparture(api.db, tour, { seats, prices }) };
}
const givenClub = () =>
  givenCategories(CLUB, { adult: 2_000, infant: 0, family: 5_000, single_supplement: 700 });
const givenMuseum = (seats?: number) => givenCategories(MUSEUM, PRICES, seats);

const bodyOf = ({ date }: Seats, body: object) => ({ departure_date: date, ...body });
const hold = (seats: Seats, body: object) => website.hold(seats.tour, bodyOf(seats, body));
const book = (seats: Seats, body: object) => website.book({ tour_id: seats.tour.id, ...bodyOf(seats, body) });
const patch = (ref: string, body: object) => website.patch(`/api/tenant/bookings/${ref}`, body);

describe('a party by category', () => {
  it('a hold takes the seats of its party, and its booking has the same party, prices and total', async () => {
    const museum = await givenMuseum();
    const party = { visitor: 2, infant: 3, family: 1, guide: 1 };
    const placed = await hold(museum, { party });
    expect(placed.body).toMatchObject({
      party,
      quantity: 6,
      adults: 0,
      children: 0,
      unit_price: 20,
      total_price: 97,
      prices: { visitor: 20, senior: 15, infant: 0, family: 50, guide: 7 },
    });
    expect(Object.keys(placed.body.party)).toEqual(['visitor', 'infant', 'family', 'guide']);
    const booked = await book(museum, { party, hold_id: placed.body.hold_id, expected_total: 97 });
    expect(booked.body).toMatchObject({
      party,
      adults: 0,
      children: 0,
      single_supplements: 0,
      total_price: 97,
    });
    expect(booked.body.price_breakdown).toMatchObject({
      unit_price: 20,
      platform_unit_price: 20,
      categories: [
        { category: 'visitor', number: 2, unit_price: 20, total: 40 },
        { category: 'infant', number: 3, unit_price: 0, total: 0 },
        { category: 'family', number: 1, unit_price: 50, total: 50 },
        { category: 'guide', number: 1, unit_price: 7, total: 7 },
      ],
    });
    expect(await seatsTaken(api.db, museum)).toBe(6);
  });

  it('adults and a bare quantity mean the first category if it takes one seat', async () => {
    const museum = await givenMuseum();
    expect((await hold(museum, { quantity: 2 })).body.party).toEqual({ visitor: 2 });
    expect((await hold(museum, { quantity: 3, adults: 3 })).body.party).toEqual({ visitor: 3 });
    expect((await book(museum, {})).body.party).toEqual({ visitor: 1 });
    expect((await book(museum, { adults: 2, party: { senior: 1 } })).body.party).toEqual({
      visitor: 2,
      senior: 1,
    });
    const boat = await givenCategories(BOAT, { boat: 40_000 });
    expectInvalidFields(await hold(boat, { quantity: 8 }), ['party']);
    expectInvalidFields(await book(boat, {}), ['party']);
    expect((await hold(boat, { party: { boat: 1 }, quantity: 8 })).body.total_price).toBe(400);
  });

  it.each([
    [{ party: { visitor: 1, dog: 1 } }, 'party.dog'],
    [{ party: { visitor: 1, senior: 4 } }, 'party.senior'],
    [{ party: { infant: 1, family: 1 } }, 'party.infant'],
    [{ party: { family: 1, guide: 1 } }, 'party.guide'],
    [{ party: { visitor: 1 }, adults: 1 }, 'adults'],
    [{ party: { visitor: 1 }, quantity: 2 }, 'quantity'],
    [{ party: { visitor: 1 }, children: 1 }, 'children'],
    [{ party: { infant: 1 } }, 'party'],
    [{ party: { visitor: 51 } }, 'party'],
    [{ party: { visitor: 1, infant: 99 } }, 'party'],
    [{ party: { visitor: -1 } }, 'party.visitor'],
    [{ party: { visitor: 'two' } }, 'party.visitor'],
    [{ party: [] }, 'party'],
    [{ party: null }, 'party'],
    [{ party: {} }, 'party'],
    [{ party: { dog: 2 } }, 'party.dog'],
    [{ party: { visitor: 1, dog: 0 } }, 'party.dog'],
    [{ party: { adult: 1 }, adults: 1 }, 'adults'],
  ])('a hold with %j gets 400, and takes no seat', async (body, field) => {
    const museum = await givenMuseum();
    expectInvalidFields(await hold(museum, body), [field]);
    expect(await seatsTaken(api.db, museum)).toBe(0);
  });

  it.each([
    [{ adult: 5 }, 'party.adult'],
    [{ adult: 1, single_supplement: 2 }, 'party.single_supplement'],
    [{ adult: 1, child: 1 }, 'party.child'],
    [{ adult: 0, infant: 1 }, 'party'],
    [{ adult: 0, family: 13 }, 'party'],
  ])('the 400 for the party %j names the field party', async (party, field) => {
    const club = await givenClub();
    expectInvalidFields(await hold(club, { party }), [field]);
    expectInvalidFields(await book(club, { party }), [field]);
    const { hold_id: id } = (await hold(club, { party: { adult: 1 } })).body;
    expectInvalidFields(await website.patch(`/api/gateway/holds/${id}`, { party }), [field]);
    const { booking_ref: ref } = (await book(club, { hold_id: id })).body;
    expectInvalidFields(await patch(ref, { party }), [field]);
  });

  it('the 400 for a number in a field of its own names this field, also beside a party', async () => {
    const club = await givenClub();
    expectInvalidFields(await hold(club, { quantity: 5 }), ['adults']);
    expectInvalidFields(await book(club, { adults: 5 }), ['adults']);
    expectInvalidFields(await book(club, { adults: 5, party: { infant: 1 } }), ['adults']);
    expectInvalidFields(await book(club, { adults: 1, single_supplements: 1, party: { family: 13 } }), [
      'party',
    ]);
  });

  it('a wrong category is judged after the departure and its free seats', async () => {
    const museum = await givenMuseum(1);
    for (const wrong of [{ party: { visitor: 2, dog: 1 } }, { party: { dog: 2, visitor: 2 }, quantity: 2 }]) {
      expectProblem(await hold(museum, wrong), 409, 'insufficient_seats');
      const gone = { ...museum, date: daysFromToday(77) };
      expectProblem(await hold(gone, wrong), 409, 'departure_gone');
    }
  });

  it('a party that is required or has unknown codes alone is judged last, for a booking too', async () => {
    const boat = await givenCategories(BOAT, { boat: 40_000 }, 7);
    const gone = { ...boat, date: daysFromToday(77) };
    for (const wrong of [{ quantity: 8 }, { party: { baot: 1 } }, { party: { baot: 0 } }])
      expectProblem(await hold(gone, wrong), 409, 'departure_gone');
    for (const wrong of [{}, { party: { baot: 1 } }, { adults: 1, travellers: [TRAVELLER] }])
      expectProblem(await book(gone, wrong), 409, 'departure_gone');
    expectProblem(await hold(boat, { quantity: 8 }), 409, 'insufficient_seats');
    expectInvalidFields(await hold(boat, { quantity: 7 }), ['party']);
    expectInvalidFields(await book(boat, { party: { baot: 1 }, travellers: [TRAVELLER] }), ['party.baot']);
    const museum = await givenMuseum(1);
    await hold(museum, { quantity: 1 });
    expectProblem(await hold(museum, { party: { dog: 1 } }), 409, 'insufficient_seats');
  });

  it('adults beside a party are the issue where they mean no category of the tour', async () => {
    const boat = await givenCategories(BOAT, { boat: 40_000 });
    for (const refused of [
      await hold(boat, { adults: 2, party: { boat: 1 } }),
      await book(boat, { adults: 2, party: { boat: 1 } }),
    ]) {
      expectInvalidFields(refused, ['adults']);
      const { message } = refused.body.errors[0];
      expect(message).toBe('must be left out: adult is none of the categories boat');
    }
  });

  it('a tour whose adult takes several seats requires a party for a bare quantity', async () => {
    const tables = await givenCategories([{ code: 'adult', kind: 'group', seats: 4, people: 4 }], {
      adult: 1_000,
    });
    const refused = await hold(tables, { quantity: 4 });
    expectInvalidFields(refused, ['party']);
    expect(refused.body.errors[0].message).toBe(
      'is required for this tour: a number for each wanted category of adult',
    );
    expect((await hold(tables, { quantity: 4, adults: 1 })).body.party).toEqual({ adult: 1 });
    const { hold_id: id } = (await hold(tables, { party: { adult: 1 } })).body;
    const change = (body: object) => website.patch(`/api/gateway/holds/${id}`, body);
    expectInvalidFields(await change({ quantity: 8 }), ['party']);
    expect((await change({ adults: 2 })).body.quantity).toBe(8);
  });

  it('a category without a price on the departure is not sold there', async () => {
    const museum = await givenCategories(MUSEUM, { visitor: 2_000, senior: 1_500 });
    expectInvalidFields(await hold(museum, { party: { family: 1 } }), ['party.family']);
  });

  it('travellers name categories of the party: at most the people of its units', async () => {
    const museum = await givenMuseum();
    const of = (category: string) => ({ category, first_name: 'Ana', last_name: 'Lima' });
    const family = { party: { family: 1 } };
    const four = Array.from({ length: 4 }, () => of('family'));
    const booked = await book(museum, { ...family, travellers: four });
    expect(booked.status).toBe(201);
    expectInvalidFields(await book(museum, { ...family, travellers: [...four, of('family')] }), [
      'travellers',
    ]);
    expectInvalidFields(await book(museum, { ...family, travellers: [of('senior')] }), ['travellers']);
    const unknown = { ...family, travellers: [of('family'), of('dog')] };
    expectInvalidFields(await book(museum, unknown), ['travellers.1.category']);
    const supplement = { party: { visitor: 1, guide: 1 }, travellers: [of('guide')] };
    expectInvalidFields(await book(museum, supplement), ['travellers']);
  });

  it('a booking names all travellers of a party with more than 50 people', async () => {
    const categories: Category[] = [{ code: 'family', kind: 'family', seats: 1, people: 4 }];
    const lake = await givenCategories(categories, { family: 3_000 });
    const travellers = Array.from({ length: 60 }, () => TRAVELLER);
    const booked = await book(lake, { party: { family: 15 }, travellers });
    expect([booked.status, booked.body.errors]).toEqual([201, undefined]);
    const shown = await website.get(`/api/tenant/bookings/${booked.body.booking_ref}`);
    expect(shown.body.travellers).toHaveLength(60);
    expectInvalidFields(await book(lake, { party: { family: 14 }, travellers }), ['travellers']);
  });
});

describe('a change of a party by category', () => {
  it('a change names the categories that it changes; 0 removes one, and the prices stay locked', async () => {
    const museum = await givenMuseum();
    const { booking_ref: ref } = (await book(museum, { party: { visitor: 2, infant: 1 } })).body;
    await api
      .db('departures')
      .where({ tour_id: museum.tour.id })
      .update({
        prices_minor: JSON.stringify({ ...PRICES, visitor: 9_000, family: 6_000 }),
      });
    const added = await patch(ref, { party: { family: 1 } });
    expect(added.body).toMatchObject({ party: { visitor: 2, infant: 1, family: 1 }, total_price: 100 });
    expect((await patch(ref, { party: { infant: 0 } })).body.party).toEqual({ visitor: 2, family: 1 });
    expect((await patch(ref, { adults: 3 })).body).toMatchObject({
      party: { visitor: 3, family: 1 },
      total_price: 120,
    });
    expectInvalidFields(await patch(ref, { party: { visitor: 0, family: 0 } }), ['party']);
    expect(await seatsTaken(api.db, museum)).toBe(7);
  });

  it('a companion cannot leave before the category that travels with it', async () => {
    const museum = await givenMuseum();
    const { booking_ref: ref } = (await book(museum, { party: { visitor: 1, infant: 1 } })).body;
    expectInvalidFields(await patch(ref, { party: { visitor: 0, family: 1 } }), ['party.infant']);
    expect((await patch(ref, { party: { visitor: 0, infant: 0, family: 1 } })).body.party).toEqual({
      family: 1,
    });
  });

  it('on its own date a booking keeps the seats that it locked, and on another date it takes the present ones', async () => {
    const museum = await givenMuseum();
    const other = await givenDeparture(api.db, museum.tour, {
      date: daysFromToday(31),
      seats: 20,
      prices: PRICES,
    });
    const { booking_ref: ref } = (await book(museum, { party: { family: 1 } })).body;
    const larger = MUSEUM.map((one) => (one.code === 'family' ? { ...one, seats: 5, people: 5 } : one));
    await api
      .db('tours')
      .where({ id: museum.tour.id })
      .update({ categories: JSON.stringify(larger) });
    await patch(ref, { party: { family: 2 } });
    expect(await seatsTaken(api.db, museum)).toBe(8);
    expect((await patch(ref, { departure_date: other })).body.party).toEqual({ family: 2 });
    expect(await seatsTaken(api.db, museum)).toBe(0);
    expect(await seatsTaken(api.db, { ...museum, date: other })).toBe(10);
  });

  it('a change that adds nothing is not judged by categories that the tour has lost since', async () => {
    const museum = await givenMuseum();
    const { booking_ref: ref } = (await book(museum, { party: { visitor: 2, senior: 1 } })).body;
    await api
      .db('tours')
      .where({ id: museum.tour.id })
      .update({ categories: JSON.stringify(MUSEUM.slice(0, 1)) });
    expect((await patch(ref, { notes: 'By train' })).status).toBe(200);
    expect((await patch(ref, { party: { visitor: 1 } })).body.party).toEqual({ visitor: 1, senior: 1 });
  });

  it('a hold changes its party and its date', async () => {
    const museum = await givenMuseum();
    const other = await givenDeparture(api.db, museum.tour, {
      date: daysFromToday(31),
      seats: 4,
      prices: PRICES,
    });
    const { hold_id: id } = (await hold(museum, { party: { visitor: 1, infant: 1 } })).body;
    const change = (body: object) => website.patch(`/api/gateway/holds/${id}`, body);
    expect((await change({ quantity: 3 })).body).toMatchObject({
      party: { visitor: 3, infant: 1 },
      quantity: 3,
    });
    expectProblem(await change({ departure_date: other, party: { family: 1 } }), 409, 'insufficient_seats');
    const moved = await change({ departure_date: other, party: { family: 1, visitor: 0, infant: 0 } });
    expect(moved.body).toMatchObject({ party: { family: 1 }, quantity: 4, total_price: 50 });
    expectInvalidFields(await change({ party: { family: 1 }, quantity: 5 }), ['quantity']);
  });

  it('the 400 for a category that the tour has got since the hold names those of the hold', async () => {
    const boat = await givenCategories(BOAT, { boat: 40_000, captain: 9_000 });
    const { hold_id: id } = (await hold(boat, { party: { boat: 1 } })).body;
    const captain = { code: 'captain', kind: 'supplement', seats: 0, people: 0 };
    await api
      .db('tours')
      .where({ id: boat.tour.id })
      .update({ categories: JSON.stringify([...BOAT, captain]) });
    const refused = await website.patch(`/api/gateway/holds/${id}`, { party: { captain: 1 } });
    expectInvalidFields(refused, ['party.captain']);
    expect(refused.body.errors[0].message).toBe('must be left out: captain is none of the categories boat');
  });

  it('a booking that expired takes its seats again when it is confirmed', async () => {
    const museum = await givenMuseum(4);
    const { booking_ref: ref } = (await book(museum, { party: { family: 1 } })).body;
    await endPaymentWindow(api.db, ref);
    await hold(museum, { party: { visitor: 1 } });
    const confirm = () => website.post(`/api/tenant/bookings/${ref}/confirm`);
    expectProblem(await confirm(), 409, 'insufficient_seats');
  });
});

describe('a repeat of a request with a party', () => {
  it('two spellings of a party are one request', async () => {
    const seats = await givenSeats(api.db, { prices: { adult: 50_000, child: 30_000 } });
    const key = (name: string) => ({ 'idempotency-key': `${seats.tour.slug}-${name}` });
    const held = await website.hold(seats.tour, bodyOf(seats, { quantity: 3, children: 1 }), key('hold'));
    expect(held.status).toBe(201);
    for (const party of [
      { adult: 2, child: 1 },
      { adult: 2, child: 1, senior: 0 },
    ])
      expectReplay(await website.hold(seats.tour, bodyOf(seats, { party }), key('hold')), held);
    const path = `/api/gateway/holds/${held.body.hold_id}`;
    const changed = await website.patch(path, { adults: 1, children: 0 }, key('change'));
    expect(changed.body.party).toEqual({ adult: 1 });
    expectReplay(await website.patch(path, { party: { adult: 1, child: 0 } }, key('change')), changed);
    const other = await website.patch(path, { party: { adult: 1 } }, key('change'));
    expectProblem(other, 422, 'idempotency_key_reused');
  });

  it('a change whose party names no category changes nothing, and gets 400', async () => {
    const museum = await givenMuseum();
    const { hold_id: id } = (await hold(museum, { quantity: 1 })).body;
    const { booking_ref: ref } = (await book(museum, {})).body;
    expectInvalidFields(await website.patch(`/api/gateway/holds/${id}`, { party: {} }), ['body']);
    expectInvalidFields(await patch(ref, { party: {} }), ['body']);
    expect((await patch(ref, { party: {}, notes: 'By train' })).body.notes).toBe('By train');
    expectInvalidFields(await patch(ref, { party: { dog: 0 } }), ['party.dog']);
  });
});

describe('prices by category', () => {
  it('each category has its own deciding rule', async () => {
    const museum = await givenMuseum();
    const ruled = await givenWebsite(api);
    await givenPriceRule(api.db, ruled, {
      tour_id: museum.tour.id,
      amount_minor: 500,
      category: 'senior',
    });
    await givenPriceRule(api.db, ruled, { percent: '10' });
    await givenPriceRule(api.db, ruled, { tour_id: museum.tour.id, amount_minor: -1_000 });
    const { prices, unit_price, total_price } = (
      await ruled.hold(museum.tour, bodyOf(museum, { party: { visitor: 1, senior: 1 } }))
    ).body;
    expect(prices).toEqual({ visitor: 10, senior: 20, infant: 0, family: 55, guide: 7.7 });
    expect([unit_price, total_price]).toEqual([10, 30]);
  });

  it('price_breakdown names the rule of each category, also of one that a change adds', async () => {
    const museum = await givenMuseum();
    const ruled = await givenWebsite(api);
    const give = async (rule: Record<string, unknown>) => (await givenPriceRule(api.db, ruled, rule)).id;
    const ofTour = { tour_id: museum.tour.id };
    const senior = await give({ ...ofTour, amount_minor: 500, category: 'senior' });
    const visitor = await give({ ...ofTour, amount_minor: -1_000 });
    const booked = await ruled.book({
      tour_id: museum.tour.id,
      departure_date: museum.date,
      party: { visitor: 1, senior: 1, infant: 1 },
    });
    const rulesOf = ({ body }: Response) =>
      body.price_breakdown.categories.map((one: { category: string; rule: { id: number } | null }) => [
        one.category,
        one.rule && one.rule.id,
      ]);
    expect(booked.body.price_breakdown.rule).toEqual({
      id: visitor,
      applies_to: 'tour',
      kind: 'amount',
      value: -10,
    });
    expect(rulesOf(booked)).toEqual([
      ['visitor', visitor],
      ['senior', senior],
      ['infant', null],
    ]);
    const percent = await give({ ...ofTour, percent: '10' });
    const change = (party: object) =>
      ruled.patch(`/api/tenant/bookings/${booked.body.booking_ref}`, { party });
    expect(rulesOf(await change({ family: 1, infant: 0 }))).toEqual([
      ['visitor', visitor],
      ['senior', senior],
      ['family', percent],
    ]);
    expect(rulesOf(await change({ visitor: 0, senior: 0 }))).toEqual([['family', percent]]);
    expect(rulesOf(await change({ visitor: 1 }))).toEqual([
      ['visitor', percent],
      ['family', percent],
    ]);
  });

  it('availability is false if the free seats are fewer than those of the smallest booking', async () => {
    const check = async ({ tour, date }: Seats, query = '') =>
      (await website.get(`/api/gateway/tours/${tour.slug}/availability?departure_date=${date}${query}`)).body;
    const boat = await givenCategories(BOAT, { boat: 40_000 }, 12);
    expect(await check(boat)).toMatchObject({ available: true, seats_available: 12, requested: 1 });
    const five = await givenCategories(BOAT, { boat: 40_000 }, 5);
    expect(await check(five)).toMatchObject({ available: false, status: 'available', seats_available: 5 });
    const museum = await givenMuseum(1);
    expect(await check(museum)).toMatchObject({ available: true });
    expect(await check(museum, '&quantity=2')).toMatchObject({ available: false });
    const guest: Category = { code: 'guest', kind: 'adult', seats: 1, people: 1, with: ['boat'] };
    const guests = await givenCategories([...BOAT, guest], { boat: 40_000, guest: 4_000 }, 7);
    expect(await check(guests)).toMatchObject({ available: false, status: 'available', seats_available: 7 });
  });

  it('a booking without a date has the base price of the first category', async () => {
    const { tour } = await givenMuseum();
    const undated = (party: object) => website.book({ tour_id: tour.id, ...party });
    expect((await undated({ party: { visitor: 2 } })).body).toMatchObject({
      party: { visitor: 2 },
      total_price: 1_000,
    });
    expectInvalidFields(await undated({ party: { visitor: 1, senior: 1 } }), ['party.senior']);
  });

  it.each<[string, Category[]]>([
    ['takes eight seats', BOAT],
    ['is not the adult', [MUSEUM[0]!, { code: 'adult', kind: 'adult', seats: 1, people: 1 }]],
  ])(
    'the shortest booking, without a date, means the first category, also where it %s',
    async (_title, categories) => {
      const { tour } = await givenCategories(categories, { [categories[0]!.code]: 40_000 });
      const booked = await website.book({ tour_id: tour.id });
      expect(booked.body).toMatchObject({ party: { [categories[0]!.code]: 1 }, total_price: 500 });
      expectInvalidFields(await website.book({ tour_id: tour.id, adults: 1 }), [expect.any(String)]);
    },
  );

  it('a tour without categories of its own answers as before, and has the party beside', async () => {
    const seats = await givenSeats(api.db, {
      prices: { adult: 50_000, child: 30_000, single_supplement: 9_000 },
    });
    const booked = await book(seats, { adults: 2, children: 1, single_supplements: 1 });
    expect(booked.body).toMatchObject({ adults: 2, children: 1, single_supplements: 1, total_price: 1_390 });
    expect(booked.body.party).toEqual({ adult: 2, child: 1, single_supplement: 1 });
    const row = await api
      .db('booking_leads')
      .where({ booking_ref: booked.body.booking_ref })
      .first('categories', 'seats');
    expect(row).toEqual({ categories: null, seats: 3 });
  });
});

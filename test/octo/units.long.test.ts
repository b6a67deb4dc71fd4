import type { Category } from '../../services/api/parties/category';
import { useTestApi } from '../support/api';
import { daysFromToday, givenDeparture, givenTour, type GivenTour } from '../support/given';
import { givenWebsite, seatsTaken, useWebsite, type Website } from '../support/website';
import { expectOcto, expectOctoError } from './schemas';

const api = useTestApi();
const reseller = useWebsite(api);

/** A tour of all shapes: tickets without a seat, with one, with four and with eight seats, rules of a party, and a supplement. */
const CATEGORIES: Category[] = [
  { code: 'adult', kind: 'adult', age_from: 18, age_to: 64, seats: 1, people: 1 },
  { code: 'senior', kind: 'senior', name: 'Golden age', age_from: 65, seats: 1, people: 1 },
  { code: 'student', kind: 'student', age_to: 26, seats: 1, people: 1, max: 2 },
  { code: 'youth', kind: 'youth', age_from: 12, age_to: 17, seats: 1, people: 1, min: 2 },
  {
    code: 'infant',
    kind: 'infant',
    age_to: 2,
    seats: 0,
    people: 1,
    with: ['adult', 'senior'],
    at_most: 'adult',
  },
  { code: 'family', kind: 'family', name: 'Family of four', seats: 4, people: 4 },
  { code: 'boat', kind: 'group', name: 'Private boat', seats: 8, people: 8 },
  { code: 'single_supplement', kind: 'supplement', seats: 0, people: 0, at_most: 'adult' },
];
const PRICES = {
  adult: 5000,
  senior: 4000,
  student: 3000,
  youth: 2500,
  infant: 0,
  family: 14_000,
  boat: 40_000,
  single_supplement: 900,
};
const SEATS = 20;
const PRICING = { 'octo-capabilities': 'octo/pricing' };
const CONTENT = { 'octo-capabilities': 'octo/content' };
const [FIRST, SECOND] = [daysFromToday(20), daysFromToday(21)];

/** The tour, and the ids of its two departures. The second one sells no students. */
interface Product {
  tour: GivenTour;
  first: string;
  second: string;
}

async function givenProduct(): Promise<Product> {
  const tour = await givenTour(api.db, {
    categories: CATEGORIES,
    translations: { de: { name: 'Bootsfahrt', categories: { senior: 'Goldenes Alter' } } },
  });
  await givenDeparture(api.db, tour, { date: FIRST, seats: SEATS, prices: PRICES });
  const { student: _, ...withoutStudents } = PRICES;
  await givenDeparture(api.db, tour, { date: SECOND, seats: SEATS, prices: withoutStudents });
  const ids = await api.db('departures').where({ tour_id: tour.id }).orderBy('departure_date').pluck('id');
  return { tour, first: ids[0], second: ids[1] };
}

let product: Product;
beforeEach(async () => {
  product = await givenProduct();
});

const at = (uuid: string, call = '') => `/octo/bookings/${uuid}${call}`;
/** Returns the unit items of a party. */
const itemsOf = (party: Record<string, number>) =>
  Object.entries(party).flatMap(([unitId, units]) => Array.from({ length: units }, () => ({ unitId })));
const bodyOf = (party: Record<string, number>, availabilityId = product.first) => ({
  productId: product.tour.id,
  optionId: 'DEFAULT',
  availabilityId,
  unitItems: itemsOf(party),
});
const reserve = (party: Record<string, number>, site: Website = reseller) =>
  site.post('/octo/bookings', bodyOf(party), PRICING);
const taken = (date = FIRST) => seatsTaken(api.db, { tour: product.tour, date });

/** Returns the units of the booking by their unit items, with its total. */
function soldIn({ unitItems, pricing }: { unitItems: { unitId: string }[]; pricing: { retail: number } }) {
  const party: Record<string, number> = {};
  for (const { unitId } of unitItems) party[unitId] = (party[unitId] ?? 0) + 1;
  return [party, pricing.retail];
}

async function availability(units?: Record<string, number>) {
  const answer = await reseller.post(
    '/octo/availability',
    {
      productId: product.tour.id,
      optionId: 'DEFAULT',
      localDateStart: FIRST,
      localDateEnd: SECOND,
      units: units && Object.entries(units).map(([id, quantity]) => ({ id, quantity })),
    },
    PRICING,
  );
  return expectOcto(answer, 'availability');
}

async function availableFor(units?: Record<string, number>): Promise<boolean[]> {
  return (await availability(units)).map(({ available }: { available: boolean }) => available);
}

describe('the product of a tour with categories', () => {
  it('each category without supplements is a unit, with its type, its ages and its rules', async () => {
    const answer = await reseller.get(`/octo/products/${product.tour.id}`).set(PRICING);
    const { units } = expectOcto(answer, 'product').options[0];
    const rules = { idRequired: false, minQuantity: null, maxQuantity: null, accompaniedBy: [] };
    const price = (retail: number) => [
      { original: retail, retail, net: retail, currency: 'EUR', currencyPrecision: 2, includedTaxes: [] },
    ];
    const unit = (id: string, internalName: string, type: string, restrictions: object, retail: number) => ({
      id,
      internalName,
      reference: id,
      type,
      requiredContactFields: [],
      restrictions: { ...rules, ...restrictions },
      pricingFrom: price(retail),
    });
    expect(units).toEqual([
      unit('adult', 'Adult', 'ADULT', { minAge: 18, maxAge: 64, paxCount: 1 }, 5000),
      unit('senior', 'Golden age', 'SENIOR', { minAge: 65, maxAge: 99, paxCount: 1 }, 4000),
      unit('student', 'Student', 'STUDENT', { minAge: 0, maxAge: 26, paxCount: 1, maxQuantity: 2 }, 3000),
      unit('youth', 'Youth', 'YOUTH', { minAge: 12, maxAge: 17, paxCount: 1, minQuantity: 2 }, 2500),
      unit(
        'infant',
        'Infant',
        'INFANT',
        { minAge: 0, maxAge: 2, paxCount: 1, accompaniedBy: ['adult', 'senior'] },
        0,
      ),
      unit('family', 'Family of four', 'FAMILY', { minAge: 0, maxAge: 99, paxCount: 4 }, 14_000),
      unit('boat', 'Private boat', 'OTHER', { minAge: 0, maxAge: 99, paxCount: 8 }, 40_000),
    ]);
  });

  it('octo/content adds the name in the preferred language, and the ages in words', async () => {
    const texts = async (language: string) => {
      const headers = { ...CONTENT, 'accept-language': language };
      const answer = await reseller.get(`/octo/products/${product.tour.id}`).set(headers);
      const { units } = expectOcto(answer, 'product').options[0];
      return units.map(({ title, shortDescription }: Record<string, string>) => [title, shortDescription]);
    };
    expect(await texts('en')).toEqual([
      ['Adult', 'From 18 to 64 years.'],
      ['Golden age', 'From 65 years.'],
      ['Student', 'Up to 26 years.'],
      ['Youth', 'From 12 to 17 years.'],
      ['Infant', 'Up to 2 years.'],
      ['Family of four', undefined],
      ['Private boat', undefined],
    ]);
    expect((await texts('de'))[1]).toEqual(['Goldenes Alter', 'From 65 years.']);
  });
});

describe('the availability of a tour with categories', () => {
  it('unitPricing has the units with a price on the departure', async () => {
    const [first, second] = await availability();
    const priced = ({ unitPricing }: { unitPricing: { unitId: string; retail: number }[] }) =>
      Object.fromEntries(unitPricing.map(({ unitId, retail }) => [unitId, retail]));
    const { single_supplement: _, ...units } = PRICES;
    const { student: __, ...withoutStudents } = units;
    expect([priced(first), priced(second)]).toEqual([units, withoutStudents]);
    expect(first).toMatchObject({ vacancies: SEATS, capacity: SEATS, status: 'AVAILABLE' });
  });

  it('available counts the seats of the wanted units', async () => {
    expect(await availableFor({ family: 5 })).toEqual([true, true]);
    expect(await availableFor({ family: 5, adult: 1 })).toEqual([false, false]);
    expect(await availableFor({ boat: 2, family: 1 })).toEqual([true, true]);
    expect(await availableFor({ boat: 3 })).toEqual([false, false]);
    expect(await availableFor({ adult: 20, infant: 20 })).toEqual([true, true]);
    expectOcto(await reserve({ boat: 2 }), 'booking');
    expect(await availableFor({ family: 1 })).toEqual([true, true]);
    expect(await availableFor({ boat: 1 })).toEqual([false, true]);
  });

  it('available is false for units that the departure does not sell together', async () => {
    expect(await availableFor({ student: 1 })).toEqual([true, false]);
    expect(await availableFor({ student: 3 })).toEqual([false, false]);
    expect(await availableFor({ youth: 1 })).toEqual([false, false]);
    expect(await availableFor({ youth: 2 })).toEqual([true, true]);
    expect(await availableFor({ infant: 1 })).toEqual([false, false]);
    expect(await availableFor({ infant: 1, senior: 1 })).toEqual([false, false]);
    expect(await availableFor({ infant: 1, adult: 1 })).toEqual([true, true]);
  });

  it('a departure whose free seats are too few for any unit is sold out', async () => {
    const boats: Category[] = [{ code: 'boat', kind: 'group', seats: 8, people: 8 }];
    const tour = await givenTour(api.db, { categories: boats });
    await givenDeparture(api.db, tour, { date: FIRST, seats: 12, prices: { boat: 40_000 } });
    await givenDeparture(api.db, tour, { date: SECOND, seats: 16, prices: { boat: 40_000 } });
    product = { ...product, tour };
    for (const { id } of await availability())
      expectOcto(await reseller.post('/octo/bookings', bodyOf({ boat: 1 }, id)), 'booking');
    expect(await availability()).toMatchObject([
      { available: false, status: 'SOLD_OUT', vacancies: 4, capacity: 12 },
      { available: true, status: 'AVAILABLE', vacancies: 8, capacity: 16 },
    ]);
  });

  it.each(['single_supplement', 'group', 'Adult', '__proto__', 'constructor', ''])(
    'a unit that the product does not have is INVALID_UNIT_ID: %s',
    async (unitId) => {
      const { unitItems: _, ...body } = bodyOf({});
      const days = { ...body, localDateStart: FIRST, localDateEnd: FIRST, availabilityId: undefined };
      const units = [{ id: unitId, quantity: 1 }];
      expectOctoError(await reseller.post('/octo/availability', { ...days, units }), 400, 'INVALID_UNIT_ID', {
        unitId,
      });
      const items = { ...body, unitItems: [{ unitId: 'adult' }, { unitId }] };
      expectOctoError(await reseller.post('/octo/bookings', items), 400, 'INVALID_UNIT_ID', { unitId });
      expect(await taken()).toBe(0);
    },
  );
});

describe('a booking of a tour with categories', () => {
  it('seats and totals follow the units from the reservation to the cancellation', async () => {
    const party = { adult: 2, senior: 1, infant: 2, family: 1, boat: 1 };
    const held = expectOcto(await reserve(party), 'booking');
    expect(soldIn(held)).toEqual([party, 10_000 + 4000 + 14_000 + 40_000]);
    expect(await taken()).toBe(2 + 1 + 4 + 8);

    const changed = { adult: 1, student: 2, infant: 1, boat: 1 };
    const patched = await reseller.patch(at(held.uuid), { unitItems: itemsOf(changed) }, PRICING);
    expect(soldIn(expectOcto(patched, 'booking'))).toEqual([changed, 5000 + 6000 + 40_000]);
    expect(await taken()).toBe(1 + 2 + 8);

    const confirmed = { adult: 1, youth: 2, family: 2 };
    const sent = { contact: { fullName: 'Ana Lima' }, unitItems: itemsOf(confirmed) };
    const booking = expectOcto(await reseller.post(at(held.uuid, '/confirm'), sent, PRICING), 'booking');
    expect(booking.status).toBe('CONFIRMED');
    expect(soldIn(booking)).toEqual([confirmed, 5000 + 5000 + 28_000]);
    expect(await taken()).toBe(1 + 2 + 8);
    const { body } = await reseller.get(`/api/tenant/bookings/${booking.supplierReference}`);
    expect(body).toMatchObject({ party: confirmed, total_price: 380 });

    const moved = { availabilityId: product.second, unitItems: itemsOf({ senior: 3, boat: 1 }) };
    const after = expectOcto(await reseller.patch(at(held.uuid), moved, PRICING), 'booking');
    expect(soldIn(after)).toEqual([{ senior: 3, boat: 1 }, 12_000 + 40_000]);
    expect([await taken(FIRST), await taken(SECOND)]).toEqual([0, 11]);

    expectOcto(await reseller.post(at(held.uuid, '/cancel'), {}), 'booking');
    expect(await taken(SECOND)).toBe(0);
  });

  it.each<[Record<string, number>, string]>([
    [{ student: 3 }, 'The number of student must be at most 2: the most of student in one booking.'],
    [
      { youth: 1, adult: 1 },
      'The number of youth must be 0 or at least 2: the fewest of youth in one booking.',
    ],
    [
      { infant: 1, family: 1 },
      'The number of infant must be 0 without adult or senior: infant travels with it.',
    ],
    [
      { infant: 1, senior: 1 },
      'The number of infant must be at most the number of adult: infant may not exceed it.',
    ],
  ])(
    'units that break a rule of their category are refused with its name by each call: %j',
    async (party, message) => {
      const held = expectOcto(await reserve({ adult: 1 }), 'booking');
      const unitItems = itemsOf(party);
      const refusals = [
        await reserve(party),
        await reseller.patch(at(held.uuid), { unitItems }, PRICING),
        await reseller.post(at(held.uuid, '/confirm'), { unitItems }, PRICING),
      ];
      for (const refused of refusals) {
        expectOctoError(refused, 400, 'BAD_REQUEST');
        expect(refused.body.errorMessage).toBe(message);
      }
      expect(await taken()).toBe(1);
      expect(soldIn(expectOcto(await reseller.get(at(held.uuid)).set(PRICING), 'booking'))).toEqual([
        { adult: 1 },
        5000,
      ]);
    },
  );

  it('a move is refused if the other departure has no price for a unit of the booking', async () => {
    const held = expectOcto(await reserve({ adult: 1, student: 1 }), 'booking');
    const refused = await reseller.patch(at(held.uuid), { availabilityId: product.second });
    expectOctoError(refused, 400, 'BAD_REQUEST');
    expect(refused.body.errorMessage).toContain('student');
    expect([await taken(FIRST), await taken(SECOND)]).toEqual([2, 0]);
  });

  it('a booking takes at most 50 seats, and as many units as the product allows', async () => {
    await api.db('departures').where({ id: product.first }).update({ seats_total: 200 });
    const tooManySeats = await reserve({ family: 13 });
    expectOctoError(tooManySeats, 400, 'BAD_REQUEST');
    expect(tooManySeats.body.errorMessage).toBe('unitItems must take from 1 to 50 seats together.');
    expectOctoError(await reserve({ adult: 26, infant: 26 }), 400, 'UNPROCESSABLE_ENTITY');
    expectOcto(await reserve({ adult: 25, infant: 25 }), 'booking');
  });

  it('a booking keeps the supplements that REST has added, and OCTO does not show them as a unit', async () => {
    const { uuid } = expectOcto(await reserve({ adult: 2 }), 'booking');
    const { supplierReference } = expectOcto(await reseller.post(at(uuid, '/confirm'), {}), 'booking');
    const path = `/api/tenant/bookings/${supplierReference}`;
    expect((await reseller.patch(path, { party: { single_supplement: 1 } })).status).toBe(200);
    const unitItems = itemsOf({ adult: 1, senior: 1 });
    const booking = expectOcto(await reseller.patch(at(uuid), { unitItems }, PRICING), 'booking');
    expect(soldIn(booking)).toEqual([{ adult: 1, senior: 1 }, 5000 + 4000 + 900]);
    const shown = booking.option.units.map(({ id }: { id: string }) => id);
    expect(shown).not.toContain('single_supplement');
    expect((await reseller.get(path)).body.party).toEqual({ adult: 1, senior: 1, single_supplement: 1 });
  });

  it('units that REST adds to a booking become unit items with stable ids', async () => {
    const { uuid } = expectOcto(await reserve({ adult: 1 }), 'booking');
    const { supplierReference } = expectOcto(await reseller.post(at(uuid, '/confirm'), {}), 'booking');
    const path = `/api/tenant/bookings/${supplierReference}`;
    expect((await reseller.patch(path, { party: { family: 2, infant: 1 } })).status).toBe(200);
    const read = async () => expectOcto(await reseller.get(at(uuid)).set(PRICING), 'booking');
    const booking = await read();
    expect(soldIn(booking)).toEqual([{ adult: 1, infant: 1, family: 2 }, 5000 + 28_000]);
    expect(await read()).toEqual(booking);
  });

  it('a stored booking shows the units that it has locked, whatever becomes of the categories', async () => {
    const held = expectOcto(await reserve({ adult: 1, senior: 1 }), 'booking');
    const other = expectOcto(await reserve({ adult: 1, family: 1 }), 'booking');
    const sold = expectOcto(await reseller.post(at(other.uuid, '/confirm'), {}, PRICING), 'booking');
    const categories: Category[] = [
      { code: 'adult', kind: 'adult', name: 'Everyone', seats: 2, people: 2, max: 1 },
      { code: 'senior', kind: 'other', age_from: 70, seats: 0, people: 1 },
      { code: 'family', kind: 'group', seats: 6, people: 6 },
      { code: 'dog', kind: 'other', seats: 1, people: 0 },
    ];
    await api
      .db('tours')
      .where({ id: product.tour.id })
      .update({ categories: JSON.stringify(categories) });
    await api
      .db('departures')
      .where({ tour_id: product.tour.id })
      .update({ prices_minor: JSON.stringify({ adult: 1, senior: 1, family: 1, dog: 1 }) });
    for (const before of [held, sold]) {
      const now = expectOcto(await reseller.get(at(before.uuid)).set(PRICING), 'booking');
      expect(now.option.units).toEqual(before.option.units);
      expect(now.unitItems).toEqual(before.unitItems);
      expect(now.pricing).toEqual(before.pricing);
    }
    expect(await taken()).toBe(2 + 5);
    const confirmed = await reseller.post(at(held.uuid, '/confirm'), {}, PRICING);
    expect(soldIn(expectOcto(confirmed, 'booking'))).toEqual([{ adult: 1, senior: 1 }, 9000]);
    expect(await taken()).toBe(2 + 5);
  });

  it('the last seats are sold once, whatever number of seats a unit takes', async () => {
    const sites = await Promise.all([1, 2, 3, 4, 5, 6].map(() => givenWebsite(api)));
    const parties: Record<string, number>[] = [
      { boat: 1 },
      { family: 2 },
      { boat: 1 },
      { adult: 8 },
      { family: 1, adult: 4 },
      { boat: 1 },
    ];
    const answers = await Promise.all(sites.map((site, index) => reserve(parties[index]!, site)));
    const sold = answers.filter(({ status }) => status === 200);
    for (const refused of answers.filter(({ status }) => status !== 200))
      expectOctoError(refused, 400, 'UNPROCESSABLE_ENTITY');
    expect([sold.length, await taken()]).toEqual([2, 16]);
  });
});

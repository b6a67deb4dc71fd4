import fc from 'fast-check';
import { randomUUID } from 'node:crypto';
import { foldName } from '../../../services/platform/forms/fold-name';
import { useTestApi } from '../../support/api';
import { daysFromToday, unique } from '../../support/given';
import { useWebsite } from '../../support/website';
import { expectOcto } from '../schemas';
import { booking, type ModelBooking } from './booking-model';
import {
  availability,
  calendar,
  canBeSold,
  type Capability,
  categoriesOfTour,
  CLOSED_AT,
  type ModelDeparture,
  type ModelParty,
  type ModelTour,
  product,
  seatsOf,
} from './model';
import { DIGITS, type RandomTour, randomTour, type WantedParty, wantedParty } from './random-tours';

const api = useTestApi();
const reseller = useWebsite(api);
/** `npm run lab -- octo-truth` makes 200 runs. */
const RUNS = Number(process.env.OCTO_TRUTH_RUNS ?? 60);
/** The search for the smallest counterexample ends then. */
const MS_MAX = 60_000 + RUNS * 3_000;

/** Stores a tour with its departures and price rules. */
async function store(random: RandomTour): Promise<ModelTour> {
  const [slug, name] = [unique('tour'), unique('Tour')];
  const { currency, zone, durationDays, tiers, cutoffHours } = random;
  const [{ id }] = await api
    .db('tours')
    .insert({
      slug,
      name,
      name_folded: foldName(name),
      continent: 'asia',
      country: 'VN',
      duration_days: durationDays,
      currency,
      currency_digits: DIGITS[currency],
      base_price_minor: random.base,
      time_zone: zone,
      status: 'published',
      start_time: random.startTime,
      group_size_max: random.groupSize,
      booking_cutoff: cutoffHours === 0 ? null : `${cutoffHours}h`,
      cancellation: tiers && JSON.stringify({ tiers }),
      categories: random.categories && JSON.stringify(random.categories),
      summary: random.summary,
      inclusions: random.inclusions,
    })
    .returning('id');
  const categories = categoriesOfTour(random);
  const { percent, amount } = random.rules;
  const rule = amount && {
    code: categories[amount.category % categories.length]!.code,
    minor: amount.minor,
  };
  const tour = { ...random, id, slug, name, categories, percent, amount: rule };
  await storeRules(tour);
  return { ...tour, departures: await storeDepartures(id, random) };
}

async function storeRules({
  id,
  percent,
  amount,
}: Pick<ModelTour, 'id' | 'percent' | 'amount'>): Promise<void> {
  const shared = { tenant_id: reseller.tenant.id, tour_id: id };
  if (percent !== null) await api.db('price_rules').insert({ ...shared, kind: 'percent', percent });
  if (amount === null) return;
  const { code, minor } = amount;
  await api
    .db('price_rules')
    .insert({ ...shared, kind: 'amount', amount_minor: minor, currency: 'EUR', category: code });
}

async function storeDepartures(tourId: string, tour: RandomTour): Promise<ModelDeparture[]> {
  const codes = categoriesOfTour(tour).map(({ code }) => code);
  const stored: ModelDeparture[] = [];
  for (const { day, times, seats, prices, state, days } of tour.departures) {
    const date = daysFromToday(day);
    const priced = codes.flatMap((code, index) =>
      prices[index] === undefined ? [] : [[code, prices[index]]],
    );
    const pricesByCode = Object.fromEntries(priced) as Record<string, number>;
    for (const time of times) {
      const [{ id }] = await api
        .db('departures')
        .insert({
          tour_id: tourId,
          departure_date: date,
          start_time: time,
          return_date: days === null ? null : daysFromToday(day + days),
          seats_total: seats,
          prices_minor: JSON.stringify(pricesByCode),
          status: state === 'cancelled' ? 'cancelled' : 'scheduled',
          closes_at: state === 'closed' ? CLOSED_AT : null,
        })
        .returning('id');
      stored.push({
        id,
        date,
        time: time ?? tour.startTime,
        seats,
        taken: 0,
        prices: pricesByCode,
        state,
        days,
      });
    }
  }
  return stored.sort((a, b) => keyOf(a).localeCompare(keyOf(b)));
}

const keyOf = ({ date, time }: ModelDeparture) => `${date} ${time ?? ''}`;

const CAPABILITIES: Capability[][] = [
  [],
  ['octo/pricing'],
  ['octo/content'],
  ['octo/pricing', 'octo/content'],
];
const headersOf = (capabilities: Capability[]) => ({ 'octo-capabilities': capabilities.join(',') });

/** Returns the units that are on the product, of a wanted party. */
function partyOf(tour: ModelTour, wanted: WantedParty): ModelParty {
  const units = product(tour, []).options[0]!.units as { id: string }[];
  const counted = tour.categories.map(({ code }, index) => [code, wanted[index]!] as const);
  return Object.fromEntries(
    counted.filter(([code, number]) => number > 0 && units.some(({ id }) => id === code)),
  );
}

/** Compares the product, and the availability and the calendar of all its departures, with the catalog. */
async function checkCatalog(tour: ModelTour, capabilities: Capability[], party: ModelParty): Promise<void> {
  const headers = headersOf(capabilities);
  const shown = await reseller.get(`/octo/products/${tour.id}`).set(headers);
  expect(expectOcto(shown, 'product')).toEqual(product(tour, capabilities));
  const body = {
    productId: tour.id,
    optionId: 'DEFAULT',
    localDateStart: daysFromToday(1),
    localDateEnd: daysFromToday(45),
  };
  const units = Object.entries(party).map(([id, quantity]) => ({ id, quantity }));
  for (const wanted of [undefined, ...(units.length > 0 ? [party] : [])]) {
    const asked = wanted ? { ...body, units } : body;
    const rows = await reseller.post('/octo/availability', asked, headers);
    expect(expectOcto(rows, 'availability')).toEqual(
      tour.departures.map((departure) => availability(tour, departure, capabilities, wanted)),
    );
    const days = await reseller.post('/octo/availability/calendar', asked, headers);
    expect(expectOcto(days, 'calendar')).toEqual(calendar(tour, capabilities, wanted));
  }
}

/** Reserves the party on each departure. @returns the booking of the first one that sells it, or undefined */
async function reserve(tour: ModelTour, party: ModelParty): Promise<ModelBooking | undefined> {
  let sold: ModelBooking | undefined;
  for (const departure of tour.departures) {
    const uuid = randomUUID();
    const unitItems = Object.entries(party).flatMap(([unitId, units]) =>
      Array.from({ length: units }, () => ({ uuid: randomUUID(), unitId })),
    );
    const body = { uuid, productId: tour.id, optionId: 'DEFAULT', availabilityId: departure.id, unitItems };
    const answer = await reseller.post('/octo/bookings', body);
    if (!canBeSold(tour, departure, party)) {
      expect([answer.status, answer.body.error]).toEqual([
        400,
        expect.stringMatching(/^(BAD_REQUEST|UNPROCESSABLE_ENTITY)$/),
      ]);
      continue;
    }
    expectOcto(answer, 'booking');
    departure.taken += seatsOf(tour, party);
    sold ??= { uuid, departure, party, unitItems, status: 'ON_HOLD', bookingRef: null };
  }
  return sold;
}

/** Compares each state of a booking with the model, also after the tour has other categories and prices. */
async function checkBooking(locked: ModelTour, sold: ModelBooking, other: RandomTour): Promise<ModelTour> {
  const check = async (tour: ModelTour, kept: ModelTour) => {
    for (const capabilities of CAPABILITIES) {
      const read = await reseller.get(`/octo/bookings/${sold.uuid}`).set(headersOf(capabilities));
      expect(expectOcto(read, 'booking')).toEqual(booking(tour, kept, sold, capabilities));
    }
  };
  await check(locked, locked);
  const tour = await changeCategories(locked, other);
  sold.departure = tour.departures.find(({ id }) => id === sold.departure.id)!;
  await check(tour, locked);
  const confirmed = await reseller.post(`/octo/bookings/${sold.uuid}/confirm`, {});
  expectOcto(confirmed, 'booking');
  sold.status = 'CONFIRMED';
  sold.bookingRef = confirmed.body.supplierReference;
  const renewed = renewedBy(locked, tour, sold.party);
  await check(tour, renewed);
  expectOcto(await reseller.post(`/octo/bookings/${sold.uuid}/cancel`, {}), 'booking');
  sold.status = 'CANCELLED';
  sold.departure.taken -= seatsOf(locked, sold.party);
  await check(tour, renewed);
  return tour;
}

/** Returns the locked tour as a confirmation stores it: a category without a unit in the party is as the present tour says. */
function renewedBy(locked: ModelTour, tour: ModelTour, party: ModelParty): ModelTour {
  const present = new Map(tour.categories.map((category) => [category.code, category]));
  const categories = locked.categories.map((category) =>
    party[category.code] ? category : (present.get(category.code) ?? category),
  );
  return { ...locked, categories };
}

/** Gives the tour the categories of another one, and each departure a price of its first category. */
async function changeCategories(tour: ModelTour, other: RandomTour): Promise<ModelTour> {
  const categories = categoriesOfTour(other);
  const prices = { [categories[0]!.code]: other.base };
  const { id } = tour;
  await api
    .db('tours')
    .where({ id })
    .update({ categories: other.categories && JSON.stringify(categories) });
  await api
    .db('departures')
    .where({ tour_id: id })
    .update({ prices_minor: JSON.stringify(prices) });
  return { ...tour, categories, departures: tour.departures.map((departure) => ({ ...departure, prices })) };
}

it(
  'each field of products, availability, calendar and bookings is as the catalog says, for random tours of all shapes',
  async () => {
    const stored: ModelTour[] = [];
    const outcomes = new Set<string>();
    await fc.assert(
      fc.asyncProperty(
        randomTour,
        wantedParty,
        randomTour,
        fc.constantFrom(...CAPABILITIES),
        async (random, wanted, other, capabilities) => {
          const tour = await store(random);
          const party = partyOf(tour, wanted);
          await checkCatalog(tour, capabilities, party);
          const sold = Object.keys(party).length > 0 ? await reserve(tour, party) : undefined;
          await checkCatalog(tour, capabilities, party);
          outcomes.add(sold ? 'sold' : 'refused');
          const after = sold ? await checkBooking(tour, sold, other) : tour;
          await checkCatalog(after, capabilities, {});
          stored.push(after);
        },
      ),
      { numRuns: RUNS, interruptAfterTimeLimit: MS_MAX, markInterruptAsFailure: true },
    );
    expect([...outcomes].sort()).toEqual(['refused', 'sold']);
    const all = CAPABILITIES.at(-1)!;
    const products = expectOcto(await reseller.get('/octo/products').set(headersOf(all)), 'products');
    const listed = new Map(products.map((one: { id: string }) => [one.id, one]));
    for (const tour of stored) expect(listed.get(tour.id)).toEqual(product(tour, all));
  },
  MS_MAX + 60_000,
);

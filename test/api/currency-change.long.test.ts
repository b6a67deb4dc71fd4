import { setTimeout as sleep } from 'node:timers/promises';
import supertest from 'supertest';
import { setVisibility } from '../../services/api/catalog/manage-visibility';
import { setExchangeRates } from '../../services/api/pricing/change-exchange-rates';
import { addPriceRule } from '../../services/api/pricing/change-price-rules';
import { findTenantForChange } from '../../services/api/tenants/manage-tenants';
import { type Db, inTransaction, type Trx } from '../../services/platform/database/database';
import { departureEntry, importFiles, tourEntry } from '../catalog/catalog-files';
import { useTestApi } from '../support/api';
import { claimKeyElsewhere, untilItMeetsKey } from '../support/claimed-key';
import { daysFromToday, givenDeparture, givenTour, type GivenTour } from '../support/given';
import { answerAfter, untilTransactionWaits } from '../support/lock-wait';
import { expectProblem } from '../support/responses';
import { givenSeats, givenWebsite, type Seats, useWebsite } from '../support/website';
import { startApiProcess } from '../support/api-process';
import { givenWidgetToken, SHOP } from '../widget/given-widget';

const api = useTestApi();
const website = useWebsite(api);
let db: Db;
beforeAll(() => {
  db = api.db;
});

const YEN = { currency: 'JPY', currency_digits: 0, base_price_minor: 230_000 };
const EURO = { currency: 'EUR', currency_digits: 2, base_price_minor: 139_000 };

/** Changes the departures, then their tour, as an import does. */
async function changeCurrency(trx: Trx, tour: GivenTour, to: typeof YEN | typeof EURO): Promise<void> {
  const prices = JSON.stringify({ adult: to.base_price_minor });
  await trx('departures').where({ tour_id: tour.id }).update({ prices_minor: prices });
  await trx('tours')
    .where({ id: tour.id })
    .update({ ...to, revision: trx.raw('revision + 1') });
}

const givenEuroSeats = async () => {
  const tour = await givenTour(db, { basePriceMinor: 139_000 });
  return { tour, date: await givenDeparture(db, tour, { prices: { adult: 139_000 } }) };
};
const hold = ({ tour, date }: Seats) => website.hold(tour, { departure_date: date, quantity: 1 });
const book = ({ tour, date }: Seats) => website.book({ tour_id: tour.slug, departure_date: date });

describe('a sale that waited for its departure', () => {
  it('a sale that waits while the currency of its tour changes uses the new currency', async () => {
    const held = await givenEuroSeats();
    const answer = await answerAfter(
      db,
      held,
      () => hold(held),
      (trx) => changeCurrency(trx, held.tour, YEN),
    );
    expect(answer.body).toMatchObject({ currency: 'JPY', unit_price: 230_000, total_price: 230_000 });

    const booked = await givenEuroSeats();
    const lead = await answerAfter(
      db,
      booked,
      () => book(booked),
      (trx) => changeCurrency(trx, booked.tour, YEN),
    );
    expect(lead.body).toMatchObject({ currency: 'JPY', total_price: 230_000 });
  });

  it('a sale that waits while its tour moves to another continent uses the price rule of that continent', async () => {
    const seats = await givenSeats(db);
    await inTransaction(db, (trx) =>
      addPriceRule(trx, website.tenant, { continent: 'africa', change: { kind: 'percent', value: '50' } }),
    );
    const move = (trx: Trx) => trx('tours').where({ id: seats.tour.id }).update({ continent: 'africa' });
    expect((await answerAfter(db, seats, () => hold(seats), move)).body.unit_price).toBe(750);
  });

  it('a sale that waits while a price rule is added uses this rule', async () => {
    const seats = await givenSeats(db);
    const other = await givenWebsite(api);
    const add = (trx: Trx) => addPriceRule(trx, other.tenant, { change: { kind: 'percent', value: '10' } });
    const sell = () => other.book({ tour_id: seats.tour.slug, departure_date: seats.date });
    expect((await answerAfter(db, seats, sell, add)).body.total_price).toBe(550);
  });

  it('a sale that waits while its tour becomes invisible answers 404 and takes no seats', async () => {
    const hidden = await givenSeats(db);
    const archived = await givenSeats(db);
    const hide = async (trx: Trx) => {
      const tenant = await findTenantForChange(trx, website.tenant.slug);
      await setVisibility(trx, tenant, { kind: 'tour', tourId: hidden.tour.id }, false);
    };
    const archive = (trx: Trx) => trx('tours').where({ id: archived.tour.id }).update({ status: 'archived' });
    for (const sell of [hold, book]) {
      await db('visibility_tour_rules').where({ tour_id: hidden.tour.id }).delete();
      await db('tours').where({ id: archived.tour.id }).update({ status: 'published' });
      expectProblem(await answerAfter(db, hidden, () => sell(hidden), hide), 404, 'tour_not_found');
      expectProblem(await answerAfter(db, archived, () => sell(archived), archive), 404, 'tour_not_found');
    }
    const taken = await db('seat_holds as h')
      .join('departures as d', 'd.id', 'h.departure_id')
      .whereIn('d.tour_id', [hidden.tour.id, archived.tour.id]);
    expect(taken).toEqual([]);
  });
});

describe('a booking without a date', () => {
  it("a booking without a date that waited for its Idempotency-Key uses the tour's new currency", async () => {
    const tour = await givenTour(db, { basePriceMinor: 139_000 });
    const first = await db.transaction();
    const claimed = { tenantId: website.tenant.id, operation: 'booking.create', key: 'twice' } as const;
    await claimKeyElsewhere(first, claimed);
    const answer = website.book({ tour_id: tour.slug }, { 'idempotency-key': 'twice' });
    await untilItMeetsKey(answer);
    await inTransaction(db, (trx) => changeCurrency(trx, tour, YEN));
    await first.rollback();
    expect((await answer).body).toMatchObject({ currency: 'JPY', total_price: 230_000 });
  });
});

describe('an import', () => {
  const entry = (slug: string, fields: object) =>
    tourEntry({ slug, departures: [departureEntry()], ...fields });

  it.each([
    // Keeps the price in minor units, so that the departure's row does not change.
    ['currency', { currency: 'JPY', departures: [departureEntry({ prices: { adult: 129_000 } })] }],
    ['continent', { continent: 'africa' }],
    ['time zone', { time_zone: 'Asia/Tokyo' }],
    ['status', { status: 'archived' }],
  ])("an import that changes a tour's %s waits for a sale of its departures", async (what, change) => {
    const slug = `moved-${what.replace(' ', '-')}`;
    await importFiles(db, { 'tours.json': [entry(slug, {})] });
    const [departure] = await db('departures as d')
      .join('tours as t', 't.id', 'd.tour_id')
      .where('t.slug', slug)
      .select('d.id');
    let over = false;
    let importing: Promise<unknown> | undefined;
    await inTransaction(db, async (sale) => {
      await sale('departures').where({ id: departure.id }).forUpdate().first();
      importing = importFiles(db, { 'tours.json': [entry(slug, change)] }).finally(() => (over = true));
      importing.catch(() => undefined);
      await untilTransactionWaits(db);
      expect(over).toBe(false);
    });
    expect(await importing).toMatchObject({ tours: { updated: 1 }, errors: [] });
  });
});

describe('an import that changes the currency of a sold tour', () => {
  const DATES = [daysFromToday(30), daysFromToday(40)];
  const YEN_RATES = [
    { currency: 'USD', unitsPerEur: '1.25' },
    { currency: 'JPY', unitsPerEur: '160' },
  ];

  const importTour = (slug: string, currency: string, adult: number) => {
    const departures = DATES.map((departure_date) =>
      departureEntry({ departure_date, prices: { adult, child: adult / 2 } }),
    );
    const tour = tourEntry({ slug, currency, base_price: adult, departures });
    return importFiles(db, { 'tours.json': [tour] });
  };
  const sellsInEuro = async () => {
    await inTransaction(db, (trx) => setExchangeRates(trx, { rates: YEN_RATES }));
    return givenWebsite(api, { sellIn: { code: 'EUR', digits: 2 } });
  };

  it('an import changes the currency while all sales are locked in selling currencies, and they keep price and currency', async () => {
    const shop = await sellsInEuro();
    await importTour('sold-in-euro', 'USD', 1000);
    const order = { tour_id: 'sold-in-euro', departure_date: DATES[0] };
    const held = await shop.hold('sold-in-euro', { departure_date: DATES[0], quantity: 2 });
    const { body: booked } = await shop.book(order);
    expect([held.body, booked]).toMatchObject([{ total_price: 1600 }, { total_price: 800, currency: 'EUR' }]);
    const report = await importTour('sold-in-euro', 'JPY', 160_000);
    expect([report.errors, report.tours.updated]).toEqual([[], 1]);

    const path = `/api/tenant/bookings/${booked.booking_ref}`;
    expect((await shop.get(path)).body).toMatchObject({ total_price: 800, currency: 'EUR' });
    expect((await shop.get(`/api/gateway/holds/${held.body.hold_id}`)).body).toMatchObject({
      total_price: 1600,
      currency: 'EUR',
    });
    const converted = await shop.book({
      ...order,
      hold_id: held.body.hold_id,
      adults: 2,
      expected_total: 1600,
    });
    expect([converted.status, converted.body]).toMatchObject([
      201,
      { total_price: 1600, currency: 'EUR', price_breakdown: { converted_from: 'USD', rate: 0.8 } },
    ]);
    expect((await shop.book(order)).body).toMatchObject({
      total_price: 1000,
      price_breakdown: { converted_from: 'JPY', rate: 0.00625 },
    });
    expect((await shop.patch(path, { adults: 2 })).body.total_price).toBe(1600);
    // The child is a new category, so its price is the present one.
    expect((await shop.patch(path, { children: 1 })).body.total_price).toBe(2100);
    const moved = await shop.patch(path, { departure_date: DATES[1], adults: 1, children: 0 });
    expect(moved.body).toMatchObject({ total_price: 1000, currency: 'EUR' });
    const confirmed = await shop.post(`${path}/confirm`);
    expect([confirmed.status, confirmed.body.status]).toEqual([200, 'confirmed']);
  });

  it.each(['hold', 'booking'])(
    "an import refuses to change the currency while one %s is locked in the tour's own currency",
    async (kind) => {
      const slug = `sold-with-a-${kind}`;
      await importTour(slug, 'USD', 1000);
      await (await sellsInEuro()).book({ tour_id: slug, departure_date: DATES[0] });
      const own = { departure_date: DATES[0], quantity: 1 };
      const answer =
        kind === 'hold'
          ? await website.hold(slug, own)
          : await website.book({ tour_id: slug, departure_date: DATES[0] });
      expect(answer.body).toMatchObject({ currency: 'USD', total_price: 1000 });
      expect((await importTour(slug, 'JPY', 160_000)).errors).toMatchObject([
        {
          field: 'currency',
          message:
            'must stay USD: the tour has active holds, or confirmed or unpaid bookings, in this currency',
        },
      ]);
      if (kind === 'hold') await website.delete(`/api/gateway/holds/${answer.body.hold_id}`);
      else await website.post(`/api/tenant/bookings/${answer.body.booking_ref}/cancel`, {});
      expect((await importTour(slug, 'JPY', 160_000)).errors).toEqual([]);
    },
  );
});

describe('answers during changes of the currency', () => {
  it('answers never show an amount of one currency with the code of another', async () => {
    const { tour, date } = await givenEuroSeats();
    const { token } = await givenWidgetToken(db, website.tenant, { origins: [SHOP] });
    const { authorization } = website;
    // Uses a separate process with the read cache on.
    const quotas = { GATEWAY_AVAILABILITY_RPM: '1000000', CATALOG_RPM: '1000000', WIDGET_RPM: '1000000' };
    const instance = await startApiProcess(api.database.url, quotas);
    const paths = [
      `/api/gateway/tours/${tour.slug}/availability?departure_date=${date}`,
      `/api/tenant/tours/${tour.slug}/departures`,
      `/api/tenant/tours/${tour.slug}`,
      '/api/tenant/catalog?limit=100',
      `/api/widget/tours?limit=30&token=${token}`,
    ];
    const shown = new Set<string>();
    /** The prices that answers have shown since the last change. */
    const recent = new Set<string>();
    let over = false;
    const readers = paths.map(async (path) => {
      const headers: Record<string, string> = path.includes('token') ? { origin: SHOP } : { authorization };
      while (!over) {
        const { status, body } = await supertest(instance.baseUrl).get(path).set(headers);
        expect(status).toBe(200);
        for (const price of pricesShown(body, tour)) {
          shown.add(`${path.split(/[?/]/)[3]}: ${price}`);
          recent.add(price);
        }
        // Stays below the limit of 120 widget lists a minute for each address.
        if (path.includes('token')) await sleep(100);
      }
    });
    for (let flip = 0; flip < 8; flip++) {
      await inTransaction(db, (trx) => changeCurrency(trx, tour, flip % 2 ? EURO : YEN));
      recent.clear();
      await sleep(150);
      while (!recent.has(flip % 2 ? '1390 EUR' : '230000 JPY')) await sleep(10);
    }
    over = true;
    await Promise.all(readers);
    await instance.stop();
    const names = [...new Set([...shown].map((text) => text.split(': ')[1]))];
    expect(names.sort()).toEqual(['1390 EUR', '230000 JPY']);
  });
});

interface Priced {
  slug?: string;
  currency: string;
  price_from?: number;
  prices?: { adult: number };
  tenant_prices?: { adult: number };
}

/** Returns each price of the tour in the answer, followed by the currency of the answer's item: `1290 EUR`. */
function pricesShown(body: Priced & { items?: Priced[] }, tour: GivenTour): string[] {
  return (body.items ?? [body])
    .filter(({ slug }) => slug === undefined || slug === tour.slug)
    .flatMap((item) =>
      [item.price_from, item.prices?.adult, item.tenant_prices?.adult]
        .filter((price) => price !== undefined)
        .map((price) => `${price} ${item.currency}`),
    );
}

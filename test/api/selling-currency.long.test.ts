import { inTransaction } from '../../services/platform/database/database';
import { importExchangeRates, setExchangeRates } from '../../services/api/pricing/change-exchange-rates';
import { findTenantForChange, updateTenant } from '../../services/api/tenants/manage-tenants';
import { useTestApi } from '../support/api';
import { BEGINNING, type CatalogEntry, changesSince } from '../support/catalog-changes';
import {
  daysFromToday,
  givenDeparture,
  givenPriceRule,
  givenTour,
  type GivenTour,
  type TourOverrides,
} from '../support/given';
import { expectProblem } from '../support/responses';
import { givenWebsite, seatsTaken, type Website } from '../support/website';
import { givenWidgetToken, SHOP } from '../widget/given-widget';

const api = useTestApi();

const EUR = { code: 'EUR', digits: 2 };
const USD = { code: 'USD', digits: 2 };
const CHF = { code: 'CHF', digits: 2 };
const DATE = daysFromToday(30);
const LATER = daysFromToday(40);
const FAMILY = { adult: 100_000, child: 33_333, single_supplement: 5_005 };

/** Sets rates as the terminal does. No instance with a valid read cache runs beside the test, so the change applies at once. */
async function setRates(rates: Record<string, string>, date?: string): Promise<void> {
  const named = Object.entries(rates).map(([currency, unitsPerEur]) => ({ currency, unitsPerEur }));
  await inTransaction(api.db, (trx) => setExchangeRates(trx, { rates: named, date }));
}

async function sellIn({ tenant }: Website, currency: { code: string; digits: number } | null): Promise<void> {
  await inTransaction(api.db, async (trx) =>
    updateTenant(trx, await findTenantForChange(trx, tenant.slug), { sellIn: currency }),
  );
}

/** Creates a tour with two departures at the prices of FAMILY. */
async function givenFamilyTour(overrides: TourOverrides = {}): Promise<GivenTour> {
  const tour = await givenTour(api.db, { basePriceMinor: 120_000, ...overrides });
  await givenDeparture(api.db, tour, { date: DATE, prices: FAMILY });
  await givenDeparture(api.db, tour, { date: LATER, prices: FAMILY });
  return tour;
}

const departuresToLock = async (website: Website, tour: GivenTour) =>
  (await website.get(`/api/tenant/tours/${tour.slug}/departures`)).body.items;
const itemOf = async (website: Website, tour: GivenTour) => {
  const { body } = await website.get('/api/tenant/catalog?limit=100');
  return body.items.find(({ id }: { id: string }) => id === tour.id);
};
const inDollars = () => givenFamilyTour({ currency: 'USD' });
const TODAY = new Date().toISOString().slice(0, 10);

beforeEach(async () => {
  await setRates({ USD: '1.25', GBP: '0.8437', JPY: '168.42', KWD: '0.3321' });
});

describe('a tenant with a selling currency', () => {
  it('every answer of a tour has the prices in the selling currency, and names the currency of the platform', async () => {
    const website = await givenWebsite(api, { sellIn: EUR });
    const tour = await inDollars();
    expect(await itemOf(website, tour)).toMatchObject({ currency: 'EUR', price_from: 800 });
    const detail = await website.get(`/api/tenant/tours/${tour.slug}`);
    expect(detail.body).toMatchObject({
      currency: 'EUR',
      price_from: 800,
      tenant_prices: { adult: 960, deposit: 192 },
    });
    const prices = {
      currency: 'EUR',
      platform_currency: 'USD',
      prices: { adult: 1000, child: 333.33, single_supplement: 50.05 },
      tenant_prices: { adult: 800, child: 266.66, single_supplement: 40.04, deposit: 160 },
    };
    expect((await departuresToLock(website, tour))[0]).toMatchObject(prices);
    const available = await website.get(
      `/api/gateway/tours/${tour.slug}/availability?departure_date=${DATE}`,
    );
    expect(available.body).toMatchObject(prices);
    const gone = await website.get(
      `/api/gateway/tours/${tour.slug}/availability?departure_date=${daysFromToday(50)}`,
    );
    expect(gone.body).toMatchObject({
      status: 'gone',
      currency: 'EUR',
      platform_currency: 'USD',
      prices: null,
    });
  });

  it('a hold and its booking have the converted prices, and the breakdown names the rate and its date', async () => {
    const website = await givenWebsite(api, { sellIn: EUR });
    const tour = await inDollars();
    const hold = await website.hold(tour, { departure_date: DATE, quantity: 3, children: 1 });
    expect(hold.body).toMatchObject({
      currency: 'EUR',
      unit_price: 800,
      total_price: 1866.66,
      prices: { adult: 800, child: 266.66, single_supplement: 40.04 },
    });
    const booking = await website.book({
      tour_id: tour.id,
      hold_id: hold.body.hold_id,
      adults: 2,
      children: 1,
      single_supplements: 1,
      expected_total: 1906.7,
    });
    expect(booking.body).toMatchObject({
      currency: 'EUR',
      total_price: 1906.7,
      deposit_total: 381.34,
      price_breakdown: {
        platform_unit_price: 800,
        converted_from: 'USD',
        rate: 0.8,
        rate_date: TODAY,
        unit_price: 800,
      },
    });
  });

  it('a booking without a date has the converted base price', async () => {
    const website = await givenWebsite(api, { sellIn: EUR });
    const { body } = await website.book({ tour_id: (await inDollars()).slug, adults: 2 });
    expect(body).toMatchObject({ currency: 'EUR', total_price: 1920, deposit_total: 384 });
  });

  it('a tour in the selling currency is not converted, and needs no rate', async () => {
    const website = await givenWebsite(api, { sellIn: CHF });
    const tour = await givenFamilyTour({ currency: 'CHF' });
    expect((await departuresToLock(website, tour))[0]).toMatchObject({
      currency: 'CHF',
      platform_currency: 'CHF',
      tenant_prices: { adult: 1000 },
    });
    const { body } = await website.book({ tour_id: tour.slug, departure_date: DATE });
    expect(body.price_breakdown).toMatchObject({ converted_from: null, rate: null, rate_date: null });
  });

  it('a tenant without a selling currency gets no new field, whatever the rates are', async () => {
    const website = await givenWebsite(api);
    const tour = await inDollars();
    const [departure] = await departuresToLock(website, tour);
    expect(departure).not.toHaveProperty('platform_currency');
    expect(departure).toMatchObject({ currency: 'USD', tenant_prices: { adult: 1000 } });
    const { body } = await website.book({ tour_id: tour.slug, departure_date: DATE });
    expect(Object.keys(body.price_breakdown)).toEqual([
      'platform_unit_price',
      'unit_price',
      'adults',
      'children',
      'single_supplements',
      'categories',
      'deposit_percent',
      'rule',
    ]);
  });

  it('a rule in money applies only in the selling currency, after the conversion', async () => {
    const website = await givenWebsite(api, { sellIn: EUR, currency: USD });
    const tour = await inDollars();
    await givenPriceRule(api.db, website, { amount_minor: -5_000, currency: 'USD' });
    expect((await departuresToLock(website, tour))[0].tenant_prices).toMatchObject({ adult: 800 });
    await givenPriceRule(api.db, website, { amount_minor: -5_000, currency: 'EUR' });
    expect((await departuresToLock(website, tour))[0].tenant_prices).toMatchObject({
      adult: 750,
      child: 266.66,
    });
    await givenPriceRule(api.db, website, { percent: 12.5, round_to: 5, tour_id: tour.id });
    expect((await departuresToLock(website, tour))[0].tenant_prices).toMatchObject({
      adult: 900,
      child: 300,
    });
  });

  it('a price is rounded after the conversion, and again after the rule', async () => {
    await setRates({ USD: '3' });
    const website = await givenWebsite(api, { sellIn: EUR });
    await givenPriceRule(api.db, website, { percent: 50 });
    const tour = await givenTour(api.db, { currency: 'USD' });
    await givenDeparture(api.db, tour, { date: DATE, prices: { adult: 100 } });
    // 2.00 USD is 0.666… EUR, which becomes 0.67, and with the rule 1.005, which becomes 1.01. Rounded once, it would be 1.00.
    await givenDeparture(api.db, tour, { date: LATER, prices: { adult: 200 } });
    const [one, two] = await departuresToLock(website, tour);
    expect([one.tenant_prices.adult, two.tenant_prices.adult]).toEqual([0.5, 1.01]);
  });

  it('the widget, the embedded page and its structured data show the price in the selling currency', async () => {
    const website = await givenWebsite(api, { sellIn: EUR });
    const tour = await givenFamilyTour({ currency: 'USD', name: 'A Shown Tour', continent: 'antarctica' });
    const { token } = await givenWidgetToken(api.db, website.tenant);
    const query = `token=${token}&continent=antarctica`;
    const list = await api.http.get(`/api/widget/tours?${query}`).set({ origin: SHOP });
    expect(list.body.items).toEqual([
      expect.objectContaining({ id: tour.id, currency: 'EUR', price_from: 800 }),
    ]);
    const { text } = await api.http.get(`/embed/tours?${query}&lang=en`);
    expect(text).toContain('€800');
    expect(text).toContain('"price":800,"priceCurrency":"EUR"');
    await setRates({ USD: '1' });
    expect((await api.http.get(`/embed/tours?${query}&lang=en`)).text).toContain('€1,000');
  });

  it('the products and availabilities of OCTO agree with the catalog', async () => {
    const website = await givenWebsite(api, { sellIn: EUR });
    const tour = await inDollars();
    const { body } = await website
      .get(`/octo/products/${tour.id}`)
      .set({ 'octo-capabilities': 'octo/pricing' });
    const price = { original: 80_000, retail: 80_000, net: 80_000, currency: 'EUR', currencyPrecision: 2 };
    expect(body).toMatchObject({ defaultCurrency: 'EUR', availableCurrencies: ['EUR'] });
    expect(body.options[0].units[0].pricingFrom).toEqual([expect.objectContaining(price)]);
    await givenPriceRule(api.db, website, { percent: 10 });
    const asked = { productId: tour.id, optionId: 'DEFAULT', localDateStart: DATE, localDateEnd: DATE };
    const found = await website.post('/octo/availability', asked, { 'octo-capabilities': 'pricing' });
    expect(found.body[0].unitPricing[0]).toMatchObject({ ...price, original: 88_000, retail: 88_000 });
    const refused = await website.post('/octo/availability', { ...asked, currency: 'USD' });
    expect(refused.body.errorMessage).toContain('currency must be EUR');
  });
});

describe('a change of rates', () => {
  it('a change of rates applies to the next sale, but not to a hold, whose booking keeps price, rate and deposit', async () => {
    const website = await givenWebsite(api, { sellIn: EUR });
    const tour = await inDollars();
    const { body: hold } = await website.hold(tour, { departure_date: DATE, quantity: 2 });
    await setRates({ USD: '1' });
    const fresh = { tour_id: tour.id, departure_date: DATE, adults: 2 };
    const refused = await website.book({ ...fresh, expected_total: 1600 });
    expectProblem(refused, 409, 'price_changed', { total_price: 2000, currency: 'EUR' });
    const booked = await website.book({ ...fresh, hold_id: hold.hold_id, expected_total: 1600 });
    expect(booked.body).toMatchObject({ total_price: 1600, price_breakdown: { rate: 0.8 } });
    expect((await website.book({ ...fresh, expected_total: 2000 })).body.price_breakdown.rate).toBe(1);
  });

  it('more travellers on the same date have the booked price, and another date has the price at the present rate', async () => {
    const website = await givenWebsite(api, { sellIn: EUR });
    const tour = await inDollars();
    const { body } = await website.book({ tour_id: tour.id, departure_date: DATE });
    const path = `/api/tenant/bookings/${body.booking_ref}`;
    await setRates({ USD: '1' });
    expect((await website.patch(path, { adults: 2 })).body.total_price).toBe(1600);
    const moved = await website.patch(path, { departure_date: LATER, expected_total: 2000 });
    expect(moved.body).toMatchObject({ total_price: 2000, price_breakdown: { rate: 1 } });
  });

  it('a change of rates changes ETags, cached lists and updated_since of the tenants that it concerns', async () => {
    const concerned = await givenWebsite(api, { sellIn: EUR });
    const other = await givenWebsite(api);
    const inYen = await givenWebsite(api, { sellIn: EUR });
    await inDollars();
    const list = '/api/tenant/catalog?limit=100';
    const before = await concerned.get(list);
    const etag = before.headers.etag!;
    expect((await concerned.get(list).set('if-none-match', etag)).status).toBe(304);
    const { as_of } = (await concerned.get(`${list}&updated_since=2020-01-01T00:00:00Z`)).body;
    const changed = async (website: Website) =>
      (await website.get(`${list}&updated_since=${as_of}`)).body.items.length;
    expect(await changed(concerned)).toBe(0);
    // A rate that no tour and no tenant uses changes no price.
    await setRates({ SEK: '11.1' });
    expect(await changed(inYen)).toBe(0);
    // The date alone changes no price either.
    await setRates({ USD: '1.25' }, '2026-01-01');
    expect(await changed(concerned)).toBe(0);
    await setRates({ USD: '1.5' });
    expect((await concerned.get(list).set('if-none-match', etag)).status).toBe(200);
    expect(await changed(concerned)).toBeGreaterThan(0);
    expect(await changed(other)).toBe(0);
  });

  it('an import keeps a rate of a later day', async () => {
    await setRates({ USD: '1.25' });
    const rates = [
      { currency: 'USD', unitsPerEur: '2' },
      { currency: 'NOK', unitsPerEur: '11.5' },
    ];
    const imported = await inTransaction(api.db, (trx) =>
      importExchangeRates(trx, { date: '2026-01-01', rates, skipped: [] }),
    );
    expect(imported.kept.map(({ currency }) => currency)).toEqual(['USD']);
    expect(await api.db('exchange_rates').where({ currency: 'USD' }).first('units_per_eur')).toEqual({
      unitsPerEur: '1.25',
    });
  });
});

describe('a tour whose rate is missing', () => {
  /** Creates a tour in a currency without a rate, and a website that sells in EUR. */
  async function givenUnsold(): Promise<{ website: Website; tour: GivenTour }> {
    const website = await givenWebsite(api, { sellIn: EUR });
    return { website, tour: await givenFamilyTour({ currency: 'BRL', continent: 'south-america' }) };
  }

  const withoutId = ({ request_id: _, instance: __, ...body }: Record<string, unknown>) => body;

  it('a tour whose rate is missing answers as a tour that does not exist, on every call', async () => {
    const { website, tour } = await givenUnsold();
    const calls: ((name: string) => PromiseLike<{ status: number; body: Record<string, unknown> }>)[] = [
      (name) => website.get(`/api/tenant/tours/${name}`),
      (name) => website.get(`/api/tenant/tours/${name}/departures`),
      (name) => website.get(`/api/gateway/tours/${name}/availability?departure_date=${DATE}`),
      (name) => website.hold(name, { departure_date: DATE, quantity: 1 }),
      (name) => website.hold(name, { departure_date: daysFromToday(50), quantity: 1 }),
      (name) => website.book({ tour_id: name, departure_date: DATE }),
      (name) => website.book({ tour_id: name, departure_date: DATE, external_ref: 'cart-1' }),
      (name) => website.book({ tour_id: name, hold_id: '01987f3c-5a1b-7c2d-8e4f-0a1b2c3d4e5f' }),
      (name) => website.book({ tour_id: name, hold_id: 'no uuid' }),
      (name) => website.book({ tour_id: name }),
    ];
    for (const call of calls) {
      const [hidden, unknown] = [await call(tour.slug), await call('no-such-tour')];
      expect([hidden.status, withoutId(hidden.body)]).toEqual([unknown.status, withoutId(unknown.body)]);
      expect(hidden.status).toBe(404);
    }
    expect(await seatsTaken(api.db, { tour, date: DATE })).toBe(0);
  });

  it('a tour whose rate is missing is in no list, no filter and no product, and a rate shows it', async () => {
    const { website, tour } = await givenUnsold();
    const lists = async () => {
      const catalog = await itemOf(website, tour);
      const dated = await website.get('/api/tenant/catalog?limit=100&sort=next_departure_date');
      const tagged = await website.get('/api/tenant/catalog?continent=south-america');
      const filters = (await website.get('/api/tenant/catalog/filters')).body;
      const products = (await website.get('/octo/products')).body;
      return [
        catalog !== undefined,
        dated.body.items.some(({ id }: GivenTour) => id === tour.id),
        tagged.body.items.some(({ id }: GivenTour) => id === tour.id),
        filters.continents.some(({ value }: { value: string }) => value === 'south-america'),
        products.some(({ id }: GivenTour) => id === tour.id),
        (await website.get(`/octo/products/${tour.id}`)).status === 200,
      ];
    };
    expect(await lists()).toEqual([false, false, false, false, false, false]);
    await setRates({ BRL: '6.1' });
    expect(await lists()).toEqual([true, true, true, true, true, true]);
    await api.db('exchange_rates').where({ currency: 'BRL' }).delete();
  });

  it('a hold stays readable, changeable, convertible and confirmable at its price after its rate has gone', async () => {
    const website = await givenWebsite(api, { sellIn: EUR });
    const tour = await inDollars();
    const placed = { departure_date: DATE, quantity: 1 };
    const { body: byId } = await website.hold(tour, placed);
    await website.hold(tour, { ...placed, external_ref: 'cart-7' });
    const { body: left } = await website.hold(tour, placed);
    await sellIn(website, CHF);
    expectProblem(await website.get(`/api/tenant/tours/${tour.slug}`), 404, 'tour_not_found');
    const read = await website.get(`/api/gateway/holds/${left.hold_id}`);
    expect(read.body).toMatchObject({ currency: 'EUR', total_price: 800 });
    const more = await website.patch(`/api/gateway/holds/${left.hold_id}`, { quantity: 2 });
    expect(more.body).toMatchObject({ currency: 'EUR', total_price: 1600 });
    expectProblem(
      await website.patch(`/api/gateway/holds/${left.hold_id}`, { departure_date: LATER }),
      409,
      'booking_state_conflict',
    );
    const booked = await website.book({ tour_id: tour.slug, hold_id: byId.hold_id });
    expect(booked.body).toMatchObject({ currency: 'EUR', total_price: 800 });
    const byReference = await website.book({ tour_id: tour.id, external_ref: 'cart-7' });
    expect(byReference.body).toMatchObject({ currency: 'EUR', total_price: 800, departure_date: DATE });
    const confirmed = await website.post(`/api/tenant/bookings/${booked.body.booking_ref}/confirm`, {});
    expect(confirmed.body).toMatchObject({ status: 'confirmed', total_price: 800, currency: 'EUR' });
  });

  it('a booking of OCTO stays readable and confirmable after its rate has gone', async () => {
    const website = await givenWebsite(api, { sellIn: EUR });
    const tour = await inDollars();
    const [{ id: availabilityId }] = await departuresToLock(website, tour);
    const pricing = { 'octo-capabilities': 'octo/pricing' };
    const { body } = await website.post(
      '/octo/bookings',
      { productId: tour.id, optionId: 'DEFAULT', availabilityId, unitItems: [{ unitId: 'adult' }] },
      pricing,
    );
    expect(body.pricing).toMatchObject({ net: 80_000, retail: 80_000, currency: 'EUR' });
    await sellIn(website, CHF);
    const read = await website.get(`/octo/bookings/${body.uuid}`).set(pricing);
    expect(read.body.pricing).toMatchObject({ net: 80_000, currency: 'EUR' });
    const contact = { fullName: 'Ana Lima' };
    const confirmed = await website.post(
      `/octo/bookings/${body.uuid}/confirm`,
      { contact, currency: 'EUR' },
      pricing,
    );
    expect([confirmed.status, confirmed.body.status]).toEqual([200, 'CONFIRMED']);
    expect(confirmed.body.pricing).toMatchObject({ net: 80_000, currency: 'EUR' });
  });
});

describe('the locked prices of a booking of OCTO', () => {
  it('net of a booking of OCTO includes the locked price of a single supplement that REST added', async () => {
    const website = await givenWebsite(api, { sellIn: EUR });
    const tour = await inDollars();
    const [{ id: availabilityId }] = await departuresToLock(website, tour);
    const pricing = { 'octo-capabilities': 'octo/pricing' };
    const { body: held } = await website.post('/octo/bookings', {
      productId: tour.id,
      optionId: 'DEFAULT',
      availabilityId,
      unitItems: [{ unitId: 'adult' }],
    });
    const confirm = `/octo/bookings/${held.uuid}/confirm`;
    const { body: sold } = await website.post(confirm, { contact: { fullName: 'Ana Lima' } });
    const changed = await website.patch(`/api/tenant/bookings/${sold.supplierReference}`, {
      single_supplements: 1,
    });
    expect(changed.body.total_price).toBe(840.04);
    await setRates({ USD: '1' });
    const { body } = await website.get(`/octo/bookings/${held.uuid}`).set(pricing);
    expect(body.pricing).toMatchObject({ net: 84_004, retail: 84_004, currency: 'EUR' });
  });
});

describe('a change of the selling currency', () => {
  it('a move of a hold or booking into another currency is refused with booking_state_conflict', async () => {
    const website = await givenWebsite(api, { sellIn: EUR });
    const tour = await inDollars();
    const { body: hold } = await website.hold(tour, { departure_date: DATE, quantity: 1 });
    const { body: booking } = await website.book({ tour_id: tour.id, departure_date: DATE });
    // CHF has no rate.
    for (const currency of [{ code: 'GBP', digits: 2 }, CHF, null]) {
      await sellIn(website, currency);
      const moves = [`/api/gateway/holds/${hold.hold_id}`, `/api/tenant/bookings/${booking.booking_ref}`];
      for (const path of moves) {
        const refused = await website.patch(path, { departure_date: LATER });
        expectProblem(refused, 409, 'booking_state_conflict');
        expect(refused.body.detail).toContain('in EUR');
      }
    }
    await sellIn(website, EUR);
    const moved = await website.patch(`/api/gateway/holds/${hold.hold_id}`, { departure_date: LATER });
    expect(moved.body).toMatchObject({ departure_date: LATER, currency: 'EUR', total_price: 800 });
  });

  it('OCTO refuses a move of a reservation or booking into another currency, also without a rate of it', async () => {
    const website = await givenWebsite(api, { sellIn: EUR });
    const tour = await inDollars();
    const [first, second] = await departuresToLock(website, tour);
    const reserve = () =>
      website.post('/octo/bookings', {
        productId: tour.id,
        optionId: 'DEFAULT',
        availabilityId: first.id,
        unitItems: [{ unitId: 'adult' }],
      });
    const { body: reserved } = await reserve();
    const { body: booked } = await reserve();
    await website.post(`/octo/bookings/${booked.uuid}/confirm`, { contact: { fullName: 'Ana Lima' } });
    for (const currency of [{ code: 'GBP', digits: 2 }, CHF]) {
      await sellIn(website, currency);
      for (const { uuid } of [reserved, booked])
        for (const productId of [undefined, tour.id, tour.id.toUpperCase()]) {
          const move = { productId, availabilityId: second.id };
          const { status, body } = await website.patch(`/octo/bookings/${uuid}`, move);
          expect([status, body.error]).toEqual([400, 'UNPROCESSABLE_ENTITY']);
          expect(body.errorMessage).toContain(`The tour is now sold in ${currency.code}`);
        }
    }
    // The same departure keeps the locked price, and needs no rate.
    const more = { availabilityId: first.id, unitItems: [{ unitId: 'adult' }, { unitId: 'adult' }] };
    const { status, body } = await website.patch(`/octo/bookings/${reserved.uuid}`, more);
    expect([status, body.unitItems.length]).toEqual([200, 2]);
  });

  it('OCTO names the product of a booking that cannot move because its tour is not sold', async () => {
    const website = await givenWebsite(api, { sellIn: EUR });
    const tour = await inDollars();
    const [first, second] = await departuresToLock(website, tour);
    const { body: reserved } = await website.post('/octo/bookings', {
      productId: tour.id,
      optionId: 'DEFAULT',
      availabilityId: first.id,
      unitItems: [{ unitId: 'adult' }],
    });
    // No rate of the tour's new currency is known. The selling currency stays.
    await api.db('tours').where({ id: tour.id }).update({ currency: 'PLN' });
    const { status, body } = await website.patch(`/octo/bookings/${reserved.uuid}`, {
      availabilityId: second.id,
    });
    expect([status, body]).toEqual([
      400,
      expect.objectContaining({ error: 'INVALID_PRODUCT_ID', productId: tour.id }),
    ]);
    const other = await website.patch(`/octo/bookings/${reserved.uuid}`, { availabilityId: reserved.uuid });
    expect(other.body).toMatchObject({ error: 'INVALID_AVAILABILITY_ID', availabilityId: reserved.uuid });
  });

  it("an import of a tour's currency between hold and booking leaves the price of the hold", async () => {
    const website = await givenWebsite(api, { sellIn: EUR });
    const tour = await inDollars();
    const { body: hold } = await website.hold(tour, { departure_date: DATE, quantity: 1 });
    await api.db('tours').where({ id: tour.id }).update({ currency: 'JPY', currency_digits: 0 });
    const booked = await website.book({ tour_id: tour.id, hold_id: hold.hold_id, expected_total: 800 });
    expect(booked.body).toMatchObject({ currency: 'EUR', total_price: 800 });
    const next = await website.book({ tour_id: tour.id, departure_date: DATE });
    // 100,000 JPY at 168.42 for a euro.
    expect(next.body).toMatchObject({ currency: 'EUR', total_price: 593.75 });
  });
});

describe('updated_since of a tenant with a selling currency', () => {
  /** Reads the changes of some tours, as `removed` or the currency. */
  async function changesOf(website: Website, since: string, tours: GivenTour[]) {
    const { items } = await changesSince(website, since);
    const shown = (item: CatalogEntry & { currency?: string }) => (item.removed ? 'removed' : item.currency);
    return tours.map(({ id }) => items.filter((item) => item.id === id).map(shown));
  }

  it('updated_since lists the tours as removed that a new selling currency cannot sell, and only those', async () => {
    const website = await givenWebsite(api, { sellIn: EUR });
    const tours = [await inDollars(), await givenFamilyTour({ currency: 'CLP' })];
    const { asOf } = await changesSince(website, BEGINNING);
    await sellIn(website, CHF);
    expect(await changesOf(website, asOf, tours)).toEqual([['removed'], []]);
    await setRates({ CHF: '0.93' });
    expect(await changesOf(website, asOf, tours)).toEqual([['CHF'], []]);
    await api.db('exchange_rates').where({ currency: 'CHF' }).delete();
    const late = await changesSince(website, BEGINNING);
    await sellIn(website, null);
    expect(await changesOf(website, late.asOf, tours)).toEqual([['USD'], ['CLP']]);
    await sellIn(website, EUR);
    expect(await changesOf(website, late.asOf, tours)).toEqual([['EUR'], ['removed']]);
  });

  it('updated_since lists a tour as removed whose currency has changed to one without a rate', async () => {
    const website = await givenWebsite(api, { sellIn: EUR });
    const tour = await inDollars();
    const { asOf } = await changesSince(website, BEGINNING);
    await api.db('tours').where({ id: tour.id }).update({ currency: 'CLP' });
    expect(await changesOf(website, asOf, [tour])).toEqual([['removed']]);
    await api.db('tours').where({ id: tour.id }).update({ currency: 'USD' });
    expect(await changesOf(website, asOf, [tour])).toEqual([['EUR']]);
  });
});

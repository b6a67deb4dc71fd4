import { inTransaction } from '../../services/platform/database/database';
import { setExchangeRates } from '../../services/api/pricing/change-exchange-rates';
import { useTerminalOf } from '../cli/terminal';
import { useTestApi } from '../support/api';
import { daysFromToday, givenDeparture, givenPriceRule, givenTour, type GivenTour } from '../support/given';
import { expectProblem } from '../support/responses';
import { givenWebsite, seatsTaken, type Website } from '../support/website';

const api = useTestApi();
const terminal = useTerminalOf(api);

/** The largest price that an import accepts, in minor units. */
const LARGEST = 1_000_000_000_000;
/** A price in cents. In dong, the total of 99 units is 9,000,000,000,100,000, which is just below 2^53. */
const SELLABLE = 360_000_000_004;
const DATE = daysFromToday(30);
const LATER = daysFromToday(40);
const CATALOG = '/api/tenant/catalog?limit=100';

beforeAll(async () => {
  const rates = [{ currency: 'VND', unitsPerEur: '25000' }];
  await inTransaction(api.db, (trx) => setExchangeRates(trx, { rates }));
});
beforeEach(() => api.db('tours').update({ status: 'archived' }));

const sellsInDong = () => givenWebsite(api, { sellIn: { code: 'VND', digits: 0 } });

/** Creates a tour with its base price and the prices of two dates, in cents. */
async function givenPricedTour(base: number, first = base, second = first): Promise<GivenTour> {
  const tour = await givenTour(api.db, { basePriceMinor: base });
  const prices = (minor: number) => ({ adult: minor, single_supplement: minor });
  await givenDeparture(api.db, tour, { date: DATE, seats: 60, prices: prices(first) });
  await givenDeparture(api.db, tour, { date: LATER, seats: 60, prices: prices(second) });
  return tour;
}

const namesOf = async (website: Website, path = CATALOG) =>
  (await website.get(path)).body.items.map(({ slug }: GivenTour) => slug) as string[];
const octoAvailability = (website: Website, { id }: GivenTour) =>
  website.post('/octo/availability', {
    productId: id,
    optionId: 'DEFAULT',
    localDateStart: DATE,
    localDateEnd: LATER,
  });

describe('a price that becomes very large in the selling currency', () => {
  it('a tour whose converted price is too large is in no list, and other tours of the page are', async () => {
    const website = await sellsInDong();
    const tour = await givenPricedTour(LARGEST);
    const other = await givenPricedTour(50_000);
    expect(await namesOf(website)).toEqual([other.slug]);
    expect(await namesOf(website, `${CATALOG}&sort=next_departure_date`)).toEqual([other.slug]);
    expectProblem(await website.get(`/api/tenant/tours/${tour.slug}`), 404, 'tour_not_found');
    expect((await website.get(`/api/tenant/tours/${tour.slug}/departures`)).body.items).toEqual([]);
    const usual = await givenWebsite(api);
    expect((await namesOf(usual)).sort()).toEqual([tour.slug, other.slug].sort());
  });

  it('the pages of a list continue after a page without a tour that can be sold', async () => {
    const website = await sellsInDong();
    for (let n = 0; n < 2; n++) await givenTour(api.db, { name: `Alps ${n}`, basePriceMinor: LARGEST });
    const other = await givenTour(api.db, { name: 'Bay' });
    const found: string[] = [];
    for (let cursor = ''; ;) {
      const { body } = await website.get(`/api/tenant/catalog?limit=1${cursor}`);
      found.push(...body.items.map(({ slug }: GivenTour) => slug));
      if (body.next_cursor === null) break;
      cursor = `&cursor=${body.next_cursor}`;
    }
    expect(found).toEqual([other.slug]);
  });

  it('updated_since removes a tour from copies when its price becomes too large', async () => {
    const website = await sellsInDong();
    const tour = await givenTour(api.db, { basePriceMinor: 50_000 });
    const { as_of } = (await website.get(`${CATALOG}&updated_since=1970-01-01T00:00:00Z`)).body;
    await api
      .db('tours')
      .where({ id: tour.id })
      .update({ base_price_minor: LARGEST, updated_at: api.db.fn.now() });
    const { body } = await website.get(`${CATALOG}&updated_since=${as_of}`);
    const { id, slug } = tour;
    expect(body.items).toEqual([{ id, slug, removed: true }]);
  });

  it('a hold and a booking at a price that is too large are refused, and take no seat', async () => {
    const website = await sellsInDong();
    const tour = await givenPricedTour(LARGEST);
    const hold = await website.hold(tour, { departure_date: DATE, quantity: 1 });
    expectProblem(hold, 409, 'departure_gone');
    const dated = await website.book({ tour_id: tour.slug, departure_date: DATE });
    expectProblem(dated, 409, 'departure_gone');
    expectProblem(await website.book({ tour_id: tour.slug }), 404, 'tour_not_found');
    expect(await seatsTaken(api.db, { tour, date: DATE })).toBe(0);
  });

  it('a tour with one date whose price is too large is sold on its other date alone', async () => {
    const website = await sellsInDong();
    const tour = await givenPricedTour(50_000, LARGEST, 40_000);
    const [item] = (await website.get(CATALOG)).body.items;
    expect(item).toMatchObject({ currency: 'VND', price_from: 10_000_000 });
    const { items } = (await website.get(`/api/tenant/tours/${tour.slug}/departures`)).body;
    expect(items.map((one: { departure_date: string }) => one.departure_date)).toEqual([LATER]);
    const path = `/api/gateway/tours/${tour.slug}/availability?departure_date=`;
    const gone = { status: 'gone', available: false, seats_available: 0, prices: null, tenant_prices: null };
    expect((await website.get(path + DATE)).body).toMatchObject(gone);
    expect((await website.get(path + LATER)).body.status).toBe('available');
    const { body } = await website.book({ tour_id: tour.slug, departure_date: LATER });
    const moved = await website.patch(`/api/tenant/bookings/${body.booking_ref}`, { departure_date: DATE });
    expectProblem(moved, 409, 'departure_gone');
    const held = await website.hold(tour, { departure_date: LATER, quantity: 1 });
    const change = { departure_date: DATE };
    expectProblem(
      await website.patch(`/api/gateway/holds/${held.body.hold_id}`, change),
      409,
      'departure_gone',
    );
  });

  it('OCTO has no availability at a price that is too large, and refuses its booking', async () => {
    const website = await sellsInDong();
    const tour = await givenPricedTour(50_000, LARGEST, 40_000);
    const { body } = await octoAvailability(website, tour);
    expect(body.map((one: { localDateTimeStart: string }) => one.localDateTimeStart.slice(0, 10))).toEqual([
      LATER,
    ]);
    const { id } = await api.db('departures').where({ tour_id: tour.id, departure_date: DATE }).first('id');
    const refused = await website.post('/octo/bookings', {
      productId: tour.id,
      optionId: 'DEFAULT',
      availabilityId: id,
      unitItems: [{ unitId: 'adult' }],
    });
    expect([refused.status, refused.body.error]).toEqual([400, 'INVALID_AVAILABILITY_ID']);
    const unsold = await givenPricedTour(LARGEST);
    expect((await octoAvailability(website, unsold)).body).toEqual([]);
    const products = await website.get('/octo/products').set({ 'octo-capabilities': 'octo/pricing' });
    expect([products.status, products.body.length]).toEqual([200, 2]);
  });

  it('the total of 99 units is exact at the largest price that can be sold', async () => {
    const website = await sellsInDong();
    const tour = await givenPricedTour(SELLABLE);
    const total = 8_910_000_000_099_000;
    const order = { tour_id: tour.slug, departure_date: DATE, adults: 50, single_supplements: 49 };
    const { body } = await website.book({ ...order, expected_total: total });
    expect(body).toMatchObject({ currency: 'VND', total_price: total });
    const row = await api
      .db('booking_leads')
      .where({ booking_ref: body.booking_ref })
      .first('prices_minor', 'total_minor');
    expect(row).toEqual({
      pricesMinor: { adult: total / 99, single_supplement: total / 99 },
      totalMinor: total,
    });
  });

  it("a price that becomes too large by the tenant's rule is not sold either, also without a selling currency", async () => {
    const website = await givenWebsite(api);
    const tour = await givenPricedTour(LARGEST);
    await givenPriceRule(api.db, website, { percent: 8_000 });
    const booked = await website.book({
      tour_id: tour.slug,
      departure_date: DATE,
      adults: 50,
      single_supplements: 49,
    });
    expect(booked.body).toMatchObject({ total_price: 80_190_000_000_000 });
    await givenPriceRule(api.db, website, { percent: 10_000 });
    expect(await namesOf(website)).toEqual([]);
    expectProblem(await website.hold(tour, { departure_date: DATE, quantity: 1 }), 409, 'departure_gone');
  });

  it('pricing simulate says that the price is too large', async () => {
    const { tenant } = await sellsInDong();
    const tour = await givenPricedTour(LARGEST);
    expect(await terminal.refusal(`pricing simulate ${tenant.slug} ${tour.slug}`)).toBe('1 price_not_sold');
  });
});

import { inTransaction } from '../../services/platform/database/database';
import { setExchangeRates } from '../../services/api/pricing/change-exchange-rates';
import { checkOf, notice } from '../cli/doctor-check';
import { useTerminalOf } from '../cli/terminal';
import { useTestApi } from '../support/api';
import { daysFromToday, givenDeparture, givenPriceRule, givenTour, type GivenTour } from '../support/given';
import { expectProblem } from '../support/responses';
import { givenWebsite, seatsTaken } from '../support/website';
import { givenWidgetToken, SHOP } from '../widget/given-widget';

const api = useTestApi();
const terminal = useTerminalOf(api);

const DATE = daysFromToday(30);
const LATER = daysFromToday(40);
const CATALOG = '/api/tenant/catalog?limit=100';
/** The lowest price in dong that becomes a cent at 25,000 dong for a euro. */
const A_CENT = 125;

beforeEach(async () => {
  await api.db('tours').update({ status: 'archived' });
  await setRates({ VND: '25000', ZAR: '20' });
});

async function setRates(units: Record<string, string>): Promise<void> {
  const rates = Object.entries(units).map(([currency, unitsPerEur]) => ({ currency, unitsPerEur }));
  await inTransaction(api.db, (trx) => setExchangeRates(trx, { rates }));
}

const sellsInEuro = () => givenWebsite(api, { sellIn: { code: 'EUR', digits: 2 } });

/** Creates a tour in dong. Its second date costs 2,500,000. */
async function givenDongTour(base: number, first: { adult: number; child?: number }): Promise<GivenTour> {
  const tour = await givenTour(api.db, { currency: 'VND', basePriceMinor: base });
  await givenDeparture(api.db, tour, { date: DATE, prices: first });
  await givenDeparture(api.db, tour, { date: LATER, prices: { adult: 2_500_000 } });
  return tour;
}

describe('a price above 0 that becomes 0 in the selling currency', () => {
  it('a wrong rate sells no tour for 0, in no answer and by no request', async () => {
    const website = await sellsInEuro();
    const tour = await givenTour(api.db, { currency: 'ZAR', basePriceMinor: 1_000_000 });
    for (const date of [DATE, LATER])
      await givenDeparture(api.db, tour, { date, prices: { adult: 900_000 } });
    const order = { tour_id: tour.id, departure_date: DATE };
    const { body: booking } = await website.book(order);
    const { body: hold } = await website.hold(tour, { departure_date: DATE, quantity: 1 });
    await setRates({ ZAR: '9999999999' });
    expect((await website.get(CATALOG)).body.items).toEqual([]);
    expectProblem(await website.get(`/api/tenant/tours/${tour.slug}`), 404, 'tour_not_found');
    expect((await website.get(`/api/tenant/tours/${tour.slug}/departures`)).body.items).toEqual([]);
    const path = `/api/gateway/tours/${tour.slug}/availability?departure_date=${DATE}`;
    expect((await website.get(path)).body).toMatchObject({ status: 'gone', tenant_prices: null });
    const { token } = await givenWidgetToken(api.db, website.tenant, { origins: [SHOP] });
    const widget = await api.http.get(`/api/widget/tours?token=${token}`).set('origin', SHOP);
    expect([widget.status, widget.body.items]).toEqual([200, []]);
    const page = await api.http.get(`/embed/tours?token=${token}`);
    expect([page.status, page.text.includes(tour.slug)]).toEqual([200, false]);
    const product = await website
      .get(`/octo/products/${tour.id}`)
      .set({ 'octo-capabilities': 'octo/pricing' });
    expect(product.status).not.toBe(500);
    expect(JSON.stringify(product.body)).not.toMatch(/"(retail|net|original)":0[,}]/);

    expectProblem(await website.book(order), 409, 'departure_gone');
    expectProblem(await website.book({ tour_id: tour.id }), 404, 'tour_not_found');
    const held = await website.hold(tour, { departure_date: DATE, quantity: 1 });
    expectProblem(held, 409, 'departure_gone');
    for (const sale of [`/api/gateway/holds/${hold.hold_id}`, `/api/tenant/bookings/${booking.booking_ref}`])
      expectProblem(await website.patch(sale, { departure_date: LATER }), 409, 'departure_gone');
    // The sales of before stay at their locked prices.
    const booked = await website.book({ tour_id: tour.id, hold_id: hold.hold_id });
    expect(booked.body).toMatchObject({ currency: 'EUR', total_price: 450 });
    expect(await seatsTaken(api.db, { tour, date: DATE })).toBe(2);
  });

  it('a date is not sold if the price of any category becomes 0, and the other dates are', async () => {
    const website = await sellsInEuro();
    const tour = await givenDongTour(5_000_000, { adult: 1_250_000, child: A_CENT - 1 });
    const { items } = (await website.get(`/api/tenant/tours/${tour.slug}/departures`)).body;
    expect(items.map((one: { departure_date: string }) => one.departure_date)).toEqual([LATER]);
    const { body, status } = await website.post('/octo/availability', {
      productId: tour.id,
      optionId: 'DEFAULT',
      localDateStart: DATE,
      localDateEnd: LATER,
    });
    expect([status, body.length]).toEqual([200, 1]);
    expectProblem(await website.book({ tour_id: tour.id, departure_date: DATE }), 409, 'departure_gone');
    const other = await website.book({ tour_id: tour.id, departure_date: LATER });
    expect(other.body).toMatchObject({ currency: 'EUR', total_price: 100 });
  });

  it('a price that becomes one cent is sold, and so is a price that is 0 on the platform', async () => {
    const website = await sellsInEuro();
    const tour = await givenDongTour(A_CENT, { adult: A_CENT, child: 0 });
    const { body } = await website.book({ tour_id: tour.id, departure_date: DATE, adults: 1, children: 1 });
    expect(body).toMatchObject({ currency: 'EUR', total_price: 0.01 });
    const [item] = (await website.get(CATALOG)).body.items;
    expect(item.price_from).toBe(0.01);
  });

  it("a tenant's rule can make a price 0, because that is a decision of its operator", async () => {
    const website = await sellsInEuro();
    const tour = await givenDongTour(2_500_000, { adult: 2_500_000 });
    await givenPriceRule(api.db, website, { percent: -100 });
    const { body } = await website.book({ tour_id: tour.id, departure_date: DATE });
    expect(body).toMatchObject({ currency: 'EUR', total_price: 0 });
  });

  it('a list shows no price of 0 if only the lowest price of a tour becomes 0', async () => {
    const website = await sellsInEuro();
    await givenDongTour(5_000_000, { adult: A_CENT - 1 });
    const [item] = (await website.get(CATALOG)).body.items;
    expect(item.price_from).toBeGreaterThan(0);
  });

  it('doctor and pricing simulate name the prices that become 0 or too large', async () => {
    const { tenant } = await sellsInEuro();
    expect((await checkOf(terminal, 'unsold-prices')).status).toBe('ok');
    const tour = await givenDongTour(100, { adult: 2_500_000, child: 100 });
    await givenDongTour(2_500_000, { adult: 2_500_000 });
    const check = await checkOf(terminal, 'unsold-prices');
    const today = daysFromToday(0);
    expect(check).toMatchObject(
      notice(`2 prices of ${tour.slug} for ${tenant.slug} (1 VND = 0.00004 EUR of ${today})`),
    );
    expect(check.commands).toEqual(['tourctl rates list']);
    expect(await terminal.refusal(`pricing simulate ${tenant.slug} ${tour.slug}`)).toBe('1 price_not_sold');
    await terminal.tourctl(`tenant set ${tenant.slug} --sell-in VND`);
    expect((await checkOf(terminal, 'unsold-prices')).detail).not.toContain(tenant.slug);
    const euros = await givenTour(api.db, { basePriceMinor: 1_000_000_000_000 });
    const large = await checkOf(terminal, 'unsold-prices');
    expect(large).toMatchObject(notice(`1 price of ${euros.slug} for ${tenant.slug}`));
  });
});

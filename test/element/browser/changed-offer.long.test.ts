import { describeInBrowsers } from '../../support/browsers';
import { givenDeparture, givenTour, type GivenTour } from '../../support/given';
import { endPaymentWindow } from '../../support/website';
import { useElementSite } from '../given-page';
import { fillContact, holdSeats, showAgain } from '../visit';

const REFUNDED = { tiers: [{ until: '1d', refund_percent: 100 }] };
const CHANGED = 'This tour has just changed. Please check your choice.';

describeInBrowsers('an offer that changes between two clicks of the visitor', (browser) => {
  const site = useElementSite(browser);
  let tour: GivenTour;

  const open = async (startTime?: string) => {
    tour = await givenTour(site.api.db, { cancellation: REFUNDED });
    await givenDeparture(site.api.db, tour, { prices: { adult: 10_000 }, startTime });
    await site.open(`<tour-booking tour="${tour.slug}"><a href="tel:+49">Call us</a></tour-booking>`);
    await site.page.locator('.day.open').click();
  };
  const read = async (path = '') => {
    const answer = await fetch(`${site.address}/tours/tours/${tour.slug}${path}`, {
      headers: { 'Sec-Fetch-Site': 'same-origin' },
    });
    return answer.text();
  };
  /** Makes a change, and waits as the command that makes it does, until every instance reads it. */
  const change = async (write: PromiseLike<unknown>, path?: string) => {
    const before = await read(path);
    await write;
    while ((await read(path)) === before) await site.page.waitForTimeout(100);
  };
  const changeTour = (columns: object) => change(site.api.db('tours').where({ id: tour.id }).update(columns));
  const press = (name: string | RegExp) => site.page.getByRole('button', { name }).click();
  const bookedTimes = () =>
    site.api
      .db('booking_leads as l')
      .join('departures as d', 'd.id', 'l.departure_id')
      .where('l.tour_id', tour.id)
      .pluck('d.start_time');

  it('the same number in another currency is a new price, and each total has its own currency', async () => {
    await open();
    await changeTour({ currency: 'USD' });
    await press('Hold the seats');
    await press('Continue with $100');
    expect(await site.page.locator('.summary').innerText()).toContain('$100');
  });

  it('a price in another currency is shown beside the one that the visitor saw', async () => {
    await open();
    await changeTour({ currency: 'USD' });
    await press('Hold the seats');
    expect(await site.page.locator('.problem del').innerText()).toBe('€100');
    expect(await site.page.locator('.problem ins').innerText()).toBe('$100');
  });

  it('the terms beside the button that books are those that the hold has locked', async () => {
    await open();
    expect(await site.page.locator('.terms').innerText()).toContain('€100 refunded');
    await changeTour({ cancellation: JSON.stringify({ tiers: [] }) });
    await holdSeats(site.page);
    await site.page.getByText('The price is not refunded.').waitFor();
    expect(await site.page.locator('.terms').innerText()).not.toContain('€100 refunded');
  });

  it('the deposit beside the button that books is the one at the moment of the hold', async () => {
    await open();
    expect(await site.page.locator('.pay').innerText()).toContain('€20 now, €80 later');
    const tenant = site.api.db('tenants').where({ id: site.tenant.id });
    await change(tenant.clone().update({ deposit_percent: 50 }), '/departures');
    await holdSeats(site.page);
    await site.page.locator('.pay', { hasText: '€50 now, €50 later' }).waitFor();
    await tenant.update({ deposit_percent: 20 });
  });

  it('a tour that is not sold any more shows words and the children of the tag', async () => {
    await open();
    await changeTour({ status: 'archived' });
    await press('Hold the seats');
    await site.page.locator('[data-code=tour_not_found]').waitFor();
    await site.page.getByRole('link', { name: 'Call us' }).waitFor();
    expect(await site.page.locator('.day').count()).toBe(0);
  });

  it('a tour that is not sold any more while the visitor holds its seats offers no seats of another tab', async () => {
    await open();
    await holdSeats(site.page);
    await changeTour({ status: 'archived' });
    await fillContact(site.page);
    await press(/^Book for/);
    await site.page.locator('[data-code=tour_not_found]').waitFor();
    await showAgain(site.page);
    await site.page.waitForTimeout(1000);
    expect(await site.page.locator('.element').innerText()).not.toContain('in another tab');
  });

  it('a booking whose time to pay is over asks for no payment when the page is shown again', async () => {
    await open();
    await holdSeats(site.page);
    await fillContact(site.page);
    await press(/^Book for/);
    await site.page.getByRole('heading', { name: 'Reserved: pay €20' }).waitFor();
    const [ref] = await site.api.db('booking_leads').where({ tour_id: tour.id }).pluck('booking_ref');
    await endPaymentWindow(site.api.db, ref);
    await showAgain(site.page);
    await site.page.getByRole('heading', { name: 'The time to book is over' }).waitFor();
    const text = await site.page.locator('.element').innerText();
    expect(text).toContain(`Booking reference: ${ref}`);
    expect(text).not.toMatch(/Pay until|now/);
  });

  it('a departure that moves while the visitor holds seats is booked only after its new time was shown', async () => {
    await open('09:00');
    await holdSeats(site.page);
    await site.api.db('departures').where({ tour_id: tour.id }).update({ start_time: '10:30' });
    await fillContact(site.page);
    await press(/^Book for/);
    await site.page.getByText(CHANGED).waitFor();
    await site.page.locator('.summary', { hasText: '10:30' }).waitFor();
    expect(await bookedTimes()).toEqual([]);
    await press(/^Book for/);
    await site.page.getByText('Reference').waitFor();
    expect(await bookedTimes()).toEqual(['10:30']);
  });
});

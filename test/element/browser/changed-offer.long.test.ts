import { describeInBrowsers } from '../../support/browsers';
import { givenDeparture, givenTour, type GivenTour } from '../../support/given';
import { useElementSite } from '../given-page';
import { fillContact, holdSeats } from '../visit';

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
  /** Changes the tour, and waits as the command that changes it does, until every instance reads the change. */
  const changeTour = async (columns: object) => {
    const before = await read();
    await site.api.db('tours').where({ id: tour.id }).update(columns);
    while ((await read()) === before) await site.page.waitForTimeout(100);
  };
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

  it('a tour that is not sold any more shows words and the children of the tag', async () => {
    await open();
    await changeTour({ status: 'archived' });
    await press('Hold the seats');
    await site.page.locator('[data-code=tour_not_found]').waitFor();
    await site.page.getByRole('link', { name: 'Call us' }).waitFor();
    expect(await site.page.locator('.day').count()).toBe(0);
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

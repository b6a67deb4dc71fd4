import { describeInBrowsers } from '../../support/browsers';
import { givenDeparture, givenTour, type GivenTour } from '../../support/given';
import { useElementSite } from '../given-page';
import { book, fillContact, holdSeats, showAgain } from '../visit';

/** A read as one of a page of the site. */
const SAME_ORIGIN = { headers: { 'Sec-Fetch-Site': 'same-origin' } };

describeInBrowsers('a page whose program has removed the readable cookie', (browser) => {
  const site = useElementSite(browser);
  let tour: GivenTour;
  beforeEach(async () => {
    tour = await givenTour(site.api.db);
    await givenDeparture(site.api.db, tour, { seats: 1, prices: { adult: 50_000 } });
    await site.open(`<tour-booking tour="${tour.slug}" next="/pay"></tour-booking>`);
  });

  const heading = (name: string) => site.page.getByRole('heading', { name });
  /** Removes the cookie as a consent tool does, which sees no HttpOnly cookie. */
  const removeCookies = () =>
    site.page.evaluate(`document.cookie.split('; ').forEach((cookie) => {
      document.cookie = cookie.split('=')[0] + '=; Path=/; Max-Age=0';
    })`);

  /** Holds the last seat, and waits until the list of the departures, which may be two seconds old, shows it as sold out. */
  const holdLastSeat = async () => {
    await holdSeats(site.page);
    const list = `${site.address}/tours/tours/${tour.slug}/departures`;
    while (!(await (await fetch(list, SAME_ORIGIN)).text()).includes('sold_out'))
      await site.page.waitForTimeout(100);
  };

  it('a reload finds the hold of the last seats, and they can be booked', async () => {
    await holdLastSeat();
    await removeCookies();
    await site.page.reload();
    await heading('Your seats are held').waitFor();
    await fillContact(site.page);
    await book(site.page);
    await site.page.waitForURL(/\/pay/);
    expect(await site.api.db('booking_leads').where({ tour_id: tour.id })).toHaveLength(1);
    await removeCookies();
    await site.page.goto(site.address);
    await heading('Your seats are booked').waitFor();
  });

  it('a tab that is shown again keeps the hold that it shows', async () => {
    await holdLastSeat();
    await removeCookies();
    const answer = site.page.waitForResponse(/\/tours\/hold$/);
    await showAgain(site.page);
    expect((await answer).status()).toBe(200);
    await site.page.waitForTimeout(200);
    expect(await heading('Your seats are held').count()).toBe(1);
  });

  it('a visitor without seats sees the sold out departure', async () => {
    await holdLastSeat();
    await site.context.clearCookies();
    await site.page.reload();
    await site.page.locator('.day.soldOut').waitFor({ state: 'attached' });
    expect(await heading('Your seats are held').count()).toBe(0);
  });
});

import { describeInBrowsers } from '../../support/browsers';
import { daysFromToday, givenDeparture, givenTour, type GivenTour } from '../../support/given';
import { endHoldIn } from '../../support/website';
import { useElementSite } from '../given-page';
import { hasFocus, waitForFocus } from '../keyboard';
import { book, fillContact, showAgain } from '../visit';

const DATE = daysFromToday(30);
/** The other dates, from the nearest one on. */
const OTHERS = [31, 28, 40, 70].map(daysFromToday);
const PROBLEM = '.problem[data-code=departure_cancelled]';

describeInBrowsers('a departure that is cancelled while the visitor holds it', (browser) => {
  const site = useElementSite(browser);
  let tour: GivenTour;
  beforeEach(async () => {
    tour = await givenTour(site.api.db);
    const { db } = site.api;
    for (const date of [DATE, ...OTHERS]) await givenDeparture(db, tour, { date, prices: { adult: 50_000 } });
    // Too few seats for the party.
    await givenDeparture(db, tour, { date: daysFromToday(29), seats: 1, prices: { adult: 50_000 } });
    await site.open(`<tour-booking tour="${tour.slug}" next="/pay"></tour-booking>`);
  });

  const departure = () => site.api.db('departures').where({ tour_id: tour.id, departure_date: DATE });
  const cancel = () => departure().update({ status: 'cancelled' });
  const button = (name: string | RegExp) => site.page.getByRole('button', { name });

  /** Holds two seats on DATE. */
  const hold = async () => {
    const day = site.page.locator(`[data-date="${DATE}"]`);
    await site.page.locator('.day.open').first().waitFor();
    if ((await day.count()) === 0) await button('Next month').click();
    await day.click();
    await button('Adult: +1').click();
    await button('Hold the seats').click();
    await site.page.getByRole('heading', { name: 'Your seats are held' }).waitFor();
  };
  /** Shows the page again until the list of the departures, which may be two seconds old, tells of the cancellation. */
  const showUntilTold = async () => {
    while ((await site.page.locator(PROBLEM).count()) === 0) {
      await showAgain(site.page);
      await site.page.waitForTimeout(500);
    }
  };
  const alternatives = () => site.page.locator('.alternatives button > :first-child').allInnerTexts();
  const inWords = (date: string) =>
    new Intl.DateTimeFormat('en', { dateStyle: 'full', timeZone: 'UTC' }).format(new Date(date));

  /** The visitor reads why, and can neither book the seats nor see a countdown. */
  const expectToldOf = async () => {
    await site.page.locator(PROBLEM, { hasText: 'This departure was cancelled.' }).waitFor();
    expect(await alternatives()).toEqual(OTHERS.slice(0, 3).map(inWords));
    expect(await site.page.locator('[part=countdown], form').count()).toBe(0);
    expect(await site.page.getByRole('heading', { name: 'Your seats are held' }).count()).toBe(0);
    expect(await button(/^Book for/).count()).toBe(0);
  };

  it('a cancelled departure is told when the page is shown again, and another one can be booked with one click more', async () => {
    await hold();
    await fillContact(site.page);
    await cancel();
    await showUntilTold();
    await expectToldOf();
    await waitForFocus(site.page, PROBLEM);
    await site.page.locator('.alternatives button').first().click();
    await button('Hold the seats').waitFor();
    await showAgain(site.page);
    await site.page.getByText('This gives back your other seats.').waitFor();
    expect(await site.page.getByText('in another tab').count()).toBe(0);
    await button('Hold the seats').click();
    expect(await site.page.getByLabel('Phone').inputValue()).toBe('+49 30 901820');
    await book(site.page);
    await site.page.waitForURL(/\/pay/);
    const leads = await site.api
      .db('booking_leads as l')
      .join('departures as d', 'd.id', 'l.departure_id')
      .where({ 'l.tour_id': tour.id })
      .select(site.api.db.raw('d.departure_date::text as date'));
    expect(leads).toEqual([{ date: OTHERS[0] }]);
  });

  it('a cancelled departure is told after the click that books, also before the list of the departures tells it', async () => {
    await hold();
    await fillContact(site.page);
    await cancel();
    await book(site.page);
    await expectToldOf();
    await waitForFocus(site.page, PROBLEM);
    await showAgain(site.page);
    await site.page.waitForTimeout(1000);
    await expectToldOf();
    await button('Change the date or the guests').click();
    await site.page.locator('.day.open').first().waitFor();
    expect(await site.api.db('booking_leads').where({ tour_id: tour.id })).toEqual([]);
  });

  it('a cancelled departure is told after a reload, and the page keeps the focus', async () => {
    await hold();
    await cancel();
    await showUntilTold();
    await site.page.reload();
    await expectToldOf();
    expect(await hasFocus(site.page, PROBLEM)).toBe(false);
  });

  it('a cancelled departure cannot be held again when the time of its hold is over', async () => {
    await hold();
    const [held] = await site.api.db('seat_holds').orderBy('created_at', 'desc').limit(1);
    await endHoldIn(site.api.db, held.id, -1000);
    await showAgain(site.page);
    await site.page.getByRole('heading', { name: 'The time to book is over' }).waitFor();
    await cancel();
    await button('Hold the seats').click();
    await site.page.locator(PROBLEM).waitFor();
    expect(await button('Hold the seats').count()).toBe(0);
    await button('Choose a date').waitFor();
  });

  it('the hold of a full departure that was not cancelled stays as it is', async () => {
    await departure().update({ seats_total: 2 });
    await site.page.reload();
    await hold();
    await showAgain(site.page);
    await site.page.waitForTimeout(1000);
    expect(await site.page.locator('.problem').count()).toBe(0);
    expect(await button(/^Book for/).count()).toBe(1);
  });
});

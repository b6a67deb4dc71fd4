import { describeInBrowsers } from '../../support/browsers';
import { givenDeparture, givenTour, type GivenTour } from '../../support/given';
import { endHoldIn } from '../../support/website';
import { useElementSite } from '../given-page';
import { hasFocus, waitForFocus } from '../keyboard';
import { fillContact, holdSeats, showAgain } from '../visit';

/** Less than the time from which on a visitor can extend a hold. */
const LITTLE_TIME_MS = 290_000;
const COUNTDOWN = '[part=countdown]';

const TRY_AGAIN = '.problem button';

describeInBrowsers('the focus, when the button that was clicked disappears', (browser) => {
  const site = useElementSite(browser);
  let tour: GivenTour;
  beforeEach(async () => {
    tour = await givenTour(site.api.db);
    await givenDeparture(site.api.db, tour, { prices: { adult: 50_000 } });
    await site.open(`<tour-booking tour="${tour.slug}"></tour-booking>`);
  });

  const button = (name: string) => site.page.getByRole('button', { name });
  const more = () => button('Give me more time');

  /** Holds seats, and makes the hold older, so that little of its 15 minutes is left. */
  const holdWithLittleTime = async () => {
    await holdSeats(site.page);
    const { db } = site.api;
    const [hold] = await db('seat_holds as h')
      .join('departures as d', 'd.id', 'h.departure_id')
      .where('d.tour_id', tour.id)
      .select('h.id');
    await endHoldIn(db, hold.id, LITTLE_TIME_MS);
    const created_at = db.raw("expires_at - interval '15 minutes'");
    await db('seat_holds').where({ id: hold.id }).update({ created_at });
    await showAgain(site.page);
    await more().waitFor();
  };
  /** Waits for the countdown of a hold that was extended to 15 minutes. It reads 14 minutes for a minute, also on a slow machine. */
  const extension = () => site.page.getByText(/14:\d\d/).waitFor();

  it('the focus is on the countdown after the visitor has extended the hold', async () => {
    await holdWithLittleTime();
    await more().click();
    await waitForFocus(site.page, COUNTDOWN);
    await extension();
    expect(await more().count()).toBe(0);
  });

  it('the focus stays in the field in which the visitor types when the extension is answered', async () => {
    await holdWithLittleTime();
    let answer = () => {};
    const asked = new Promise<void>((resolve) => {
      site.intercept = (request, _response, next) => {
        if (request.path !== '/hold/extend') return next();
        answer = next;
        resolve();
      };
    });
    await more().click();
    await asked;
    await fillContact(site.page);
    answer();
    await extension();
    expect(await hasFocus(site.page, '[name=email]')).toBe(true);
  });

  it('the focus stays in the field in which the visitor types when another tab has extended the hold', async () => {
    await holdWithLittleTime();
    const other = await site.context.newPage();
    await other.goto(site.address);
    await other.getByRole('button', { name: 'Give me more time' }).click();
    await other.getByText(/14:\d\d/).waitFor();
    await fillContact(site.page);
    await showAgain(site.page);
    await extension();
    expect(await more().count()).toBe(0);
    expect(await hasFocus(site.page, '[name=email]')).toBe(true);
  });

  describe('after a load that failed', () => {
    let intercepted: string[];
    beforeEach(async () => {
      intercepted = [];
      site.intercept = ({ path }, response) => {
        intercepted.push(path);
        response.status(400).json({ code: 'not_now' });
      };
      await site.page.reload();
      await site.page.locator(TRY_AGAIN).waitFor();
    });

    it('the focus stays on the button while the visitor waits for a new try, and is then at the calendar', async () => {
      let answer = () => {};
      const asked = new Promise<void>((resolve) => {
        site.intercept = ({ path }, _response, next) => {
          if (!path.endsWith('/departures')) return next();
          answer = next;
          resolve();
        };
      });
      await button('Try again').press('Enter');
      await asked;
      expect(await hasFocus(site.page, TRY_AGAIN)).toBe(true);
      expect(await site.page.locator(TRY_AGAIN).getAttribute('aria-disabled')).toBe('true');
      answer();
      await waitForFocus(site.page, '.step');
      expect(await button('Try again').count()).toBe(0);
      await site.page.keyboard.press('Tab');
      expect(await hasFocus(site.page, '.icon.previous')).toBe(true);
    });

    it('the focus is on the problem when the new try fails too', async () => {
      const { length } = intercepted;
      await button('Try again').press('Enter');
      await waitForFocus(site.page, '.problem');
      expect(intercepted.length).toBeGreaterThan(length);
    });

    it('the focus stays in the field of the page in which the visitor types when the network is back', async () => {
      await site.page.evaluate("document.body.insertAdjacentHTML('afterbegin', '<input id=search />')");
      await site.page.locator('#search').fill('bay');
      site.intercept = (_request, _response, next) => next();
      await site.page.evaluate("void dispatchEvent(new Event('online'))");
      await site.page.locator('.day.open').waitFor();
      expect(await site.page.evaluate('document.activeElement.id')).toBe('search');
    });
  });

  it('the focus is on the heading of the step after the visitor has accepted a changed price', async () => {
    await site.page.locator('.day.open').click();
    await site.api
      .db('departures')
      .where({ tour_id: tour.id })
      .update({ prices_minor: JSON.stringify({ adult: 55_000 }) });
    await button('Hold the seats').click();
    await waitForFocus(site.page, '.problem h2');
    await button('Continue with €550').click();
    await waitForFocus(site.page, '[part=hold] .title h2');
    expect(await site.page.locator('.problem').count()).toBe(0);
  });
});

import { describeInChromium } from '../../support/browsers';
import { daysFromToday, givenDeparture, givenTour, type GivenTour } from '../../support/given';
import { endHoldIn } from '../../support/website';
import { useElementSite } from '../given-page';
import { holdSeats, showAgain } from '../visit';

/** Less than the time from which on a visitor can extend a hold. */
const LITTLE_TIME_MS = 290_000;

describeInChromium('an answer that comes after a newer one', (browser) => {
  const site = useElementSite(browser);
  let tour: GivenTour;
  beforeEach(async () => {
    tour = await givenTour(site.api.db);
    await givenDeparture(site.api.db, tour, { prices: { adult: 50_000 } });
  });

  const open = ({ slug }: GivenTour) => site.open(`<tour-booking tour="${slug}"></tour-booking>`);
  const button = (name: string) => site.page.getByRole('button', { name });
  const heading = (name: string) => site.page.getByRole('heading', { name });

  /**
   * Holds back the answer to the next such request, which the proxy handles at once.
   * @param path below the proxy
   * @returns resolves when the request is handled, with a function that sends the answer and waits until the page has it
   */
  const holdBack = async (path: string, ask: () => Promise<unknown>): Promise<() => Promise<void>> => {
    let send = () => {};
    const handled = new Promise<void>((resolve) => {
      site.intercept = (request, response, next) => {
        if (request.method !== 'GET' || request.path !== path) return next();
        site.intercept = (_request, _response, others) => others();
        const end = response.end.bind(response) as (...content: unknown[]) => void;
        const later = (...content: unknown[]) => {
          send = () => end(...content);
          resolve();
          return response;
        };
        Object.assign(response, { end: later });
        next();
      };
    });
    const late = site.page.waitForResponse(
      (response) =>
        response.request().method() === 'GET' && new URL(response.url()).pathname === `/tours${path}`,
    );
    await ask();
    await handled;
    return async () => {
      send();
      await (await late).finished();
      await site.page.evaluate('new Promise((resolve) => setTimeout(resolve, 200))');
    };
  };

  it('a new hold stays when the answer about an earlier one comes after it', async () => {
    const other = await givenTour(site.api.db);
    await givenDeparture(site.api.db, other, { date: daysFromToday(31) });
    await open(other);
    await holdSeats(site.page);
    await open(tour);
    await site.page.locator('.day.open').click();
    await site.page.getByText('This gives back your other seats.').waitFor();
    const answer = await holdBack('/hold', () => showAgain(site.page));
    await button('Hold the seats').click();
    await heading('Your seats are held').waitFor();
    await answer();
    expect(await heading('Your seats are held').count()).toBe(1);
    expect(await heading('These seats are no longer held for you').count()).toBe(0);
  });

  it('an extended hold keeps its new end when the answer with the earlier end comes after it', async () => {
    const { db } = site.api;
    await open(tour);
    await holdSeats(site.page);
    const [hold] = await db('seat_holds').orderBy('created_at', 'desc').limit(1);
    await endHoldIn(db, hold.id, LITTLE_TIME_MS);
    const created_at = db.raw("expires_at - interval '15 minutes'");
    await db('seat_holds').where({ id: hold.id }).update({ created_at });
    await showAgain(site.page);
    await button('Give me more time').waitFor();
    const answer = await holdBack('/hold', () => showAgain(site.page));
    await button('Give me more time').click();
    await site.page.getByText(/14:\d\d/).waitFor();
    await answer();
    expect(await site.page.getByText(/14:\d\d/).count()).toBe(1);
    expect(await button('Give me more time').count()).toBe(0);
  });
});

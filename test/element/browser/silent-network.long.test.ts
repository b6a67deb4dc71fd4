import type { RequestHandler } from 'express';
import { describeInBrowsers } from '../../support/browsers';
import { givenDeparture, givenTour, type GivenTour } from '../../support/given';
import { useElementSite } from '../given-page';
import { book, fillContact, holdSeats } from '../visit';

describeInBrowsers('a silent network', (browser) => {
  const site = useElementSite(browser);
  let tour: GivenTour;
  beforeEach(async () => {
    tour = await givenTour(site.api.db);
    await givenDeparture(site.api.db, tour, { prices: { adult: 50_000 } });
    await site.page.clock.install();
  });

  const open = () => site.open(`<tour-booking tour="${tour.slug}" next="/pay"></tour-booking>`);
  const button = (name: string) => site.page.getByRole('button', { name });
  const heading = (name: string) => site.page.getByRole('heading', { name });
  const slow = () => site.page.getByText('Slow connection…');
  const leads = () => site.api.db('booking_leads').where({ tour_id: tour.id });
  const holds = () =>
    site.api
      .db('seat_holds as h')
      .join('departures as d', 'd.id', 'h.departure_id')
      .where('d.tour_id', tour.id)
      .select('h.*');

  /** Never answers such a request, which the proxy handles. @param name of requests that are handled, all others are not */
  const silence = (name: string) => {
    const handle: RequestHandler = (request, response, next) => {
      if (`${request.method} ${request.path}` !== name) return;
      const mute = () => response;
      Object.assign(response, { writeHead: mute, write: () => true, end: mute });
      next();
    };
    site.intercept = handle;
  };
  const restore = () => void (site.intercept = (_request, _response, next) => next());
  /** Waits until the proxy has done what the page never learns. */
  const waitForRow = async (rows: () => Promise<unknown[]>) => {
    while ((await rows()).length === 0) await site.page.waitForTimeout(50);
  };
  const stop = async () => {
    await site.page.clock.runFor(5000);
    await button('Stop').click();
  };

  it('the visitor reads so after five seconds, and the click ends after thirty', async () => {
    await open();
    await site.page.locator('.day.open').click();
    silence('none');
    // From here on only the test moves the clock of the page.
    await site.page.clock.pauseAt(Date.now() + 600_000);
    await button('Hold the seats').click();
    await site.page.getByText('Loading…').waitFor();
    await site.page.clock.runFor(4900);
    expect([await slow().count(), await button('Stop').count()]).toEqual([0, 0]);
    await site.page.clock.runFor(200);
    await slow().waitFor();
    await site.page.clock.runFor(24_000);
    expect([await slow().count(), await button('Stop').count()]).toEqual([1, 1]);
    await site.page.clock.runFor(1000);
    await site.page.locator('[data-code=network]').waitFor();
    expect([await slow().count(), await button('Stop').count()]).toEqual([0, 0]);
    restore();
    await site.page.clock.resume();
    await button('Try again').click();
    await heading('Your seats are held').waitFor();
    expect(await holds()).toHaveLength(1);
  });

  it('a tour that does not arrive can be stopped and tried again', async () => {
    silence('none');
    await open();
    await site.page.getByText('Loading…').waitFor();
    await stop();
    await site.page.getByText('Stopped. Nothing is booked twice.').waitFor();
    restore();
    await button('Try again').click();
    await site.page.locator('.day.open').waitFor();
    expect(await button('Try again').count()).toBe(0);
  });

  it('a stopped hold whose answer never came is found again', async () => {
    await open();
    await site.page.locator('.day.open').click();
    silence('POST /hold');
    const { intercept } = site;
    site.intercept = (request, response, next) =>
      request.method === 'OPTIONS' ? next() : intercept(request, response, next);
    await button('Hold the seats').click();
    await waitForRow(holds);
    restore();
    await stop();
    await heading('Your seats are held').waitFor();
    expect((await holds()).map(({ status }) => status as string)).toEqual(['active']);
  });

  it('a stopped booking whose answer never came leads to the payment', async () => {
    await open();
    await holdSeats(site.page);
    await fillContact(site.page);
    silence('POST /booking');
    await book(site.page);
    await waitForRow(leads);
    restore();
    await stop();
    await site.page.waitForURL(/\/pay/);
    expect(await leads()).toHaveLength(1);
  });

  it('a booking whose answer never came is found before the visitor holds other seats, and nothing is booked twice', async () => {
    await open();
    await holdSeats(site.page);
    await fillContact(site.page);
    silence('POST /booking');
    await book(site.page);
    await waitForRow(leads);
    await stop();
    await site.page.getByText('Stopped. Nothing is booked twice.').waitFor();
    // The answer to what the element looks for never comes either.
    restore();
    await button('Change the date or the guests').click();
    await button('Hold the seats').click();
    await site.page.waitForURL(/\/pay/);
    expect([(await leads()).length, (await holds()).map(({ status }) => status as string)]).toEqual([
      1,
      ['converted'],
    ]);
  });
});

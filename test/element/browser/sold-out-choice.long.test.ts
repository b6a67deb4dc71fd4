import { describeInBrowsers } from '../../support/browsers';
import { daysFromToday, givenDeparture, givenTour, type GivenTour } from '../../support/given';
import { contrastsOf } from '../contrast';
import { useElementSite } from '../given-page';

/** The lowest contrast of a text by WCAG 2.2. */
const LOWEST = 4.5;
const DATE = daysFromToday(30);

describeInBrowsers('a choice that sells out before the click', (browser) => {
  const site = useElementSite(browser);
  let tour: GivenTour;
  beforeEach(async () => {
    tour = await givenTour(site.api.db);
    // Keeps the calendar: a tour without an open day has none.
    await givenDeparture(site.api.db, tour, { date: daysFromToday(60) });
  });

  /** Holds the last seat for another visitor. */
  const sellOut = async (departure_time?: string) => {
    const wish = { tour_id: tour.slug, departure_date: DATE, departure_time, party: { adult: 1 } };
    const { status } = await fetch(`${site.address}/tours/hold`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', 'Sec-Fetch-Site': 'same-origin' },
      body: JSON.stringify(wish),
    });
    expect(status).toBe(201);
  };
  const open = async (scheme: string, accent: string) => {
    await site.open(`<tour-booking tour="${tour.slug}"></tour-booking>`);
    await site.page.evaluate(`
      document.documentElement.style.colorScheme = '${scheme}';
      document.querySelector('tour-booking').style.cssText = '${accent && `--tour-accent: ${accent}`}';`);
    await site.page.locator(`[data-date="${DATE}"]`).click();
  };
  /** Asks for the seats, which are gone, and waits until the list of the departures tells it. */
  const askInVain = async (sold: string) => {
    await site.page.getByRole('button', { name: 'Hold the seats' }).click();
    await site.page.locator('.problem').waitFor();
    await site.page.locator(sold).waitFor();
    await site.page.mouse.move(0, 0);
  };
  const expectReadable = async (selector: string) => {
    const texts = await contrastsOf(site.page, selector);
    expect(texts.length).toBeGreaterThan(0);
    expect(texts.filter(({ ratio }) => ratio < LOWEST)).toEqual([]);
  };

  it.each([
    ['light', ''],
    ['dark', ''],
    ['light', '#facc15'],
    ['dark', '#1e1b4b'],
  ])('the chosen day stays readable, in the scheme %s with the accent %j', async (scheme, accent) => {
    await givenDeparture(site.api.db, tour, { date: DATE, seats: 1 });
    await open(scheme, accent);
    await sellOut();
    await askInVain('[aria-selected=true] .soldOut');
    await expectReadable('[aria-selected=true] .day');
  });

  it.each(['light', 'dark'])('the chosen time stays readable, in the scheme %s', async (scheme) => {
    for (const startTime of ['09:00', '14:00'])
      await givenDeparture(site.api.db, tour, { date: DATE, startTime, seats: 1 });
    await open(scheme, '');
    await site.page.locator('.time').first().click();
    await sellOut('09:00');
    await askInVain('.time:disabled');
    await expectReadable('.time');
  });
});

import type { BrowserContextOptions } from 'playwright-core';
import { violationsOf } from '../../support/axe';
import { describeInChromium } from '../../support/browsers';
import {
  daysFromToday,
  daysOfOneMonth,
  givenDeparture,
  givenTour,
  type GivenTour,
  type TourOverrides,
} from '../../support/given';
import { renewContext, useElementSite } from '../given-page';
import { fillContact, holdSeats } from '../visit';

const FAMILY: TourOverrides['categories'] = [
  { code: 'adult', kind: 'adult', seats: 1, people: 1, age_from: 18, age_to: 99 },
  { code: 'infant', kind: 'infant', seats: 0, people: 1, age_from: 0, age_to: 3, with: ['adult'] },
  { code: 'family', kind: 'family', name: 'Family ticket', seats: 4, people: 4, max: 1 },
];
const PRICES = { adult: 50_000, infant: 0, family: 150_000 };
/** 400 % of zoom make a window of 1280 px as narrow as this. */
const ZOOMED = { width: 320, height: 200 };

describeInChromium('the element on the displays of visitors', (browser) => {
  const site = useElementSite(browser);
  let tour: GivenTour;
  beforeAll(async () => {
    tour = await givenTour(site.api.db, { categories: FAMILY });
    const [many, few] = daysOfOneMonth(2);
    await givenDeparture(site.api.db, tour, { prices: PRICES, seats: 100, date: many });
    await givenDeparture(site.api.db, tour, { prices: PRICES, seats: 3, date: few });
  });

  const open = async (slug: string, options: BrowserContextOptions = {}) => {
    await renewContext(site, options);
    await site.open(
      `<main><h1>A tour</h1><tour-booking tour="${slug}"></tour-booking></main>`,
      '<meta name="color-scheme" content="light dark">',
    );
    await site.page.locator('.day.open').first().waitFor();
  };
  const inShadow = (expression: string) =>
    site.page.evaluate<unknown>(
      `((root) => ${expression})(document.querySelector('tour-booking').shadowRoot)`,
    );
  const expectFits = async () =>
    expect(await site.page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true);

  it.each<[string, BrowserContextOptions]>([
    ['forced colours', { forcedColors: 'active' }],
    ['a dark scheme', { colorScheme: 'dark' }],
    ['a zoom of 400 %', { viewport: ZOOMED }],
    ['reduced motion', { reducedMotion: 'reduce' }],
  ])('axe finds nothing in any step with %s, and nothing scrolls sideways', async (_title, options) => {
    await open(tour.slug, options);
    await site.page.locator('.day.open').first().click();
    await site.page.getByRole('button', { name: 'Infant: +1' }).click();
    expect(await violationsOf(site.page)).toEqual([]);
    await expectFits();
    await holdSeats(site.page);
    await fillContact(site.page);
    expect(await violationsOf(site.page)).toEqual([]);
    await expectFits();
    await site.page.getByRole('button', { name: 'Change the date or the guests' }).click();
    await site.page.locator('.day.open').first().waitFor();
  });

  it('nothing of the element moves, whether the visitor has reduced motion or not', async () => {
    await open(tour.slug, { reducedMotion: 'no-preference' });
    const moving =
      "[...root.querySelectorAll('*')].filter((one) => /[1-9]/.test(getComputedStyle(one).transitionDuration) || getComputedStyle(one).animationName !== 'none')";
    expect(await inShadow(`${moving}.length`)).toBe(0);
    expect(await inShadow("root.querySelectorAll('button').length")).toBeGreaterThan(0);
  });

  it('each control is at least 44 px high, and the days of a phone are as wide as the window allows', async () => {
    await open(tour.slug, { viewport: { width: 390, height: 844 } });
    await site.page.locator('.day.open').first().click();
    const low =
      "[...root.querySelectorAll('button, input')].filter((one) => one.getBoundingClientRect().height < 44)";
    expect(await inShadow(`${low}.map((one) => one.outerHTML)`)).toEqual([]);
    const narrow =
      "[...root.querySelectorAll('button')].filter((one) => one.getBoundingClientRect().width < 44)";
    expect(await inShadow(`${narrow}.map((one) => one.outerHTML)`)).toEqual([]);
  });

  it.each(['#facc15', '#1e1b4b', '#ff00aa', '#808080', '#ffffff', '#000000'])(
    'the text on a chosen day and on a button is readable on the accent %s',
    async (accent) => {
      await open(tour.slug);
      await site.page.evaluate(
        `document.querySelector('tour-booking').style.setProperty('--tour-accent', '${accent}')`,
      );
      await site.page.locator('.day.open').first().click();
      await site.page.mouse.move(0, 0);
      await site.page.waitForTimeout(300);
      expect(await violationsOf(site.page)).toEqual([]);
    },
  );

  it.each([
    ['JPY', 128_000, '128K', '¥256,000'],
    ['KWD', 112_250, '112.250', 'KWD 224.500'],
  ])('prices in %s have their decimals, and the total is exact', async (currency, minor, price, total) => {
    const other = await givenTour(site.api.db, { currency });
    await givenDeparture(site.api.db, other, { prices: { adult: minor } });
    await open(other.slug, { viewport: { width: 320, height: 800 } });
    expect(await site.page.locator('.price.short').innerText()).toBe(price);
    await site.page.locator('.day.open').click();
    await site.page.getByRole('button', { name: 'Adult: +1' }).click();
    expect((await site.page.locator('output').innerText()).replaceAll('\u00a0', ' ')).toBe(total);
    await expectFits();
  });

  it('the colours are dark where the scheme of the page is dark', async () => {
    const lightness = "getComputedStyle(root.querySelector('.element')).backgroundColor";
    await open(tour.slug, { colorScheme: 'light' });
    expect(await inShadow(lightness)).toBe('rgb(255, 255, 255)');
    await open(tour.slug, { colorScheme: 'dark' });
    expect(await inShadow(lightness)).toBe('rgb(26, 32, 42)');
  });

  describe('366 days with three departures each', () => {
    let busy: GivenTour;
    beforeAll(async () => {
      busy = await givenTour(site.api.db);
      for (let day = 1; day <= 366; day += 1)
        for (const startTime of ['09:00', '12:00', '15:00'])
          await givenDeparture(site.api.db, busy, { date: daysFromToday(day), startTime });
    });

    const expectLastDay = async () => {
      const next = site.page.getByRole('button', { name: 'Next month' });
      while ((await next.getAttribute('aria-disabled')) === 'false') await next.click();
      const last = site.page.locator('.day.open').last();
      expect(await last.getAttribute('data-date')).toBe(daysFromToday(366));
      await last.click();
      expect(await site.page.locator('.time').count()).toBe(3);
    };

    it('are shown, and the last day can be chosen', async () => {
      await open(busy.slug);
      await expectLastDay();
    });

    it('are read once by a page whose site has a cache that ignores the query', async () => {
      site.intercept = (request, _response, next) => {
        request.url = request.url.replace(/&cursor=.*/, '');
        next();
      };
      await site.open(`<tour-booking tour="${busy.slug}"></tour-booking>`);
      await site.page.locator('.day.open').first().waitFor();
      await site.page.waitForTimeout(2000);
      expect(site.requests.filter((one) => one.endsWith('/departures'))).toHaveLength(2);
      await site.page.locator('.day.open').first().click();
      expect(await site.page.locator('.time').count()).toBe(3);
    });

    it('are all shown when the hold of the visitor is read later than they', async () => {
      await open(tour.slug);
      await holdSeats(site.page);
      const isRead = () => site.requests.filter((one) => one.endsWith('/departures')).length === 3;
      site.requests = [];
      site.intercept = ({ path }, _response, next) => {
        if (path === '/hold') setTimeout(next, 1500);
        else next();
      };
      await site.open(`<tour-booking tour="${busy.slug}"></tour-booking>`);
      await site.page.locator('.day.open').first().waitFor();
      while (!isRead()) await site.page.waitForTimeout(50);
      await expectLastDay();
    });
  });
});

import { setTimeout as sleep } from 'node:timers/promises';
import { violationsOf } from '../../support/axe';
import { describeInBrowsers } from '../../support/browsers';
import {
  daysFromToday,
  daysOfOneMonth,
  givenDeparture,
  givenTour,
  type GivenTour,
} from '../../support/given';
import { renewContext, useElementSite } from '../given-page';
import { focusedDate, hasFocus, tabTo, waitForFocus } from '../keyboard';
import { goBackTo } from '../visit';

const [DATE, CANCELLED] = daysOfOneMonth(2) as [string, string];
const LATER = daysFromToday(75);
const PRICES = { adult: 50_000, child: 30_000 };

describeInBrowsers('the element with a keyboard alone', (browser) => {
  const site = useElementSite(browser);
  let tour: GivenTour;
  beforeEach(async () => {
    tour = await givenTour(site.api.db, { cancellation: { tiers: [{ until: '7d', refund_percent: 50 }] } });
    const { db } = site.api;
    for (const startTime of ['09:30', '14:00']) {
      await givenDeparture(db, tour, { date: DATE, startTime, prices: PRICES });
    }
    await givenDeparture(db, tour, { date: CANCELLED, status: 'cancelled', prices: PRICES });
    await givenDeparture(db, tour, { date: LATER, seats: 3, prices: PRICES });
  });

  const press = (key: string) => site.page.keyboard.press(key);
  /** axe finds nothing in the step, and nothing is wider than the window. The scrollbar of Firefox takes 12 px of it. */
  const expectAccessible = async (width: number) => {
    expect(await violationsOf(site.page)).toEqual([]);
    const [inner, hidden] = await site.page.evaluate<[number, number]>(
      '(({ scrollWidth, clientWidth }) => [innerWidth, scrollWidth - clientWidth])(document.documentElement)',
    );
    expect([inner, hidden]).toEqual([width, 0]);
  };

  it.each([
    ['en', 320, 'ArrowRight'],
    ['en', 1280, 'ArrowRight'],
    ['de', 320, 'ArrowRight'],
    ['de', 1280, 'ArrowRight'],
    ['ar', 320, 'ArrowLeft'],
    ['ar', 1280, 'ArrowLeft'],
  ])(
    'the keyboard alone books two seats in %s at %i px, and axe finds nothing in any step',
    async (lang, width, forward) => {
      await renewContext(site, { viewport: { width, height: 800 } });
      await site.open(
        `<main><h1>A tour</h1><tour-booking tour="${tour.slug}" next="/pay" lang="${lang}"></tour-booking></main>`,
      );
      await site.page.locator('.day.open').first().waitFor();
      await expectAccessible(width);

      await tabTo(site.page, '.day');
      expect(await focusedDate(site.page)).toBe(DATE);
      await press(forward);
      expect(await focusedDate(site.page)).toBe(CANCELLED);
      await press('Enter');
      expect(await site.page.locator('.refused').innerText()).not.toBe('');
      await press('PageDown');
      expect((await focusedDate(site.page))! > CANCELLED).toBe(true);
      await press('PageUp');
      await site.page.locator(`[data-date="${DATE}"]`).focus();
      await press('Enter');

      await tabTo(site.page, '.time');
      await press('Enter');
      await tabTo(site.page, 'input[type=number]');
      await press('ArrowUp');
      expect(await site.page.locator('output').innerText()).toMatch(/1[.,]?000/);
      await expectAccessible(width);
      await tabTo(site.page, '.pay .button');
      await press('Enter');

      await waitForFocus(site.page, 'h2');
      await expectAccessible(width);
      await tabTo(site.page, '[name=name]');
      await press('Enter');
      await site.page.locator('.error').first().waitFor();
      expect(await hasFocus(site.page, '[name=name]')).toBe(true);
      await expectAccessible(width);
      await site.page.keyboard.type('Ana Lima');
      await tabTo(site.page, '[name=phone]');
      await site.page.keyboard.type('+4930901820');
      await tabTo(site.page, '[name=email]');
      await site.page.keyboard.type('ana@example.com');
      await press('Enter');
      await site.page.waitForURL(/\/pay\?booking_ref=/);
      await goBackTo(site.page, '[part=summary]');
      await expectAccessible(width);
      expect(site.complaints).toEqual([]);
      const leads = await site.api.db('booking_leads').where({ tour_id: tour.id });
      expect(leads).toEqual([expect.objectContaining({ party: { adult: 2 } })]);
    },
  );

  it('the keys of a date grid move the focus in the calendar, and skip months without departures', async () => {
    const year = new Date().getUTCFullYear() + 1;
    const grid = await givenTour(site.api.db);
    for (const date of [`${year}-03-12`, `${year}-06-20`]) await givenDeparture(site.api.db, grid, { date });
    await site.open(`<tour-booking tour="${grid.slug}" lang="de"></tour-booking>`);
    await site.page.locator('.day.open').waitFor();
    await tabTo(site.page, '.day');
    const weekday = (new Date(`${year}-03-12`).getUTCDay() + 6) % 7;
    const march = (day: number) => `${year}-03-${String(day).padStart(2, '0')}`;
    const moves: [key: string, date: string][] = [
      ['Home', march(12 - weekday)],
      ['End', march(18 - weekday)],
      ['ArrowDown', march(25 - weekday)],
      ['ArrowUp', march(18 - weekday)],
      ['PageDown', `${year}-06-${String(18 - weekday).padStart(2, '0')}`],
      ['PageDown', `${year}-06-${String(18 - weekday).padStart(2, '0')}`],
      ['PageUp', march(18 - weekday)],
    ];
    const seen: typeof moves = [];
    for (const [key] of moves) {
      await press(key);
      seen.push([key, (await focusedDate(site.page))!]);
    }
    expect(seen).toEqual(moves);
    await site.page.locator(`[data-date="${march(31)}"]`).focus();
    await press('ArrowRight');
    expect(await focusedDate(site.page)).toBe(`${year}-06-01`);
    await press('ArrowLeft');
    expect(await focusedDate(site.page)).toBe(march(31));
    // Before the first month there is no day to move to, and the page stays where it is.
    await site.page.locator(`[data-date="${march(1)}"]`).focus();
    await site.page.evaluate("document.body.style.paddingTop = '100vh'");
    await site.page.evaluate('scrollTo(0, 300)');
    await press('ArrowUp');
    await sleep(300);
    expect([await focusedDate(site.page), await site.page.evaluate('scrollY')]).toEqual([march(1), 300]);
  });
});

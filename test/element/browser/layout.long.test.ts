import type { Locator } from 'playwright-core';
import { describeInChromium } from '../../support/browsers';
import { daysFromToday, givenDeparture, givenTour, unique } from '../../support/given';
import { useElementSite } from '../given-page';

const DATE = daysFromToday(30);
const PHONE = { width: 390, height: 844 };
const DESK = { width: 1280, height: 800 };
/** In CSS pixels: the width of a thumb. */
const THUMB = 44;
/** In CSS pixels: a line of this length can be read from the total to its amount. */
const LINE_MAX = 28 * 16;
const WEIGHT = { code: 'weight', label: 'Weight', type: 'number', per: 'traveller', min: 35, max: 150 };

describeInChromium('the places of the parts of the element', (browser) => {
  const site = useElementSite(browser);
  const part = (selector: string) => site.page.locator(selector).first();
  /** @param code a function of the first element that the selector finds */
  const read = <Value>(selector: string, code: string) =>
    site.page.evaluate<Value>(
      `(${code})(document.querySelector('tour-booking').shadowRoot.querySelector('${selector}'))`,
    );
  const boxOf = async (locator: Locator) => {
    const { x, y, width, height } = (await locator.boundingBox())!;
    return { x, y, width, height, right: x + width, bottom: y + height };
  };
  /** @param fields columns of the tour */
  const open = async (fields: object = {}, window = PHONE, lang = 'en') => {
    const tour = await givenTour(site.api.db);
    await site.api
      .db('tours')
      .where({ id: tour.id })
      .update({ status: 'published', ...fields });
    for (const startTime of ['09:00', '12:00'])
      await givenDeparture(site.api.db, tour, {
        date: DATE,
        startTime,
        seats: startTime === '09:00' ? 3 : 30,
      });
    await site.page.setViewportSize(window);
    await site.open(`<tour-booking tour="${tour.slug}" lang="${lang}"></tour-booking>`);
    await part('.day.open').click();
  };
  /** @returns the pickup of a tour with so many new points */
  const givenPickup = async (count: number) => {
    const codes = Array.from({ length: count }, () => unique('stop'));
    const named = codes.map((code) => ({ code, name: `Stop ${code}`, address: 'Platz 1, Berlin' }));
    await site.api.db('pickup_points').insert(named);
    const points = codes.map((point) => ({ point, minutes_before: 15 }));
    return JSON.stringify({ required: false, until: 'confirm', elsewhere: false, points });
  };
  /** @param more adults than the party that is offered */
  const holdAtNoon = async (more = 0) => {
    await site.page.locator('.time').nth(1).click();
    for (let adult = 0; adult < more; adult += 1) await part('.plus').click();
    await part('.pay .button').click();
    await part('[part=countdown]').waitFor();
  };

  it('the prices of two start times stand at one height, also if one of them names the seats that are left', async () => {
    await open();
    const heights = await Promise.all(
      [0, 1].map((place) => boxOf(site.page.locator('.time .price').nth(place))),
    );
    expect(await site.page.locator('.time .few').count()).toBe(1);
    expect(heights[0]!.y).toBe(heights[1]!.y);
  });

  it('the days of a wide calendar end where its buttons end', async () => {
    await open({}, DESK);
    const next = await boxOf(part('.icon.next'));
    const lastDay = await boxOf(site.page.locator('.weeks tr:nth-child(2) td:last-child button'));
    expect(Math.abs(next.right - lastDay.right)).toBeLessThanOrEqual(1);
  });

  it('the outline of a focused number does not lie on the buttons beside it', async () => {
    await open();
    await site.page.locator('.time').nth(1).click();
    await part('.stepper input').focus();
    const outline = await read<number>(
      '.stepper input',
      '(input) => parseFloat(getComputedStyle(input).outlineOffset) + parseFloat(getComputedStyle(input).outlineWidth)',
    );
    const [minus, input] = [await boxOf(part('.minus')), await boxOf(part('.stepper input'))];
    expect(input.x - outline).toBeGreaterThanOrEqual(minus.right);
  });

  it.each([
    ['of 8 pickup points is as high as its points', 8, false],
    ['of 9 pickup points has a search, and scrolls', 9, true],
  ])('a list %s', async (_title, count, isScrolled) => {
    await open({ pickup: await givenPickup(count) });
    await holdAtNoon();
    const isScrollable = await read<boolean>('.points', '(list) => list.scrollHeight > list.clientHeight');
    expect(isScrollable).toBe(isScrolled);
  });

  it('the link to the map is as large as a thumb', async () => {
    await open({ pickup: await givenPickup(1) });
    await holdAtNoon();
    const { width, height } = await boxOf(part('.point a'));
    expect([width >= THUMB, height >= THUMB]).toEqual([true, true]);
  });

  it('the button that books stays in sight beside a long form', async () => {
    await open({ questions: JSON.stringify([{ ...WEIGHT, required: false, until: 'confirm' }]) }, DESK);
    await holdAtNoon(3);
    await site.page.locator('fieldset').last().scrollIntoViewIfNeeded();
    expect(await site.page.evaluate('scrollY')).toBeGreaterThan(DESK.height / 2);
    const { y, bottom } = await boxOf(part('.pay'));
    expect([y >= 0, bottom <= DESK.height]).toEqual([true, true]);
  });

  it('the total of seats that are free again stands near its amount in a wide window', async () => {
    await open({}, DESK);
    await holdAtNoon();
    await site.page.evaluate('void ((now) => { Date.now = () => now() + 3_600_000; })(Date.now.bind(Date))');
    await site.page.getByRole('heading', { name: 'The time to book is over' }).waitFor();
    expect((await boxOf(part('.pay'))).width).toBeLessThanOrEqual(LINE_MAX);
  });

  it('the texts of the summary begin at one edge from right to left, those in Latin letters too', async () => {
    await open({ pickup: await givenPickup(1) }, PHONE, 'ar');
    await holdAtNoon();
    await part('.point input').check();
    const edges = await Promise.all((await site.page.locator('.summary bdi').all()).map(boxOf));
    expect(edges.length).toBe(2);
    expect(Math.abs(edges[0]!.right - edges[1]!.right)).toBeLessThanOrEqual(1);
  });

  it('a range of answers is written as a range', async () => {
    await open({ questions: JSON.stringify([{ ...WEIGHT, required: false, until: 'confirm' }]) });
    await holdAtNoon();
    expect((await site.page.locator('[id$=weight-hint]').innerText()).replace(/[\u2066\u2069]/g, '')).toBe(
      '35 – 150',
    );
  });
});

import { describeInChromium } from '../../support/browsers';
import { daysFromToday, givenDeparture, givenTour } from '../../support/given';
import { renewContext, useElementSite } from '../given-page';

const LANGUAGES = ['en', 'de', 'fr', 'es', 'pt', 'pt-BR', 'vi', 'ar', 'ja'];
/** A month of which each day is in the future from the tenth on. */
const MONTH = daysFromToday(40).slice(0, 7);

/**
 * The prices and the names of the weekdays that are cut off, or touch the edge of their cell. The tests run with DejaVu Sans, which is wider
 * than the fonts of phones.
 */
const TOO_WIDE = `(() => {
  const { shadowRoot } = document.querySelector('tour-booking');
  const isCutOff = (cell) => cell.scrollWidth > cell.clientWidth || cell.scrollHeight > cell.clientHeight;
  const isInside = (text, cell) => {
    const range = document.createRange();
    range.selectNodeContents(text);
    const [inner, outer] = [range.getBoundingClientRect(), cell.getBoundingClientRect()];
    return inner.width > 0 && inner.left >= outer.left + 1 && inner.right <= outer.right - 1;
  };
  const days = [...shadowRoot.querySelectorAll('.day.open')].map((day) => [day.querySelector('.short'), day]);
  const names = [...shadowRoot.querySelectorAll('th')].map((name) => [name, name]);
  return [...days, ...names]
    .filter(([text, cell]) => isCutOff(cell) || !isInside(text, cell))
    .map(([text]) => text.textContent);
})()`;

describeInChromium('the calendar in a window of 320 px', (browser) => {
  const site = useElementSite(browser);

  it.each([
    ['VND', [8_900_000, 12_850_000]],
    ['JPY', [14_800, 168_000]],
    ['KWD', [685_500, 127_750, 1_127_125]],
    ['USD', [5_800, 289_000, 289_050]],
  ])('prices in %s are inside their days in each language', async (currency, amounts) => {
    const tour = await givenTour(site.api.db, { currency });
    for (const [index, adult] of amounts.entries())
      await givenDeparture(site.api.db, tour, { date: `${MONTH}-${10 + index}`, prices: { adult } });
    await renewContext(site, { viewport: { width: 320, height: 800 } });
    await site.open(`<tour-booking tour="${tour.slug}"></tour-booking>`);
    const wide: Record<string, string[]> = {};
    for (const language of LANGUAGES) {
      await site.page.evaluate(`void (document.querySelector('tour-booking').lang = '${language}')`);
      const days = site.page.locator(`.element:lang(${language}) .day.open`);
      await days.first().waitFor();
      expect(await days.count()).toBe(amounts.length);
      wide[language] = await site.page.evaluate<string[]>(TOO_WIDE);
    }
    expect(wide).toEqual(Object.fromEntries(LANGUAGES.map((language) => [language, []])));
  });
});

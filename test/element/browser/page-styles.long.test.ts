import { describeInBrowsers } from '../../support/browsers';
import { givenDeparture, givenTour, type GivenTour } from '../../support/given';
import { useElementSite } from '../given-page';
import { book, fillContact, holdSeats } from '../visit';

const LONG_WORD = 'Donaudampfschifffahrtsgesellschaftskapitänskinder';

const CONTACT = { name: 'Ana Lima', phone: '+49 30 901820', email: 'ana@example.com' };

/** Styles of a page that its texts inherit, and which would change those of the element. */
const INHERITED = {
  whiteSpace: 'nowrap',
  textIndent: '48px',
  letterSpacing: '5px',
  wordSpacing: '20px',
  textTransform: 'uppercase',
  textAlign: 'right',
  textShadow: 'rgb(255, 0, 0) 1px 1px 0px',
  writingMode: 'vertical-rl',
  wordBreak: 'break-all',
  hyphens: 'auto',
  lineBreak: 'anywhere',
  fontVariantCaps: 'small-caps',
  fontStyle: 'italic',
  fontWeight: '800',
  lineHeight: '60px',
  cursor: 'wait',
  listStyleType: 'square',
  captionSide: 'bottom',
  emptyCells: 'hide',
  tabSize: '1',
  webkitTextFillColor: 'rgb(255, 0, 0)',
};

describeInBrowsers('the element among the styles and programs of a page', (browser) => {
  const site = useElementSite(browser);
  let tour: GivenTour;
  beforeAll(async () => {
    tour = await givenTour(site.api.db);
    await givenDeparture(site.api.db, tour, { seats: 50 });
  });

  const tag = () => `<tour-booking tour="${tour.slug}"></tour-booking>`;
  const inShadow = <T>(expression: string) =>
    site.page.evaluate<T>(`((root) => ${expression})(document.querySelector('tour-booking').shadowRoot)`);
  const calendar = () => site.page.locator('.day.open').first().waitFor();

  it('the element is as wide as a calendar needs it in each kind of box', async () => {
    const boxes = {
      'a centred item of a grid': 'display: grid; place-items: center',
      'a centred item of a flex column': 'display: flex; flex-direction: column; align-items: center',
      'an item of a flex row': 'display: flex; justify-content: center',
      'a box that is as wide as its content': 'display: inline-block',
      'a floating box': 'float: left',
      'a box like a dialog': 'position: fixed; inset: 0; inline-size: fit-content; margin: auto',
    };
    await site.open(`<main>${tag()}</main>`);
    await calendar();
    for (const width of [1280, 320]) {
      await site.page.setViewportSize({ width, height: 900 });
      for (const [kind, style] of Object.entries(boxes)) {
        await site.page.evaluate(`document.querySelector('main').style.cssText = '${style}'`);
        const box = await site.page.locator('tour-booking').boundingBox();
        const scrollWidth = await site.page.evaluate('document.documentElement.scrollWidth');
        const seen = { kind, isWide: box!.width > (width === 320 ? 270 : 600), scrollWidth };
        expect(seen).toEqual({ kind, isWide: true, scrollWidth: width });
      }
    }
  });

  it('the texts keep their size on a page whose theme sets the rem to 10 px', async () => {
    const sizes = () =>
      inShadow<string[]>("[...root.querySelectorAll('*')].map((one) => getComputedStyle(one).fontSize)");
    await site.open(tag());
    await calendar();
    const before = await sizes();
    await site.page.evaluate(
      "document.documentElement.style.fontSize = '62.5%'; document.body.style.fontSize = '1.6rem'",
    );
    expect(await sizes()).toEqual(before);
    expect(before).toContain('16px');
  });

  it.each([
    ['the body', 'body'],
    ['each element', '*'],
  ])('the styles that texts inherit from a rule for %s change none of the element', async (_title, rule) => {
    const names = JSON.stringify(Object.keys(INHERITED));
    const styles = () =>
      inShadow<string[]>(`[...root.querySelectorAll('*')].map((one) => {
        const style = getComputedStyle(one);
        return one.tagName + ' ' + one.className + JSON.stringify(${names}.map((name) => [name, style[name]]));
      })`);
    await site.open(`<p>Text</p><main>${tag()}</main>`);
    await calendar();
    await site.page.locator('.day.open').first().click();
    await site.page.mouse.move(0, 0);
    const before = await styles();
    await site.page.evaluate(`
      const sheet = new CSSStyleSheet();
      sheet.insertRule('${rule} {}');
      Object.assign(sheet.cssRules[0].style, ${JSON.stringify(INHERITED)});
      document.adoptedStyleSheets.push(sheet);`);
    const ofPage = `${names}.filter((name) => getComputedStyle(document.querySelector('p'))[name] !== ${JSON.stringify(INHERITED)}[name])`;
    expect(await site.page.evaluate(ofPage)).toEqual([]);
    expect(await styles()).toEqual(before);
  });

  it('the calendar has the texts of the element on a page without a doctype', async () => {
    const texts = () =>
      inShadow<string[]>(`['table', 'th', '.day.open .number'].map((selector) => {
        const { color, font } = getComputedStyle(root.querySelector(selector));
        return [selector, color, font];
      })`);
    await site.open(tag());
    await calendar();
    await site.page.evaluate("document.documentElement.style.fontSize = '24px'");
    const before = await texts();
    const script = '<script type="module" src="/booking.js"></script>';
    await site.page.setContent(`<html lang="en">${script}<body text="red">${tag()}`);
    await calendar();
    expect(await site.page.evaluate('document.compatMode')).toBe('BackCompat');
    await site.page.evaluate("document.documentElement.style.fontSize = '24px'");
    expect(await texts()).toEqual(before);
  });

  it('a page that hides a part of itself hides the element there', async () => {
    await site.open(`<main>${tag()}</main>`);
    await calendar();
    await site.page.evaluate("document.querySelector('main').style.visibility = 'hidden'");
    expect(await site.page.locator('.day.open').first().isVisible()).toBe(false);
    await site.page.evaluate("document.querySelector('main').style.cssText = 'direction: rtl'");
    expect(await inShadow('getComputedStyle(root.host).direction')).toBe('rtl');
  });

  it('a translator of the browser leaves the element alone', async () => {
    await site.open(tag());
    await calendar();
    expect(await inShadow("root.querySelector('.element').translate")).toBe(false);
  });

  it('fields that a program fills in at once, with the event change alone, are read', async () => {
    await site.open(tag());
    await holdSeats(site.page);
    await inShadow(`Object.entries({ name: 'Ana Lima', phone: '+49 30 901820', email: 'ana@example.com' }).forEach(
      ([name, value]) => {
        const field = root.querySelector('[name=' + name + ']');
        field.value = value;
        field.dispatchEvent(new Event('change', { bubbles: true }));
      })`);
    await book(site.page);
    const booked = site.page.getByRole('heading', { name: /^Reserved: pay €100 by/ });
    await booked.waitFor();
    expect(await booked.isVisible()).toBe(true);
  });

  it('inside another component the element has the language of the page', async () => {
    await site.open('<main></main>');
    await site.page.evaluate(`
      document.documentElement.lang = 'de';
      document.querySelector('main').attachShadow({ mode: 'open' }).innerHTML = '${tag()}'`);
    await calendar();
    expect(await site.page.getByText('Datum wählen').isVisible()).toBe(true);
  });

  it('a long word in the name of a category stays inside a window of 320 px', async () => {
    const prices = { adult: 50_000, child: 20_000 };
    const long = await givenTour(site.api.db, {
      categories: [
        { code: 'adult', kind: 'adult', seats: 1, people: 1, name: LONG_WORD },
        { code: 'child', kind: 'child', seats: 1, people: 1 },
      ],
    });
    await givenDeparture(site.api.db, long, { prices });
    await site.page.setViewportSize({ width: 320, height: 900 });
    await site.open(`<tour-booking tour="${long.slug}"></tour-booking>`);
    await site.page.locator('.day.open').first().click();
    await site.page.getByText(LONG_WORD).first().waitFor();
    expect(await site.page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(320);
    await site.page.getByRole('button', { name: 'Hold the seats' }).click();
    await site.page.getByRole('heading', { name: 'Your seats are held' }).waitFor();
    expect(await site.page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(320);
  });

  it('texts of twice the size stay inside a window of 320 px, in each step', async () => {
    await site.page.setViewportSize({ width: 320, height: 900 });
    await site.open(`<tour-booking tour="${tour.slug}" lang="de"></tour-booking>`);
    await site.page.evaluate("document.documentElement.style.fontSize = '200%'");
    const width = () => site.page.evaluate('document.documentElement.scrollWidth');
    await site.page.locator('.day.open').click();
    expect(await width()).toBeLessThanOrEqual(320);
    await site.page.locator('.pay .button').click();
    await site.page.locator('summary').click();
    await site.page.locator('.contact .button').click();
    await site.page.locator('[name="travellers.0.birth_date"]').scrollIntoViewIfNeeded();
    expect(await width()).toBeLessThanOrEqual(320);
  });

  /** Returns the words that a line break cuts, and the texts that their box cuts off. */
  const cutTexts = () =>
    inShadow<string[]>(`(() => {
      const isShown = (element) => element.checkVisibility() && !element.closest('.visually-hidden');
      const boxes = [...root.querySelectorAll('.day, input')].filter(
        (box) => box.scrollWidth > box.clientWidth || (box.matches('.day') && box.scrollHeight > box.clientHeight),
      );
      const cut = boxes.filter(isShown).map((box) => box.outerHTML);
      const texts = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
      while (texts.nextNode()) {
        const { currentNode: text } = texts;
        if (!isShown(text.parentElement)) continue;
        for (const { 0: word, index } of text.data.matchAll(/[^\\s-]+/g)) {
          const range = document.createRange();
          range.setStart(text, index);
          range.setEnd(text, index + word.length);
          const lines = new Set([...range.getClientRects()].map(({ top }) => Math.round(top)));
          if (lines.size > 1) cut.push(word);
        }
      }
      return cut;
    })()`);

  it.each([
    ['de', 123_456, 390],
    ['en', 129_000, 390],
    ['vi', 48_950, 1280],
  ])(
    'texts of twice the size are cut nowhere: in %s with a price of %d in a window of %d px',
    async (lang, adult, width) => {
      const large = await givenTour(site.api.db);
      await givenDeparture(site.api.db, large, {
        seats: 5,
        prices: { adult, child: 50_000, single_supplement: 7_000 },
      });
      await site.page.setViewportSize({ width, height: 844 });
      await site.open(`<tour-booking tour="${large.slug}" lang="${lang}"></tour-booking>`);
      await site.page.evaluate("document.documentElement.style.fontSize = '200%'");
      const expectComplete = async () => {
        expect(await cutTexts()).toEqual([]);
        expect(await site.page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(width);
      };
      await site.page.locator('.day.open').click();
      await expectComplete();
      await site.page.locator('.pay .button').click();
      await site.page.locator('summary').click();
      await site.page.locator('.contact .button').click();
      await expectComplete();
      for (const [name, value] of Object.entries(CONTACT))
        await site.page.locator(`[name=${name}]`).fill(value);
      await site.page.locator('.contact .button').click();
      await site.page.locator('.contact').waitFor({ state: 'detached' });
      await expectComplete();
    },
  );

  it('a booking that costs nothing has no time until which to pay', async () => {
    const free = await givenTour(site.api.db);
    await givenDeparture(site.api.db, free, { prices: { adult: 0 } });
    await site.open(`<tour-booking tour="${free.slug}"></tour-booking>`);
    await holdSeats(site.page);
    await fillContact(site.page);
    await book(site.page);
    await site.page.getByRole('heading', { name: 'Your seats are booked' }).waitFor();
    expect(await site.page.getByText('Pay until').count()).toBe(0);
  });
});

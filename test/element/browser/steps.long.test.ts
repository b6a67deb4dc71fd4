import { violationsOf } from '../../support/axe';
import { describeInChromium } from '../../support/browsers';
import {
  daysFromToday,
  givenDeparture,
  givenTour,
  type GivenTour,
  type TourOverrides,
} from '../../support/given';
import { endHoldIn } from '../../support/website';
import { renewContext, useElementSite } from '../given-page';
import { focusedDate, waitForFocus } from '../keyboard';
import { book, fillContact, holdSeats, showAgain, waitForElement, waitUntil } from '../visit';

const SIX: TourOverrides['categories'] = [
  { code: 'adult', kind: 'adult', seats: 1, people: 1 },
  { code: 'youth', kind: 'youth', seats: 1, people: 1 },
  { code: 'child', kind: 'child', seats: 1, people: 1 },
  { code: 'infant', kind: 'infant', seats: 0, people: 1 },
  { code: 'senior', kind: 'senior', seats: 1, people: 1 },
  { code: 'student', kind: 'student', seats: 1, people: 1 },
];
const PRICES = { adult: 24_100, youth: 18_000, child: 12_050, infant: 0, senior: 21_000, student: 20_000 };
const PHONE = { width: 390, height: 844 };
const FEW_DATE = daysFromToday(75);
const SPLIT_OF_TWO = '€96.40 now, €385.60 later';
const NOTE = 'Transfer the deposit to DE02 1203.\nName your reference. <b>';

describeInChromium('the steps of a purchase, as a visitor sees them', (browser) => {
  const site = useElementSite(browser);
  let tour: GivenTour;
  beforeEach(async () => {
    const { db } = site.api;
    tour = await givenTour(db, { categories: SIX, cancellation: { tiers: [] } });
    await givenDeparture(db, tour, { prices: PRICES, seats: 30 });
    await givenDeparture(db, tour, { prices: PRICES, seats: 3, date: FEW_DATE });
  });

  const tag = (attributes = '') => `<tour-booking tour="${tour.slug}" ${attributes}></tour-booking>`;
  const button = (name: string | RegExp) => site.page.getByRole('button', { name });
  const heading = (name: string | RegExp) => site.page.getByRole('heading', { name });
  const text = (selector: string) => site.page.locator(selector).innerText();
  const chooseTwo = async () => {
    await site.page.locator('.day.open').first().click();
    await button('Adult: +1').click();
  };
  const step = () => text('[part=steps] [aria-current=step]');
  /** Reloads the page when it has stored the units of a category, which follows the click by a frame. */
  const reloadWith = async (category: string, units: number) => {
    await waitUntil(site.page, `history.state?.['tour-booking']?.party.${category} === ${units}`);
    await site.page.reload();
  };
  const setHistory = (state: unknown) =>
    site.page.evaluate(`history.replaceState(${JSON.stringify(state)}, '')`);

  describe('the tour', () => {
    beforeEach(() =>
      site.api.db('tours').where({ id: tour.id }).update({ image_url: 'https://images.example.com/bay.svg' }),
    );
    const duration = async () => (await text('[part=tour] .detail')).replaceAll('\u00a0', ' ');

    it('the first step shows the name, the duration and the picture of the tour', async () => {
      await renewContext(site, { bypassCSP: true });
      await site.page.route('https://images.example.com/**', (route) =>
        route.fulfill({
          contentType: 'image/svg+xml',
          body: '<svg xmlns="http://www.w3.org/2000/svg" width="4" height="3"/>',
        }),
      );
      await site.open(`<main><h1>A tour</h1>${tag()}</main>`);
      await heading('Hà Long Bay Cruise').waitFor();
      expect(await duration()).toBe('3 days');
      await site.page.waitForLoadState('networkidle');
      expect(await site.page.locator('[part=picture]').isVisible()).toBe(true);
      expect(await violationsOf(site.page)).toEqual([]);
    });

    it('a picture that the policy of the page forbids is not there', async () => {
      await site.open(tag());
      await heading('Hà Long Bay Cruise').waitFor();
      await site.page.locator('[part=picture]').waitFor({ state: 'detached' });
      expect(await duration()).toBe('3 days');
    });
  });

  it('the steps name the present one, and none of them can be clicked', async () => {
    await site.open(tag());
    await site.page.locator('.day.open').first().waitFor();
    expect(await step()).toBe('Date');
    await chooseTwo();
    expect(await step()).toBe('Guests');
    await button('Hold the seats').click();
    await heading('Your seats are held').waitFor();
    expect(await step()).toBe('Details');
    expect(await site.page.locator('[part=steps] :is(a, button, [tabindex])').count()).toBe(0);
    await fillContact(site.page);
    await book(site.page);
    await heading(/^Reserved/).waitFor();
    expect(await step()).toBe('Pay');
  });

  it('the deposit is known before each click, and is that of the booking', async () => {
    await site.open(tag());
    await chooseTwo();
    expect(await text('[part=pay]')).toContain(SPLIT_OF_TWO);
    await button('Hold the seats').click();
    await heading('Your seats are held').waitFor();
    expect(await text('[part=pay]')).toContain(SPLIT_OF_TWO);
    await fillContact(site.page);
    await book(site.page);
    await heading(/^Reserved: pay €96.40 by \w+ \d+$/).waitFor();
    // A site without a page of payment takes no money now.
    expect(await text('.element')).not.toContain('now');
    const booking = "fetch('/tours/booking').then((answer) => answer.json())";
    expect(await site.page.evaluate(booking)).toMatchObject({ total_price: 482, deposit_total: 96.4 });
  });

  it.each<[string, string, string, string]>([
    ['the attribute of the tag', 'seller="Acme Travel"', '', 'Sold by Acme Travel'],
    ['the name that the page states', '', '<meta property="og:site_name" content="Acme">', 'Sold by Acme'],
    ['the address of the page', '', '', 'Sold by 127.0.0.1'],
  ])(
    'who sells and the terms stand beside the button that books: %s',
    async (_title, attributes, head, sold) => {
      await site.open(tag(attributes), head);
      await holdSeats(site.page);
      const shown = await text('.review');
      expect(shown).toContain(sold);
      expect(shown).toContain('The price is not refunded.');
      const between = (await site.page.locator('[part=pay]').boundingBox())!;
      const review = (await site.page.locator('.review').boundingBox())!;
      expect(between.y - review.y - review.height).toBeLessThan(40);
    },
  );

  describe('a booking on a site without a page of payment', () => {
    const setNote = (payment_note: string | null) =>
      site.api.db('tenants').where({ slug: site.tenant.slug }).update({ payment_note });
    const setWindow = (minutes: number | null) =>
      site.api.db('tenants').where({ slug: site.tenant.slug }).update({ payment_window_minutes: minutes });
    afterEach(async () => {
      await setNote(null);
      await setWindow(72 * 60);
    });

    it('a booking that stands without a time says what to pay', async () => {
      await setWindow(null);
      // The API reads the tenant again after a second.
      await site.page.waitForTimeout(1500);
      await site.open(tag());
      await holdSeats(site.page);
      await fillContact(site.page);
      await book(site.page);
      await heading('Reserved: pay €48.20').waitFor();
      expect(await site.page.getByText('Pay until').count()).toBe(0);
    });

    it('a booking says what to pay until when, and how, in the words of the tenant and with their line breaks', async () => {
      await site.open(`<main><h1>A tour</h1>${tag('seller="Acme Travel"')}</main>`);
      await setNote(NOTE);
      await holdSeats(site.page);
      await fillContact(site.page);
      await book(site.page);
      await heading(/^Reserved: pay €48.20 by \w+ \d+$/).waitFor();
      await heading('What happens next').waitFor();
      expect(await text('[part=note]')).toBe(NOTE);
      const shown = await text('.step');
      for (const words of ['Pay until', 'Booking reference', 'Sold by Acme Travel'])
        expect(shown).toContain(words);
      expect(await violationsOf(site.page)).toEqual([]);
    });

    it('a booking says nothing of the next step where the tenant has said nothing', async () => {
      await site.open(tag());
      await holdSeats(site.page);
      await fillContact(site.page);
      await book(site.page);
      await heading(/^Reserved/).waitFor();
      expect(await heading('What happens next').count()).toBe(0);
    });
  });

  it('the countdown is quiet until three minutes are left', async () => {
    await site.open(`<main><h1>A tour</h1>${tag()}</main>`);
    await holdSeats(site.page);
    const leave = async (milliseconds: number) => {
      const [{ id }] = await site.api
        .db('seat_holds as h')
        .join('departures as d', 'd.id', 'h.departure_id')
        .where('d.tour_id', tour.id)
        .select('h.id');
      await endHoldIn(site.api.db, id, milliseconds);
      await showAgain(site.page);
    };
    const countdown = (minute: number) => site.page.locator('.countdown', { hasText: `${minute}:` });
    await leave(270_000);
    await countdown(4).waitFor();
    expect(await site.page.locator('.loud').count()).toBe(0);
    await leave(170_000);
    await countdown(2).waitFor();
    expect(await site.page.locator('.loud').count()).toBe(1);
    expect(await violationsOf(site.page)).toEqual([]);
  });

  describe('on a phone', () => {
    const position = () =>
      site.page.evaluate<string>(
        "getComputedStyle(document.querySelector('tour-booking').shadowRoot.querySelector('[part=pay]')).position",
      );
    const toTop = () => site.page.evaluate('scrollTo(0, 0)');
    const isInSight = async () => {
      const { y, height } = (await site.page.locator('[part=pay]').boundingBox())!;
      return y >= 0 && y + height <= PHONE.height;
    };

    it('the total and the button stay in sight while the visitor chooses and fills in the form', async () => {
      await renewContext(site, { viewport: PHONE });
      await site.open(tag());
      await chooseTwo();
      await toTop();
      expect(await isInSight()).toBe(true);
      expect(await text('[part=pay]')).toMatch(/Total\s+€482/);
      await button('Hold the seats').click();
      await site.page.getByLabel('Name', { exact: true }).waitFor();
      await toTop();
      expect(await isInSight()).toBe(true);
      expect(await text('[part=pay]')).toContain('Book for €482');
    });

    /** @param selector of the control that has the focus */
    const expectAboveBar = async (selector: string) => {
      await waitForFocus(site.page, selector);
      const control = (await site.page.locator(selector).boundingBox())!;
      const bar = (await site.page.locator('[part=pay]').boundingBox())!;
      expect([selector, control.y + control.height <= bar.y]).toEqual([selector, true]);
    };

    it('the bar does not lie on the field that has the focus', async () => {
      await renewContext(site, { viewport: PHONE });
      const residence = { code: 'residence', label: 'Residence', type: 'country', per: 'booking' };
      const questions = JSON.stringify([{ ...residence, required: false, until: 'confirm' }]);
      await site.api.db('tours').where({ id: tour.id }).update({ questions });
      await site.open(tag());
      await holdSeats(site.page);
      await toTop();
      await site.page.getByLabel('Name', { exact: true }).focus();
      for (const selector of [
        '[name=phone]',
        '[name=email]',
        'select',
        '[name=notes]',
        '.travellers summary',
      ]) {
        await site.page.keyboard.press('Tab');
        await expectAboveBar(selector);
      }
    });

    it('the bar does not lie on the day to which the keyboard moves', async () => {
      await renewContext(site, { viewport: { width: PHONE.width, height: 560 } });
      await site.open(tag());
      await site.page.locator('.day.open').first().click();
      for (let week = 0; week < 6; week += 1) await site.page.keyboard.press('ArrowUp');
      await toTop();
      for (let week = 0; week < 6; week += 1) {
        const left = await focusedDate(site.page);
        await site.page.keyboard.press('ArrowDown');
        await expectAboveBar(`.day:focus:not([data-date="${left}"])`);
      }
    });

    it('a click on a date brings the steppers into sight, above the bar', async () => {
      await renewContext(site, { viewport: PHONE });
      await site.open(tag());
      await site.page.locator('.day.open').first().click();
      await waitUntil(site.page, 'scrollY > 0');
      const party = (await site.page.locator('[part=party]').boundingBox())!;
      const bar = (await site.page.locator('[part=pay]').boundingBox())!;
      expect([party.y >= 0, party.y + party.height <= bar.y]).toEqual([true, true]);
    });

    it('texts of twice the size and a low window have no bar that lies on the page', async () => {
      await renewContext(site, { viewport: PHONE });
      await site.open(tag());
      await chooseTwo();
      expect(await position()).toBe('sticky');
      await site.page.evaluate("document.documentElement.style.fontSize = '200%'");
      expect(await position()).toBe('static');
      await site.page.evaluate("document.documentElement.style.fontSize = ''");
      await site.page.setViewportSize({ width: 844, height: 390 });
      expect(await position()).toBe('static');
    });
  });

  it('categories fold after four, and are unfolded where one of the others has units', async () => {
    await site.open(tag());
    await site.page.locator('.day.open').first().click();
    const senior = site.page.getByLabel('Senior', { exact: true });
    expect(await site.page.getByLabel('Infant', { exact: true }).isVisible()).toBe(true);
    expect(await senior.isVisible()).toBe(false);
    expect(await text('.more summary')).toMatch(/^More\s+Senior · Student$/);
    await site.page.locator('.more summary').click();
    await button('Senior: +1').click();
    await reloadWith('senior', 1);
    await senior.waitFor();
    expect(await senior.inputValue()).toBe('1');
    await button('Senior: −1').click();
    expect(await senior.isVisible()).toBe(true);
  });

  it('the legend explains the mark of few seats only in a month that has it', async () => {
    await renewContext(site, { viewport: PHONE });
    await site.open(tag());
    await site.page.locator('.day.open').first().waitFor();
    expect(await text('.legend')).not.toContain('Few left');
    const next = button('Next month');
    while ((await site.page.locator(`[data-date="${FEW_DATE}"]`).count()) === 0) await next.click();
    expect(await text('.legend')).toContain('Few left');
    const marks = await site.page.evaluate<[number, string, string]>(`((root) => {
      const { width, borderLeftWidth } = getComputedStyle(root.querySelector('.few-mark'), '::before');
      return [root.querySelector('.day .few').offsetWidth, width, borderLeftWidth];
    })(document.querySelector('tour-booking').shadowRoot)`);
    expect(marks).toEqual([8, '0px', '4px']);
  });

  it('of two buttons for the seats of two tabs, one is primary', async () => {
    await site.open(tag());
    await holdSeats(site.page);
    const other = await site.context.newPage();
    await other.goto(site.address);
    await other.getByRole('button', { name: 'Change the date or the guests' }).click();
    await other.getByRole('button', { name: 'Adult: +1' }).click();
    await other.getByRole('button', { name: 'Hold the seats' }).click();
    await other.getByRole('heading', { name: 'Your seats are held' }).waitFor();
    await showAgain(site.page);
    await button('Continue with €482').waitFor();
    expect(await site.page.locator('.button:not(.secondary)').allInnerTexts()).toEqual([
      'Continue with €482',
    ]);
  });

  describe('a reload', () => {
    const units = () => site.page.getByLabel('Adult', { exact: true }).inputValue();

    it('keeps the date and the party, the state of the page, and its address', async () => {
      await site.open(tag());
      await setHistory({ router: 7 });
      await chooseTwo();
      await reloadWith('adult', 2);
      await button('Hold the seats').waitFor();
      expect(await units()).toBe('2');
      expect(site.page.url()).toBe(`${site.address}/`);
      const state = await site.page.evaluate<Record<string, unknown>>('history.state');
      expect(state).toEqual({
        router: 7,
        'tour-booking': {
          tour: tour.slug,
          isListed: false,
          date: daysFromToday(30),
          time: null,
          party: { adult: 2 },
        },
      });
      expect(site.requests.filter((one) => one.startsWith('POST'))).toEqual([]);
    });

    it('keeps the tour of a list, and nothing of it once it is booked', async () => {
      await site.open('<tour-booking></tour-booking>');
      await waitForElement(site.page);
      await site.page.evaluate(
        `void document.dispatchEvent(new CustomEvent('tour-click', { detail: { slug: '${tour.slug}' } }))`,
      );
      await chooseTwo();
      await reloadWith('adult', 2);
      await button('Hold the seats').waitFor();
      expect(await units()).toBe('2');
      await button('Hold the seats').click();
      await heading('Your seats are held').waitFor();
      await fillContact(site.page);
      await book(site.page);
      await heading(/^Reserved/).waitFor();
      expect(await site.page.evaluate('history.state')).toEqual({});
    });

    it.each([['x'], [[1]], [7]])('leaves a state of the page without keys alone: %j', async (state) => {
      await site.open(tag());
      await setHistory(state);
      await chooseTwo();
      await button('Hold the seats').waitFor();
      expect(await site.page.evaluate('history.state')).toEqual(state);
    });

    it.each<[string, unknown]>([
      ['of another tour', { tour: 'another', date: daysFromToday(30), party: { adult: 3 } }],
      ['in another form', { tour: 1, date: {}, party: 'two' }],
      ['of a date that is no longer sold', { date: daysFromToday(3), party: { adult: 3, gone: 1 } }],
    ])('ignores a choice %s', async (_title, choice) => {
      await site.open(tag());
      await setHistory({ 'tour-booking': { tour: tour.slug, ...(choice as object) } });
      await site.page.reload();
      await site.page.locator('.day.open').first().click();
      await button('Hold the seats').click();
      await heading('Your seats are held').waitFor();
      expect(site.complaints).toEqual([]);
    });

    it('writes nothing before the visitor acts', async () => {
      await site.open(tag());
      await site.page.locator('.day.open').first().waitFor();
      expect(await site.page.evaluate('history.state')).toBeNull();
    });
  });
});

import { describeInChromium } from '../../support/browsers';
import {
  daysFromToday,
  daysOfOneMonth,
  givenDeparture,
  givenTour,
  type GivenTour,
} from '../../support/given';
import { endHoldIn } from '../../support/website';
import { renewContext, useElementSite } from '../given-page';
import { waitForFocus } from '../keyboard';
import { book, fillContact, holdSeats, showAgain } from '../visit';

const [DATE, NEXT_DATE] = daysOfOneMonth(2) as [string, string];

describeInChromium('a purchase with the element', (browser) => {
  const site = useElementSite(browser);
  let tour: GivenTour;
  beforeEach(async () => {
    tour = await givenTour(site.api.db);
    await givenDeparture(site.api.db, tour, { date: DATE, prices: { adult: 50_000 } });
  });

  const tag = (attributes = '', slug = tour.slug) =>
    `<tour-booking tour="${slug}" next="/pay" ${attributes}><a href="/contact">Contact us</a></tour-booking>`;
  const leads = () => site.api.db('booking_leads').where({ tour_id: tour.id });
  const holds = () =>
    site.api
      .db('seat_holds as h')
      .join('departures as d', 'd.id', 'h.departure_id')
      .where('d.tour_id', tour.id)
      .orderBy('h.created_at')
      .select('h.*');
  const heading = (name: string | RegExp) => site.page.getByRole('heading', { name });
  const button = (name: string | RegExp) => site.page.getByRole('button', { name });
  const sellRest = (seats: number) =>
    site.api
      .db('departures')
      .where({ tour_id: tour.id, departure_date: DATE })
      .update({ seats_total: seats });

  it('a visitor books a tour from the calendar to the payment, and the page has no complaint', async () => {
    await site.open(tag());
    await holdSeats(site.page);
    await fillContact(site.page);
    await book(site.page);
    await site.page.waitForURL(/\/pay\?booking_ref=[A-Z0-9]+-\d+$/);
    expect(await leads()).toEqual([
      expect.objectContaining({ status: 'pending_payment', party: { adult: 1 } }),
    ]);
    expect(site.complaints).toEqual([]);
  });

  it('a page may keep the visitor, and reads from the event what was booked', async () => {
    await site.open(tag());
    await site.page.evaluate(
      `document.addEventListener('tour-booked', (event) => { event.preventDefault(); window.booked = event.detail; })`,
    );
    await holdSeats(site.page);
    await fillContact(site.page);
    await book(site.page);
    await heading('Your seats are booked').waitFor();
    const [lead] = await leads();
    const reference = `${site.tenant.bookingPrefix}-${lead.id}`;
    await site.page.getByText(/^Pay until \w+ \d/).waitFor();
    expect(await site.page.evaluate('window.booked')).toEqual({
      booking_ref: reference,
      total_price: 500,
      currency: 'EUR',
    });
    expect(await site.page.getByRole('link', { name: 'Continue to payment' }).getAttribute('href')).toBe(
      `${site.address}/pay?booking_ref=${reference}`,
    );
  });

  it.each(['javascript:window.attacked=1', 'data:text/html,x'])(
    'a next of %s is not followed: the summary stays',
    async (next) => {
      await site.open(tag().replace('"/pay"', `"${next}"`));
      await holdSeats(site.page);
      await fillContact(site.page);
      await book(site.page);
      await heading(/^Reserved: pay/).waitFor();
      expect(await site.page.getByRole('link').count()).toBe(0);
      expect(site.page.url()).toBe(`${site.address}/`);
      expect(await site.page.evaluate('window.attacked')).toBeUndefined();
    },
  );

  it('a field with an error says so, is tied to its words, and takes the focus', async () => {
    await site.open(tag());
    await holdSeats(site.page);
    await book(site.page);
    const name = site.page.getByLabel('Name', { exact: true });
    expect(await name.getAttribute('aria-invalid')).toBe('true');
    await waitForFocus(site.page, '[name=name]');
    const focused = `document.querySelector('tour-booking').shadowRoot.activeElement`;
    const described = `${focused}.getRootNode().getElementById(${focused}.getAttribute('aria-describedby')).textContent`;
    expect(await site.page.evaluate(described)).toBe('This field is required.');
    const longest = `[...${focused}.form.elements].filter(({ name }) => name).map(({ name, maxLength }) => [name, maxLength])`;
    expect(Object.fromEntries(await site.page.evaluate<[string, number][]>(longest))).toMatchObject({
      name: 100,
      phone: 40,
      email: 254,
      notes: 2000,
    });
    await fillContact(site.page);
    // Only the platform refuses this address.
    await site.page.getByLabel('E-mail').fill(`a${'\u0301'.repeat(31)}@example.com`);
    await book(site.page);
    await site.page.getByText('Please check this field. (for example').waitFor();
    await waitForFocus(site.page, '[name=email]');
    expect(await leads()).toEqual([]);
  });

  it('the words about a field end when the visitor changes it, and the next click checks it again', async () => {
    await site.open(tag());
    await holdSeats(site.page);
    await book(site.page);
    const wrong = () =>
      site.page.evaluate<string[]>(
        `[...document.querySelector('tour-booking').shadowRoot.querySelectorAll('[aria-invalid=true]')].map(({ name }) => name)`,
      );
    await waitForFocus(site.page, '[name=name]');
    expect(await wrong()).toEqual(['name', 'phone', 'email']);
    const phone = site.page.getByLabel('Phone');
    await phone.pressSequentially('12');
    expect(await wrong()).toEqual(['name', 'email']);
    await waitForFocus(site.page, '[name=phone]');
    await site.page.getByLabel('Name', { exact: true }).fill('Ana Lima');
    await book(site.page);
    await waitForFocus(site.page, '[name=phone]');
    expect(await wrong()).toEqual(['phone', 'email']);
    await fillContact(site.page);
    expect(await site.page.locator('.error:not(:empty)').count()).toBe(0);
    await book(site.page);
    await site.page.waitForURL(/\/pay/);
  });

  it('a reload finds the hold again, and a page without one asks for none', async () => {
    await site.open(tag());
    await site.page.locator('.day.open').waitFor();
    expect(site.requests.filter((one) => one.includes('hold'))).toEqual([]);
    await holdSeats(site.page);
    await site.page.reload();
    await heading('Your seats are held').waitFor();
    await fillContact(site.page);
    await book(site.page);
    await site.page.waitForURL(/\/pay/);
    expect(await holds()).toHaveLength(1);
    expect(site.complaints).toEqual([]);
  });

  it('after the way back from the payment the booking is shown, and another one can be begun', async () => {
    await site.open(tag());
    await holdSeats(site.page);
    await fillContact(site.page);
    await book(site.page);
    await site.page.waitForURL(/\/pay/);
    await site.page.goBack();
    await heading('Your seats are booked').waitFor();
    await button('Book again').click();
    await holdSeats(site.page);
    await showAgain(site.page);
    expect(await heading('Your seats are held').isVisible()).toBe(true);
    expect(await leads()).toHaveLength(1);
  });

  it('a page that comes back from the browser’s cache shows what was booked meanwhile', async () => {
    await site.open(tag());
    await holdSeats(site.page);
    const other = await site.context.newPage();
    await other.goto(site.address);
    await fillContact(other);
    await book(other);
    await other.waitForURL(/\/pay/);
    await site.page.evaluate(
      "void window.dispatchEvent(new PageTransitionEvent('pageshow', { persisted: true }))",
    );
    await heading('Your seats are booked').waitFor();
    expect(site.page.url()).toBe(`${site.address}/`);
  });

  it('a visitor who gives the seats back chooses again, and the seats are free', async () => {
    await site.open(tag());
    await holdSeats(site.page);
    await button('Change the date or the guests').click();
    await button('Hold the seats').waitFor();
    expect(await holds()).toEqual([expect.objectContaining({ status: 'released' })]);
    await waitForFocus(site.page, '.step');
  });

  /** Holds other seats of the tour in another tab, which releases those of the first one. */
  const holdInAnotherTab = async () => {
    const other = await site.context.newPage();
    await other.goto(site.address);
    await other.getByRole('button', { name: 'Change the date or the guests' }).click();
    await other.locator('.day.open').last().click();
    await other.getByRole('button', { name: 'Hold the seats' }).click();
    await other.getByRole('button', { name: 'Book for €700' }).waitFor();
    return other;
  };
  const elsewhere = /in another tab: .+ · 1\s× Adult · €700$/;

  it('a visitor who books what another tab has replaced reads so, and decides before that hold is booked', async () => {
    await givenDeparture(site.api.db, tour, { date: NEXT_DATE, prices: { adult: 70_000 } });
    await site.open(tag());
    await holdSeats(site.page);
    await fillContact(site.page);
    const other = await holdInAnotherTab();
    // A mouse whose second click comes while the answer arrives.
    const { x, y } = (await button(/^Book for/).boundingBox())!;
    await site.page.mouse.dblclick(x + 20, y + 10, { delay: 0 });
    await heading('These seats are no longer held for you.').waitFor();
    await site.page
      .locator('.element > [role=status]', { hasText: elsewhere })
      .waitFor({ state: 'attached' });
    await site.page.locator('.problem', { hasText: 'in another tab' }).waitFor();
    expect(await button(/^Book for/).count()).toBe(0);
    expect([await leads(), (await holds()).map(({ status }) => status)]).toEqual([
      [],
      ['released', 'active'],
    ]);
    await button('Continue with €700').click();
    await heading('Your seats are held').waitFor();
    expect(await site.page.getByLabel('Phone').inputValue()).toBe('+49 30 901820');
    await button('Book for €700').waitFor();
    await showAgain(other);
    await fillContact(other);
    await book(other);
    await other.waitForURL(/\/pay/);
    await showAgain(site.page);
    await heading('Your seats are booked').waitFor();
    expect(await leads()).toHaveLength(1);
  });

  it.each(['visibilitychange', 'focus'])(
    'a tab shows at the event %s that another tab has replaced its seats, and the way back to the calendar',
    async (type) => {
      await givenDeparture(site.api.db, tour, { date: NEXT_DATE, prices: { adult: 70_000 } });
      await site.open(tag());
      await holdSeats(site.page);
      await holdInAnotherTab();
      await site.page.evaluate(
        `void (${type === 'focus'} ? window : document).dispatchEvent(new Event('${type}'))`,
      );
      await heading('These seats are no longer held for you.').waitFor();
      await button('Choose a date').click();
      await site.page.getByText('This gives back your other seats.').waitFor();
      await button('Hold the seats').click();
      await button('Book for €500').waitFor();
      expect((await holds()).map(({ status }) => status)).toEqual(['released', 'released', 'active']);
    },
  );

  it('the second click of a double one does not press the button that has taken the place of the first', async () => {
    await site.open(tag());
    await site.page.locator('.day.open').first().click();
    const [first] = await Promise.all([
      site.page.waitForRequest(/hold$/),
      button('Hold the seats').dblclick(),
    ]);
    expect(first.method()).toMatch(/POST|OPTIONS/);
    await heading('Your seats are held').waitFor();
    await button('Change the date or the guests').dispatchEvent('click', { detail: 2 });
    await showAgain(site.page);
    expect(await heading('Your seats are held').isVisible()).toBe(true);
    expect((await holds()).map(({ status }) => status)).toEqual(['active']);
  });

  it('a tab that slept past the end of the hold says so, keeps the contact, and holds the seats again', async () => {
    await site.open(tag());
    await holdSeats(site.page);
    await fillContact(site.page);
    const [hold] = await holds();
    await endHoldIn(site.api.db, hold.id, -1000);
    await showAgain(site.page);
    await heading('The time to book is over').waitFor();
    await button('Hold the seats').click();
    await heading('Your seats are held').waitFor();
    expect(await site.page.getByLabel('Phone').inputValue()).toBe('+49 30 901820');
    await book(site.page);
    await site.page.waitForURL(/\/pay/);
  });

  it('the countdown is heard at five minutes and at one, can be extended once, and ends the hold', async () => {
    await site.page.clock.install();
    await site.open(tag());
    await holdSeats(site.page);
    const heard = site.page.locator('[part=countdown] [role=status]');
    const more = button('Give me more time');
    expect([await heard.textContent(), await more.count()]).toEqual(['', 0]);
    // Jumps over the minutes in which nothing changes, because each second that runs takes 20 ms.
    await site.page.clock.fastForward('09:00');
    expect([await heard.textContent(), await more.count()]).toEqual(['', 0]);
    await site.page.clock.runFor('01:05');
    expect((await heard.textContent())?.replaceAll('\u00a0', ' ')).toBe('Time left to book: 5 minutes');
    const [hold] = await holds();
    await endHoldIn(site.api.db, hold.id, 290_000);
    const created_at = site.api.db.raw("created_at - interval '10 minutes'");
    await site.api.db('seat_holds').where({ id: hold.id }).update({ created_at });
    await more.click();
    await site.page.locator('[part=countdown]', { hasText: /14:\d\d/ }).waitFor();
    await site.page.clock.fastForward('13:00');
    await site.page.clock.runFor('01:10');
    expect((await heard.textContent())?.replaceAll('\u00a0', ' ')).toBe('Time left to book: 1 minute');
    expect(await more.count()).toBe(0);
    await site.page.clock.runFor('01:00');
    await heading('The time to book is over').waitFor();
  });

  it('a hold whose first answer was lost is placed again, and the seats of the lost one are free', async () => {
    let losses = 1;
    site.accident = (request) => (request === 'POST /tours/hold' && losses-- > 0 ? 'lost' : undefined);
    await site.open(tag());
    await holdSeats(site.page);
    expect((await holds()).map(({ status }) => status)).toEqual(['released', 'active']);
  });

  it('a booking whose answer was lost is sent again, and happens once', async () => {
    await site.open(tag());
    await holdSeats(site.page);
    await fillContact(site.page);
    let losses = 1;
    site.accident = (request) => (request === 'POST /tours/booking' && losses-- > 0 ? 'lost' : undefined);
    await book(site.page);
    await site.page.waitForURL(/\/pay/);
    expect(site.requests.filter((one) => one === 'POST /tours/booking')).toHaveLength(2);
    expect(await leads()).toHaveLength(1);
  });

  it('a booking whose answer was lost is found again after a reload', async () => {
    await site.open(tag());
    await holdSeats(site.page);
    await fillContact(site.page);
    site.accident = (request) => (request === 'POST /tours/booking' ? 'lost' : undefined);
    await book(site.page);
    await site.page.getByText('One moment').waitFor();
    expect(await leads()).toHaveLength(1);
    await site.page.reload();
    await heading('Your seats are booked').waitFor();
  });

  /** Sends a booking whose answers are all lost, until the element gives up. */
  const bookWithoutNetwork = async () => {
    await site.page.clock.install();
    await site.open(tag());
    await holdSeats(site.page);
    await fillContact(site.page);
    site.accident = (request) => (request === 'POST /tours/booking' ? 'lost' : 'cut');
    await book(site.page);
    for (let tries = 0; tries < 4; tries += 1) {
      await site.page.waitForTimeout(300);
      await site.page.clock.runFor(4000);
    }
    await site.page.locator('[data-code=network]').waitFor();
    site.accident = () => undefined;
  };

  it('without a network the visitor gets a button, and the changed form still finds the booking', async () => {
    await bookWithoutNetwork();
    await site.page.getByLabel('Name', { exact: true }).fill('Ana Maria Lima');
    await button('Try again').click();
    await site.page.waitForURL(/\/pay/);
    expect(await leads()).toHaveLength(1);
  });

  it('when the network is back, the booking whose answers were lost leads to the payment by itself', async () => {
    await bookWithoutNetwork();
    await site.page.evaluate("void window.dispatchEvent(new Event('online'))");
    await site.page.waitForURL(/\/pay/);
    expect(await leads()).toHaveLength(1);
  });

  it('a forged cookie is removed, and the visitor holds seats as a new one', async () => {
    await site.context.addCookies([{ name: 'tour_visitor', value: 'forged.cookie', url: site.address }]);
    await site.open(tag());
    await holdSeats(site.page);
    expect(await holds()).toHaveLength(1);
  });

  it('a price that changed between the calendar and the hold is shown before the form', async () => {
    await site.open(tag());
    await site.page.locator('.day.open').click();
    await site.api
      .db('departures')
      .where({ tour_id: tour.id })
      .update({ prices_minor: JSON.stringify({ adult: 55_000 }) });
    await button('Hold the seats').click();
    await heading('The price has changed').waitFor();
    const totals = site.page.locator('.problem').locator('del, ins');
    expect(await totals.allTextContents()).toEqual(['€500', '€550']);
    expect(await site.page.getByLabel('Phone').count()).toBe(0);
    await button('Continue with €550').click();
    await fillContact(site.page);
    await book(site.page);
    await site.page.waitForURL(/\/pay/);
  });

  it('a departure that sold out meanwhile offers others to click', async () => {
    await givenDeparture(site.api.db, tour, { date: NEXT_DATE, prices: { adult: 60_000 } });
    await site.open(tag());
    await site.page.locator('.day.open').first().click();
    await site.page.getByRole('button', { name: 'Adult: +1' }).click();
    await sellRest(1);
    await button('Hold the seats').click();
    await site.page.locator('.problem', { hasText: 'Seats left: 1' }).waitFor();
    await waitForFocus(site.page, '[data-code=insufficient_seats]');
    await button(/Seats left: 10$/).click();
    await button('Hold the seats').click();
    await button('Book for €1,200').waitFor();
    expect(await holds()).toEqual([expect.objectContaining({ status: 'active', party: { adult: 2 } })]);
  });

  it('the departure that is offered and clicked is shown in its month, has the focus, and is announced', async () => {
    const later = await givenDeparture(site.api.db, tour, {
      date: daysFromToday(75),
      prices: { adult: 60_000 },
    });
    await site.open(tag());
    // The visitor turns the months, and comes back.
    await button('Next month').click();
    await button('Previous month').click();
    await site.page.locator('.day.open').first().click();
    await button('Adult: +1').click();
    await sellRest(1);
    await button('Hold the seats').click();
    await button(/Seats left: 10$/).click();
    await waitForFocus(site.page, `[aria-selected=true] [data-date="${later}"]`);
    const day = String(Number(later.slice(8)));
    await site.page
      .locator('.element > [role=status]', { hasText: new RegExp(`\\b${day}\\b`) })
      .waitFor({ state: 'attached' });
    await button('Hold the seats').click();
    expect(await button('Book for €1,200').getAttribute('type')).toBe('submit');
  });

  it('a browser that loses the cookie of the hold is told so, and holds no more seats', async () => {
    site.intercept = (_request, response, next) => {
      // The proxy appends its cookies alone.
      response.appendHeader = () => response;
      next();
    };
    await site.open(tag());
    await site.page.locator('.day.open').first().click();
    for (let tries = 0; tries < 2; tries += 1) {
      await button('Hold the seats').click();
      await site.page.locator('.problem', { hasText: 'Please allow cookies.' }).waitFor();
    }
    expect(site.requests.filter((one) => one === 'POST /tours/hold')).toHaveLength(1);
  });

  it('a tour without dates shows words and the children of the tag', async () => {
    const empty = await givenTour(site.api.db);
    await site.open(tag('', empty.slug));
    await site.page.getByText('No dates at the moment').waitFor();
    expect(await site.page.getByRole('link', { name: 'Contact us' }).isVisible()).toBe(true);
  });

  it('a tour that is not sold shows words and the children of the tag', async () => {
    await site.open(tag('', 'no-such-tour'));
    await site.page.getByText('This tour is not sold here.').waitFor();
    expect(await site.page.getByRole('link', { name: 'Contact us' }).isVisible()).toBe(true);
  });

  it('a tour that could not be read is read when the network is back', async () => {
    await site.page.clock.install();
    site.accident = () => 'cut';
    await site.open(tag());
    for (let tries = 0; tries < 4; tries += 1) {
      await site.page.waitForTimeout(300);
      await site.page.clock.runFor(4000);
    }
    await site.page.locator('[data-code=network]').waitFor();
    expect(await site.page.getByRole('link', { name: 'Contact us' }).isVisible()).toBe(true);
    site.accident = () => undefined;
    await site.page.evaluate("void window.dispatchEvent(new Event('online'))");
    await site.page.locator('.day.open').waitFor();
  });

  it('a 429 is a short wait, and the call repeats by itself', async () => {
    await site.open(tag());
    let refusals = 1;
    site.intercept = (request, response, next) => {
      if (request.method !== 'POST' || refusals-- <= 0) return next();
      response.status(429).set('Retry-After', '3').json({ code: 'rate_limited', retryable: true });
    };
    await site.page.locator('.day.open').click();
    await button('Hold the seats').click();
    await site.page.getByText('One moment').waitFor();
    await heading('Your seats are held').waitFor();
    expect(site.requests.filter((one) => one === 'POST /tours/hold')).toHaveLength(2);
  });

  it('a page without JavaScript shows the children of the tag', async () => {
    await renewContext(site, { javaScriptEnabled: false });
    await site.open(tag());
    expect(await site.page.getByRole('link', { name: 'Contact us' }).isVisible()).toBe(true);
  });
});

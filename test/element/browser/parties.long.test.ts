import { describeInChromium } from '../../support/browsers';
import { daysOfOneMonth, givenDeparture, givenTour, type TourOverrides } from '../../support/given';
import { useElementSite } from '../given-page';
import { fillContact, holdSeats, book } from '../visit';

const BOAT: TourOverrides['categories'] = [
  { code: 'boat', kind: 'group', name: 'Private boat', seats: 8, people: 8, max: 2 },
];
const FAMILY: TourOverrides['categories'] = [
  { code: 'adult', kind: 'adult', seats: 1, people: 1, age_from: 18, age_to: 99 },
  { code: 'infant', kind: 'infant', seats: 0, people: 1, age_from: 0, age_to: 3, with: ['adult'] },
  { code: 'family', kind: 'family', name: 'Family ticket', seats: 4, people: 4, max: 1 },
  { code: 'bed', kind: 'supplement', name: 'Bed', seats: 0, people: 0, at_most: 'adult' },
];
const FAMILY_PRICES = { adult: 50_000, infant: 0, family: 150_000, bed: 9_950 };

describeInChromium('the parties of the element', (browser) => {
  const site = useElementSite(browser);

  const choose = async (
    categories: TourOverrides['categories'],
    prices: Record<string, number>,
    seats: number,
  ) => {
    const tour = await givenTour(site.api.db, { categories });
    await givenDeparture(site.api.db, tour, { prices, seats });
    await site.open(`<tour-booking tour="${tour.slug}" next="/pay"></tour-booking>`);
    await site.page.locator('.day.open').click();
    return tour;
  };
  /** Clicks a button also if it is off, as a visitor can. */
  const press = (name: string) => site.page.getByRole('button', { name, exact: true }).click({ force: true });
  /** Fills in a field with as many characters as it takes. @param start the first ones */
  const fillUp = async (name: string, start = '', character = '\u9577') => {
    const field = site.page.locator(`[name="${name}"]`);
    const most = Number(await field.getAttribute('maxlength'));
    await field.fill(start + character.repeat(most - start.length));
  };
  const total = () => site.page.locator('output').innerText();
  const row = (name: string) => site.page.locator('.category', { hasText: name });

  it('a private boat of eight is sold as one unit', async () => {
    const tour = await choose(BOAT, { boat: 900_000 }, 20);
    expect(await row('Private boat').innerText()).toContain('For 8 people');
    expect(await total()).toBe('€9,000');
    await press('Private boat: +1');
    expect(await site.page.locator('[part=party] > .limit').innerText()).toBe(
      'Seats: at most 10 in one booking',
    );
    await holdSeats(site.page);
    await fillContact(site.page);
    await book(site.page);
    await site.page.waitForURL(/\/pay/);
    const [lead] = await site.api.db('booking_leads').where({ tour_id: tour.id });
    expect(lead).toMatchObject({ party: { boat: 1 } });
  });

  it('a family ticket, an infant with its adult and a bed are added up, and the platform agrees with the total', async () => {
    const tour = await choose(FAMILY, FAMILY_PRICES, 20);
    for (const name of ['Infant: +1', 'Family ticket: +1', 'Bed: +1']) await press(name);
    expect(await total()).toBe('€2,099.50');
    expect(await row('Family ticket').locator('.limit').innerText()).toBe(
      'Family ticket: at most 1 in one booking',
    );
    expect(await row('Bed').locator('.limit').innerText()).toBe('Bed: not more than the number of Adult');
    await holdSeats(site.page);
    await fillContact(site.page);
    await book(site.page);
    await site.page.waitForURL(/\/pay/);
    const [lead] = await site.api.db('booking_leads').where({ tour_id: tour.id });
    expect(lead).toMatchObject({ party: { adult: 1, infant: 1, family: 1, bed: 1 } });
  });

  it('the longest texts of a party of ten are booked, in a script with three bytes a character', async () => {
    const tour = await choose(undefined, { adult: 50_000 }, 20);
    await site.page.locator('#units-adult').fill('10');
    await holdSeats(site.page);
    await fillContact(site.page);
    await fillUp('name');
    await fillUp('phone', '+49 30 901820 ');
    await fillUp('notes');
    await site.page.locator('summary').click();
    for (let traveller = 0; traveller < 10; traveller += 1) {
      for (const name of ['first_name', 'last_name']) await fillUp(`travellers.${traveller}.${name}`);
      await site.page.locator(`[name="travellers.${traveller}.birth_date"]`).fill('1990-01-31');
    }
    await book(site.page);
    await site.page.waitForURL(/\/pay/);
    const [lead] = await site.api.db('booking_leads').where({ tour_id: tour.id });
    expect(lead.notes).toHaveLength(2000);
  });

  it('the longest texts of a larger party are booked', async () => {
    const tour = await choose(FAMILY, FAMILY_PRICES, 20);
    await site.page.locator('#units-adult').fill('10');
    await site.page.locator('#units-infant').fill('10');
    await holdSeats(site.page);
    await fillContact(site.page);
    await fillUp('notes');
    await site.page.locator('summary').click();
    for (let traveller = 0; traveller < 20; traveller += 1)
      for (const name of ['first_name', 'last_name']) await fillUp(`travellers.${traveller}.${name}`);
    await book(site.page);
    await site.page.waitForURL(/\/pay/);
    const [lead] = await site.api.db('booking_leads').where({ tour_id: tour.id });
    expect(lead).toMatchObject({ party: { adult: 10, infant: 10 } });
    expect(lead.travellers).toHaveLength(20);
  });

  it('a booking that the site refuses as too large can shorten its notes', async () => {
    let isTooLarge = true;
    site.intercept = ({ method, path }, response, next) => {
      if (!isTooLarge || method !== 'POST' || path !== '/booking') return next();
      response.status(413).json({ code: 'body_too_large', retryable: false });
    };
    const tour = await choose(FAMILY, FAMILY_PRICES, 20);
    await holdSeats(site.page);
    await fillContact(site.page);
    await fillUp('notes');
    await book(site.page);
    await site.page.locator('[name=notes][aria-invalid=true]:focus').waitFor();
    isTooLarge = false;
    await site.page.locator('[name=notes]').fill('');
    await book(site.page);
    await site.page.waitForURL(/\/pay/);
    expect(await site.api.db('booking_leads').where({ tour_id: tour.id })).toMatchObject([{ notes: null }]);
  });

  it('a broken rule is said at its category, and holds nothing', async () => {
    await choose(FAMILY, FAMILY_PRICES, 20);
    await press('Infant: +1');
    await press('Adult: −1');
    expect(await row('Infant').locator('.error').innerText()).toBe('Infant: only together with Adult');
    await press('Hold the seats');
    expect(site.requests.filter((request) => request.startsWith('POST'))).toEqual([]);
    await press('Adult: +1');
    expect(await row('Infant').locator('.error').count()).toBe(0);
  });

  it('a party of nobody says what is missing, and holds nothing', async () => {
    await choose(FAMILY, FAMILY_PRICES, 20);
    await press('Adult: −1');
    expect(await site.page.locator('[part=party] > .error').innerText()).toBe(
      'Guests: at least 1 in one booking',
    );
    await press('Hold the seats');
    expect(site.requests.filter((request) => request.startsWith('POST'))).toEqual([]);
  });

  it('days and start times on which no booking fits are sold out, and few left counts bookings', async () => {
    const tour = await givenTour(site.api.db, { categories: BOAT });
    const [none, few, many, both] = daysOfOneMonth(4) as [string, string, string, string];
    const given = (date: string, seats: number, startTime?: string) =>
      givenDeparture(site.api.db, tour, { date, prices: { boat: 900_000 }, seats, startTime });
    await given(none, 5);
    await given(few, 40);
    await given(many, 48);
    await given(both, 7, '09:00');
    await given(both, 8, '14:00');
    await site.open(`<tour-booking tour="${tour.slug}"></tour-booking>`);
    const cell = (date: string) => site.page.locator(`[data-date="${date}"]`);
    await cell(few).waitFor();
    const texts = await Promise.all([none, few, many, both].map((date) => cell(date).innerText()));
    expect(texts.map((text) => [text.includes('Sold out'), text.includes('Few left')])).toEqual([
      [true, false],
      [false, true],
      [false, false],
      [false, true],
    ]);
    await cell(both).click();
    const times = site.page.locator('.time');
    expect([await times.first().isDisabled(), await times.last().isDisabled()]).toEqual([true, false]);
    expect(await times.first().innerText()).toContain('Sold out');
    // The only one that can be booked is chosen with the day.
    expect(await row('Private boat').count()).toBe(1);
  });

  it('the most seats that the site lets a visitor hold bound the steppers, in words', async () => {
    await choose(FAMILY, FAMILY_PRICES, 40);
    await site.page.locator('#units-adult').fill('9');
    await press('Adult: +1');
    await press('Adult: +1');
    expect(await site.page.getByLabel('Adult', { exact: true }).inputValue()).toBe('10');
    expect(await site.page.locator('[part=party] > .limit').innerText()).toBe(
      'Seats: at most 10 in one booking',
    );
    await press('Hold the seats');
    await site.page.getByRole('heading', { name: 'Your seats are held' }).waitFor();
  });

  it('the free seats of the departure limit the party', async () => {
    await choose(FAMILY, FAMILY_PRICES, 2);
    await press('Adult: +1');
    await press('Adult: +1');
    expect(await site.page.getByLabel('Adult', { exact: true }).inputValue()).toBe('2');
    expect(await site.page.locator('[part=party] > .limit').innerText()).toBe('Seats left: 2');
    await site.page.getByLabel('Adult', { exact: true }).fill('5');
    expect(await site.page.locator('[part=party] > .error').innerText()).toBe('Seats left: 2');
  });
});

import { describeInBrowsers } from '../../support/browsers';
import { givenDeparture, givenTour, type GivenTour } from '../../support/given';
import { useElementSite } from '../given-page';
import { book, fillContact, holdSeats } from '../visit';

/** Longer than the time that a page has to name a tour. */
const LATE = 6000;

describeInBrowsers('the element among the programs of a page', (browser) => {
  const site = useElementSite(browser);
  let tour: GivenTour;
  beforeEach(async () => {
    tour = await givenTour(site.api.db);
    await givenDeparture(site.api.db, tour, { seats: 50 });
  });

  const tag = () => `<tour-booking tour="${tour.slug}"></tour-booking>`;
  const inShadow = <T>(expression: string) =>
    site.page.evaluate<T>(`((root) => ${expression})(document.querySelector('tour-booking').shadowRoot)`);
  const expectBooked = () => site.page.getByRole('heading', { name: /^Reserved: pay/ }).waitFor();
  /** Fills in a field as a program does that sends no event. */
  const fillSilently = (name: string, value: string) =>
    inShadow(`void (root.querySelector('[name="${name}"]').value = '${value}')`);
  const leads = () => site.api.db('booking_leads').where({ tour_id: tour.id });

  it('keys that are typed in a field reach no shortcut of the page, and Escape and Tab do', async () => {
    const residence = { code: 'residence', label: 'Residence', type: 'country', per: 'booking' };
    const questions = JSON.stringify([{ ...residence, required: false, until: 'confirm' }]);
    await site.api.db('tours').where({ id: tour.id }).update({ questions });
    await site.open(tag());
    await site.page.evaluate(`
      window.keys = [];
      for (const type of ['keydown', 'keypress', 'keyup'])
        document.addEventListener(type, (event) => {
          keys.push(type + ' ' + event.key);
          if (event.target.tagName !== 'INPUT' && 'ns'.includes(event.key)) event.preventDefault();
        });`);
    await holdSeats(site.page);
    const name = site.page.getByLabel('Name', { exact: true });
    await site.page.evaluate('void (keys = [])');
    await name.pressSequentially('Jonas');
    expect([await name.inputValue(), await site.page.evaluate('keys')]).toEqual(['Jonas', []]);
    await site.page.getByLabel('Notes').pressSequentially('snow');
    expect(await site.page.getByLabel('Notes').inputValue()).toBe('snow');
    await site.page.getByLabel('Residence').press('n');
    expect(await site.page.evaluate('keys')).toEqual([]);
    await site.page.keyboard.press('Escape');
    await site.page.keyboard.press('Tab');
    expect(await site.page.evaluate('keys')).toEqual(
      expect.arrayContaining(['keydown Escape', 'keyup Escape', 'keydown Tab']),
    );
    await site.page.getByRole('button', { name: /^Book for/ }).press('n');
    expect(await site.page.evaluate('keys')).toContain('keydown n');
  });

  it('fields that a program fills in without an event are booked', async () => {
    await site.open(tag());
    await holdSeats(site.page);
    await fillSilently('name', 'Ana Lima');
    await fillSilently('email', 'ana@example.com');
    // The form is shown again with each key.
    await site.page.getByLabel('Phone').pressSequentially('+49 30 901820');
    await site.page.locator('summary').click();
    await fillSilently('travellers.0.first_name', 'Rui');
    await fillSilently('travellers.0.last_name', 'Lima');
    await fillSilently('notes', 'Window seats');
    await book(site.page);
    await expectBooked();
    expect(await leads()).toMatchObject([
      {
        customerName: 'Ana Lima',
        customerEmail: 'ana@example.com',
        customerPhone: '+4930901820',
        notes: 'Window seats',
        travellers: [{ first_name: 'Rui', last_name: 'Lima' }],
      },
    ]);
  });

  it('a page with the lists of an old library books the names of the travellers', async () => {
    await site.page.addInitScript(`
      Array.prototype.toJSON = function () { return '[' + this.map((one) => JSON.stringify(one)).join(', ') + ']'; };
      Array.from = (list) => Array.prototype.slice.call(list);`);
    await site.open(tag());
    await holdSeats(site.page);
    await fillContact(site.page);
    await site.page.locator('summary').click();
    await site.page.getByLabel('First name').fill('Ana');
    await site.page.getByLabel('Last name').fill('Lima');
    await book(site.page);
    await expectBooked();
    expect(await leads()).toMatchObject([{ travellers: [{ first_name: 'Ana', last_name: 'Lima' }] }]);
  });

  it('a refusal with alternatives that are none is shown', async () => {
    site.intercept = ({ method, path }, response, next) => {
      if (method !== 'POST' || path !== '/hold') return next();
      response.status(409).json({ code: 'departure_gone', retryable: false, alternatives: ['soon', null] });
    };
    await site.open(tag());
    await site.page.locator('.day.open').first().click();
    await site.page.getByRole('button', { name: 'Hold the seats' }).click();
    await site.page.getByText('This departure can no longer be booked.').waitFor();
    expect(await site.page.locator('.alternatives').count()).toBe(0);
  });

  it('a tag without a tour says in the console what to do, unless the page has a list', async () => {
    await site.open('<tour-booking></tour-booking>');
    await site.page.waitForTimeout(LATE);
    expect(site.complaints.filter((line) => line.includes('Set the attribute tour'))).toHaveLength(1);
    site.complaints.length = 0;
    await site.open(`<tour-list></tour-list><tour-booking></tour-booking>`);
    await site.page.waitForTimeout(LATE);
    await site.open(tag());
    await site.page.waitForTimeout(LATE);
    expect(site.complaints).toEqual([]);
  });
});

import type { Question } from '../../../services/api/questions/question';
import { violationsOf } from '../../support/axe';
import { describeInBrowsers, describeInChromium } from '../../support/browsers';
import {
  daysFromToday,
  givenDeparture,
  givenKey,
  givenTour,
  type GivenTour,
  unique,
} from '../../support/given';
import { type ElementSite, useElementSite } from '../given-page';
import { hasFocus, tabTo, waitForFocus } from '../keyboard';
import { book, fillContact, showAgain } from '../visit';

const DATE = daysFromToday(30);
const DAY_BEFORE = daysFromToday(29);
const PRICES = { adult: 50_000, child: 30_000 };
const due = { required: true, until: 'booking' } as const;
const late = { required: false, until: 'confirm' } as const;

const CERTIFICATE: Question = {
  code: 'certificate',
  label: 'Diving certificate',
  type: 'choice',
  per: 'traveller',
  categories: ['adult'],
  choices: [
    { code: 'open', label: 'Open Water' },
    { code: 'advanced', label: 'Advanced Open Water' },
  ],
  ...due,
};
const WEIGHT: Question = {
  code: 'weight',
  label: 'Weight',
  type: 'number',
  per: 'traveller',
  min: 40,
  ...due,
};
const DIET: Question = { code: 'diet', label: 'Diet', type: 'text', per: 'booking', max: 40, ...late };
const RESIDENCE: Question = {
  code: 'residence',
  label: 'Residence',
  type: 'country',
  per: 'booking',
  ...late,
};
const INSURED: Question = { code: 'insured', label: 'Insured?', type: 'yes_no', per: 'booking', ...due };

const GERMAN = {
  de: {
    name: 'Rifftauchen',
    questions: { weight: { label: 'Gewicht' }, certificate: { label: 'Tauchschein' } },
  },
};

/** A tour that starts at half past midnight in Berlin, so that its first stop is on the day before. */
async function givenDive(
  { api: { db } }: ElementSite,
  questions: Question[],
  pickup?: object,
): Promise<GivenTour> {
  const tour = await givenTour(db, { timeZone: 'Europe/Berlin', translations: GERMAN });
  await change({ api: { db } }, tour, { questions, pickup });
  await givenDeparture(db, tour, { date: DATE, startTime: '00:30', prices: PRICES });
  return tour;
}

/** Changes what a tour asks, as its operator does between the page and the sale. */
async function change(
  { api: { db } }: Pick<ElementSite, 'api'> | { api: Pick<ElementSite['api'], 'db'> },
  { id }: GivenTour,
  { questions, pickup }: { questions?: Question[]; pickup?: object | undefined },
): Promise<void> {
  await db('tours')
    .where({ id })
    .update({
      ...(questions && { questions: questions.length > 0 ? JSON.stringify(questions) : null }),
      ...(pickup && { pickup: JSON.stringify(pickup) }),
    });
}

/** @returns the pickup of a tour with so many new points */
async function givenPickup({ api: { db } }: ElementSite, count: number, rest: object = {}) {
  const codes = Array.from({ length: count }, () => unique('stop'));
  await db('pickup_points').insert(
    codes.map((code, index) => ({
      code,
      name: index === 0 ? 'Café Süd' : `Stop ${index}`,
      address: `Platz ${index}, Berlin`,
      directions: 'At the north entrance.',
    })),
  );
  const points = codes.map((point, index) => ({ point, minutes_before: 15 + index * 30 }));
  return { codes, pickup: { required: true, until: 'booking', elsewhere: true, points, ...rest } };
}

/** Holds seats of the party that is offered, and of so many more adults. */
async function holdFor({ page }: ElementSite, more: number): Promise<void> {
  await page.locator('.day.open').first().click();
  for (let adult = 0; adult < more; adult += 1) await page.getByRole('button', { name: 'Adult: +1' }).click();
  await page.getByRole('button', { name: 'Hold the seats' }).click();
  await page.getByRole('heading', { name: 'Your seats are held' }).waitFor();
}

const field = ({ page }: ElementSite, name: string) => page.locator(`[name="${name}"]`);

async function fillTraveller(site: ElementSite, index: number, name: string, weight: string): Promise<void> {
  const path = `travellers.${index}`;
  await field(site, `${path}.first_name`).fill(name);
  await field(site, `${path}.last_name`).fill('Lima');
  await field(site, `${path}.answers.weight`).fill(weight);
}

/** Reads the newest booking of the site's tenant over REST. */
async function newestBooking({ api: { db, baseUrl }, tenant }: ElementSite) {
  const headers = { authorization: `Bearer ${await givenKey(db, tenant)}` };
  const response = await fetch(`${baseUrl}/api/tenant/bookings?limit=1`, { headers });
  const [newest] = ((await response.json()) as { items: Booked[] }).items;
  return newest!;
}

interface Booked {
  answers: { code: string; label: string; traveller: number | null; value: unknown }[];
  pickup: { point: string | null; name: string; time: string | null } | null;
  travellers: { first_name: string }[] | null;
}

const valuesOf = ({ answers }: Booked) =>
  answers.map(({ code, traveller, value }) => [code, traveller, value]);

describeInBrowsers('the questions of a tour with a keyboard alone', (browser) => {
  const site = useElementSite(browser);

  it('two divers answer, choose a pickup of the day before, and read both in the summary and after the booking', async () => {
    const { codes, pickup } = await givenPickup(site, 3);
    const tour = await givenDive(site, [CERTIFICATE, WEIGHT, DIET, INSURED], pickup);
    await site.open(`<main><h1>A tour</h1><tour-booking tour="${tour.slug}"></tour-booking></main>`);
    await holdFor(site, 1);
    const { page } = site;
    const type = async (name: string, text: string) => {
      await tabTo(page, `[name="${name}"]`);
      await page.keyboard.type(text);
    };
    const choose = async (name: string, ...keys: string[]) => {
      await tabTo(page, `[name="${name}"]`);
      for (const key of ['Space', ...keys]) await page.keyboard.press(key);
    };
    await type('name', 'Ana Lima');
    await type('phone', '+49 30 901820');
    await type('email', 'ana@example.com');
    await type('answers.diet', 'No nuts');
    await choose('answers.insured', 'ArrowDown');
    await choose('pickup', 'ArrowDown');
    for (const index of [0, 1]) {
      await type(`travellers.${index}.first_name`, `Diver ${index + 1}`);
      await type(`travellers.${index}.last_name`, 'Lima');
      await choose(`travellers.${index}.answers.certificate`, ...(index === 0 ? [] : ['ArrowDown']));
      await type(`travellers.${index}.answers.weight`, index === 0 ? '72,5' : '39');
    }
    expect(await violationsOf(page)).toEqual([]);
    await page.keyboard.press('Enter');
    await waitForFocus(page, '[name="travellers.1.answers.weight"]');
    expect(await page.locator('.error').allInnerTexts()).toEqual(['Please check this field.']);
    expect(site.requests).not.toContain('POST /tours/booking');
    expect(await violationsOf(page)).toEqual([]);
    await page.keyboard.press('Control+A');
    await page.keyboard.type('61');
    const summary = () => page.locator('[part=summary]').innerText();
    expect(await summary()).toMatch(/Stop 1 · .*, 11:45\sPM/);
    await page.keyboard.press('Enter');
    await page.getByText('Booking reference').waitFor();
    expect(await summary()).toMatch(/1\. Adult: Open Water\s+2\. Adult: Advanced Open Water/);
    expect(await summary()).toMatch(/No nuts/);
    const booked = await newestBooking(site);
    expect(valuesOf(booked)).toEqual([
      ['certificate', 0, 'open'],
      ['certificate', 1, 'advanced'],
      ['weight', 0, 72.5],
      ['weight', 1, 61],
      ['diet', null, 'No nuts'],
      ['insured', null, false],
    ]);
    expect(booked.pickup).toMatchObject({ point: codes[1], time: '23:45' });
    await page.reload();
    await page.getByText('Booking reference').waitFor();
    expect(await summary()).not.toMatch(/No nuts|Open Water/);
    expect(await summary()).toMatch(/Diet\s+✓/);
    expect(site.complaints).toEqual([]);
  });
});

describeInChromium('the questions of a tour', (browser) => {
  const site = useElementSite(browser);
  const open = (tour: GivenTour, attributes = '') =>
    site.open(`<main><h1>A tour</h1><tour-booking tour="${tour.slug}" ${attributes}></tour-booking></main>`);
  const booked = () => site.page.getByText('Booking reference').waitFor();
  /** The radio button of a pickup point. The link to its map has its name too. */
  const stop = (name: string) => site.page.getByRole('radio', { name: new RegExp(`^${name}\\b`) });
  const errorOf = (name: string) => site.page.locator(`[id="field-${name}-error"]`);

  it('a question that becomes required between the page and the sale stands in the form with its error', async () => {
    const tour = await givenDive(site, [DIET]);
    await open(tour);
    await holdFor(site, 0);
    await fillContact(site.page);
    await change(site, tour, { questions: [DIET, WEIGHT, RESIDENCE, INSURED] });
    await book(site.page);
    await errorOf('answers.insured').waitFor();
    expect(await errorOf('answers.insured').innerText()).toBe('This field is required.');
    expect(await hasFocus(site.page, '[name="answers.insured"]')).toBe(true);
    expect(await errorOf('travellers.0.answers.weight').innerText()).toBe('This field is required.');
    await field(site, 'answers.insured').first().check();
    await field(site, 'answers.residence').selectOption({ label: 'Côte d’Ivoire' });
    await fillTraveller(site, 0, 'Ana', '61');
    await book(site.page);
    await booked();
    expect(valuesOf(await newestBooking(site))).toEqual([
      ['diet', null, null],
      ['weight', 0, 61],
      ['residence', null, 'CI'],
      ['insured', null, true],
    ]);
  });

  it('an answer that the operator asks for no more leaves the form, and the visitor reads that the tour has changed', async () => {
    const tour = await givenDive(site, [DIET, INSURED]);
    await open(tour);
    await holdFor(site, 0);
    await fillContact(site.page);
    await field(site, 'answers.diet').fill('No nuts');
    await field(site, 'answers.insured').first().check();
    await change(site, tour, { questions: [INSURED] });
    await book(site.page);
    await site.page.getByText('This tour has just changed.').waitFor();
    expect(await field(site, 'answers.diet').count()).toBe(0);
    await book(site.page);
    await booked();
    expect(valuesOf(await newestBooking(site))).toEqual([['insured', null, true]]);
  });

  it('too many bytes of answers, and a body that is too large, mark the longest answer', async () => {
    const refusals = [
      [413, { code: 'body_too_large', retryable: false }],
      [
        400,
        { code: 'validation_failed', errors: [{ in: 'body', field: 'answers.diet', message: 'is long' }] },
      ],
    ] as const;
    const tour = await givenDive(site, [DIET]);
    await open(tour);
    await holdFor(site, 0);
    await fillContact(site.page);
    await field(site, 'answers.diet').fill('No nuts, no milk, no eggs, no fish');
    let refused = 0;
    site.intercept = ({ method, path }, response, next) => {
      const refusal = method === 'POST' && path === '/booking' && refusals[refused];
      if (!refusal) return next();
      refused += 1;
      response.status(refusal[0]).json(refusal[1]);
    };
    for (const [index] of refusals.entries()) {
      await book(site.page);
      await site.page.locator('[name="answers.diet"][aria-invalid=true]:focus').waitFor();
      expect(refused).toBe(index + 1);
      // Leaves the field, so that the next refusal has to give it the focus.
      await field(site, 'name').focus();
    }
    await book(site.page);
    await booked();
  });

  it('a pickup that the operator drops between the page and the sale is chosen again', async () => {
    const { codes, pickup } = await givenPickup(site, 2);
    const tour = await givenDive(site, [], pickup);
    await open(tour);
    await holdFor(site, 0);
    await fillContact(site.page);
    await stop('Café Süd').check();
    await change(site, tour, { pickup: { ...pickup, points: pickup.points.slice(1) } });
    await book(site.page);
    await errorOf('pickup').waitFor();
    expect(await stop('Café Süd').count()).toBe(0);
    await stop('Stop 1').check();
    await book(site.page);
    await booked();
    expect((await newestBooking(site)).pickup).toMatchObject({ point: codes[1] });
  });

  it('a party that grows after the answers keeps them with their people, and asks the new ones', async () => {
    const tour = await givenDive(site, [WEIGHT]);
    await open(tour);
    await site.page.locator('.day.open').first().click();
    await site.page.getByRole('button', { name: 'Child: +1' }).click();
    await site.page.getByRole('button', { name: 'Hold the seats' }).click();
    await fillContact(site.page);
    await fillTraveller(site, 0, 'Ana', '61');
    await fillTraveller(site, 1, 'Rui', '40');
    await site.page.getByRole('button', { name: 'Change the date or the guests' }).click();
    await site.page.getByRole('button', { name: 'Adult: +1' }).click();
    await site.page.getByRole('button', { name: 'Hold the seats' }).click();
    await site.page.getByRole('heading', { name: 'Your seats are held' }).waitFor();
    expect(await field(site, 'travellers.2.answers.weight').inputValue()).toBe('40');
    expect(await field(site, 'travellers.1.answers.weight').inputValue()).toBe('');
    await book(site.page);
    await waitForFocus(site.page, '[name="travellers.1.first_name"]');
    await fillTraveller(site, 1, 'Eva', '55');
    await book(site.page);
    await booked();
    const { travellers, ...rest } = await newestBooking(site);
    expect(travellers!.map(({ first_name }) => first_name)).toEqual(['Ana', 'Eva', 'Rui']);
    expect(valuesOf({ travellers, ...rest }).map(([, , value]) => value)).toEqual([61, 55, 40]);
  });

  it('another language translates the questions, keeps the answers, and is the one of the booking', async () => {
    const tour = await givenDive(site, [WEIGHT]);
    await open(tour);
    await holdFor(site, 0);
    await fillContact(site.page);
    await fillTraveller(site, 0, 'Ana', '61');
    await site.page.evaluate("document.querySelector('tour-booking').lang = 'de'");
    await site.page.getByLabel('Gewicht').waitFor();
    expect(await field(site, 'travellers.0.answers.weight').inputValue()).toBe('61');
    await site.page.getByRole('button', { name: /buchen$/ }).click();
    await site.page.getByText('Buchungsnummer').waitFor();
    expect((await newestBooking(site)).answers).toMatchObject([{ label: 'Gewicht', value: 61 }]);
  });

  it('the answers stay when the hold is read again, and a reload has none', async () => {
    const { pickup } = await givenPickup(site, 2);
    const tour = await givenDive(site, [DIET, WEIGHT], pickup);
    await open(tour);
    await holdFor(site, 0);
    await field(site, 'answers.diet').fill('No nuts');
    await fillTraveller(site, 0, 'Ana', '61');
    await stop('Stop 1').check();
    await showAgain(site.page);
    await site.page.waitForTimeout(300);
    expect(await field(site, 'answers.diet').inputValue()).toBe('No nuts');
    expect(await stop('Stop 1').isChecked()).toBe(true);
    expect(
      await site.page.evaluate('JSON.stringify([history.state, localStorage, sessionStorage])'),
    ).not.toMatch(/nuts|Ana|61|stop/);
    await site.page.reload();
    await field(site, 'answers.diet').waitFor();
    expect(await field(site, 'answers.diet').inputValue()).toBe('');
    expect(await field(site, 'travellers.0.answers.weight').inputValue()).toBe('');
    expect(await stop('Stop 1').isChecked()).toBe(false);
  });

  it('a list of many pickup points has a search, the time and the day before, and a link to a map', async () => {
    const { codes, pickup } = await givenPickup(site, 60, { required: false });
    const tour = await givenDive(site, [], pickup);
    await open(tour);
    await holdFor(site, 0);
    await fillContact(site.page);
    const radios = site.page.locator('.points input');
    expect(await radios.count()).toBe(60);
    await site.page.getByLabel('Search').fill('cafe SUD');
    expect(await site.page.locator('.point').allInnerTexts()).toEqual([
      expect.stringMatching(/12:15\sAM\s+Platz 0/),
    ]);
    await site.page.getByLabel('Search').press('Enter');
    expect(site.requests).not.toContain('POST /tours/booking');
    await site.page.getByLabel('Search').fill('stop 1');
    const first = site.page.locator('.point').filter({ hasText: /Stop 1(?!\d)/ });
    const day = new Intl.DateTimeFormat('en', { dateStyle: 'full', timeZone: 'UTC' }).format(
      new Date(DAY_BEFORE),
    );
    expect(await first.innerText()).toContain(day);
    await first.locator('input').check();
    const map = first.getByRole('link', { name: 'Map: Stop 1' });
    expect(await map.getAttribute('href')).toContain('Platz%201');
    await site.page.getByLabel('Search').fill('nothing like this');
    expect(await radios.count()).toBe(1);
    expect(await violationsOf(site.page)).toEqual([]);
    await book(site.page);
    await booked();
    expect((await newestBooking(site)).pickup).toMatchObject({ point: codes[1], time: '23:45' });
  });

  it('a guest names a hotel that is not listed, or comes alone where the tour allows it', async () => {
    const { pickup } = await givenPickup(site, 2, { required: false });
    const tour = await givenDive(site, [], pickup);
    await open(tour);
    await holdFor(site, 0);
    await fillContact(site.page);
    await site.page.getByLabel('My hotel is not listed').check();
    await book(site.page);
    await waitForFocus(site.page, '[name="place"]');
    await field(site, 'place').fill('Hotel Adlon');
    await book(site.page);
    await booked();
    expect(await site.page.locator('[part=summary]').innerText()).toContain('Hotel Adlon');
    expect((await newestBooking(site)).pickup).toMatchObject({ point: null, name: 'Hotel Adlon' });
    await site.page.getByRole('button', { name: 'Book again' }).click();
    await holdFor(site, 0);
    await site.page.getByLabel('I come on my own').check();
    await book(site.page);
    await booked();
    expect((await newestBooking(site)).pickup).toBeNull();
  });

  it.each([320, 390, 1280])(
    'nothing is wider than a window of %i px, from right to left too',
    async (width) => {
      const { pickup } = await givenPickup(site, 12);
      const tour = await givenDive(site, [CERTIFICATE, WEIGHT, DIET, RESIDENCE, INSURED], pickup);
      await site.page.setViewportSize({ width, height: 800 });
      for (const lang of ['en', 'ar']) {
        await open(tour, `lang="${lang}"`);
        if (lang === 'en') await holdFor(site, 1);
        await field(site, 'name').waitFor();
        await site.page.locator('form .button').click();
        await site.page.locator('.error').first().waitFor();
        expect(await violationsOf(site.page)).toEqual([]);
        expect(await site.page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(width);
      }
    },
  );
});

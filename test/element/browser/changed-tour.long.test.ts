import { describeInBrowsers } from '../../support/browsers';
import { givenDeparture, givenTour, type GivenTour, type TourOverrides } from '../../support/given';
import { useElementSite } from '../given-page';
import { waitForFocus } from '../keyboard';

type Categories = NonNullable<TourOverrides['categories']>;

const ADULT: Categories[number] = { code: 'adult', kind: 'adult', seats: 1, people: 1 };
const CHILD: Categories[number] = { code: 'child', kind: 'child', seats: 1, people: 1 };
const FAMILY: Categories[number] = { code: 'family', kind: 'family', seats: 4, people: 4 };

const rulesOf = (categories: Categories) =>
  JSON.stringify(categories.map(({ code, name, min, seats }) => [code, name, min, seats]));

describeInBrowsers('a tour that changes while the visitor chooses', (browser) => {
  const site = useElementSite(browser);
  let tour: GivenTour;

  const readCategories = async (): Promise<Categories> => {
    const answer = await fetch(`${site.address}/tours/tours/${tour.slug}`, {
      headers: { 'Sec-Fetch-Site': 'same-origin' },
    });
    return ((await answer.json()) as { categories: Categories }).categories;
  };
  const changeTour = async (categories: Categories, prices?: Record<string, number>) => {
    const { db } = site.api;
    await db('tours')
      .where({ id: tour.id })
      .update({ categories: JSON.stringify(categories) });
    if (prices)
      await db('departures')
        .where({ tour_id: tour.id })
        .update({ prices_minor: JSON.stringify(prices) });
    // The command that changes a tour returns when every instance reads the change.
    while (rulesOf(await readCategories()) !== rulesOf(categories)) await site.page.waitForTimeout(100);
  };
  const open = async (categories: Categories, prices: Record<string, number>, seats = 20) => {
    tour = await givenTour(site.api.db, { categories });
    await givenDeparture(site.api.db, tour, { prices, seats });
    await site.open(`<tour-booking tour="${tour.slug}"></tour-booking>`);
    await site.page.locator('.day.open').click();
  };
  const press = (name: string) => site.page.getByRole('button', { name, exact: true }).click();
  const row = (name: string) => site.page.locator('.category', { hasText: name });
  const units = (name: string) => site.page.getByLabel(name, { exact: true }).inputValue();
  const heldParty = async () => {
    await site.page.getByRole('heading', { name: 'Your seats are held' }).waitFor();
    const holds = await site.api
      .db('seat_holds as h')
      .join('departures as d', 'd.id', 'h.departure_id')
      .where('d.tour_id', tour.id)
      .select('h.party');
    return holds.map(({ party }) => party as unknown);
  };
  const expectChange = async () => {
    await site.page.getByText('This tour has just changed. Please check your choice.').waitFor();
    await waitForFocus(site.page, '.problem');
    expect(await site.page.getByText('Please check this field.').count()).toBe(0);
  };

  it('a new rule is said at its category, the party stays, and the mended party is held', async () => {
    await open([ADULT, CHILD], { adult: 50_000, child: 20_000 });
    await press('Child: +1');
    await changeTour([{ ...ADULT, min: 2 }, CHILD]);
    await press('Hold the seats');
    await expectChange();
    expect(await row('Adult').locator('.error').innerText()).toBe('Adult: at least 2 in one booking');
    expect([await units('Adult'), await units('Child')]).toEqual(['1', '1']);
    await press('Adult: +1');
    await press('Hold the seats');
    expect(await heldParty()).toEqual([{ adult: 2, child: 1 }]);
  });

  it('a removed category is named, and a second click holds the party that the steppers show', async () => {
    await open([ADULT, CHILD], { adult: 50_000, child: 20_000 });
    await press('Adult: +1');
    await press('Child: +1');
    await changeTour([ADULT], { adult: 50_000 });
    await press('Hold the seats');
    await expectChange();
    await site.page.getByText('Child: not available').waitFor();
    expect([await units('Adult'), await row('Child').count()]).toEqual(['2', 0]);
    await press('Hold the seats');
    expect(await heldParty()).toEqual([{ adult: 2 }]);
  });

  it('a category with a new code and a new name keeps its two people', async () => {
    await open([{ ...ADULT, code: 'person', name: 'Person' }], { person: 50_000 });
    await press('Person: +1');
    await changeTour([{ ...ADULT, name: 'Grown-up' }], { adult: 50_000 });
    await press('Hold the seats');
    await expectChange();
    expect(await units('Grown-up')).toBe('2');
    await press('Hold the seats');
    expect(await heldParty()).toEqual([{ adult: 2 }]);
  });

  it('a party of which nothing is sold any more is empty, and is not held', async () => {
    await open([ADULT], { adult: 50_000 });
    await press('Adult: +1');
    await changeTour([{ ...FAMILY, name: 'Family ticket' }], { family: 150_000 });
    await press('Hold the seats');
    await expectChange();
    await site.page.getByText('Adult: not available').waitFor();
    expect(await units('Family ticket')).toBe('0');
    expect(
      await site.page.getByRole('button', { name: 'Hold the seats' }).getAttribute('aria-disabled'),
    ).toBe('true');
  });

  it('a ticket that takes more seats than before is checked by its new seats', async () => {
    await open([{ ...FAMILY, name: 'Family ticket' }, ADULT], { family: 150_000, adult: 50_000 }, 5);
    await changeTour([{ ...FAMILY, name: 'Family ticket', seats: 6 }, ADULT]);
    await press('Hold the seats');
    await site.page.locator('[data-code=insufficient_seats]').waitFor();
    expect(await site.page.locator('[part=party] > .error').innerText()).toBe('Seats left: 5');
    await press('Family ticket: −1');
    await press('Adult: +1');
    await press('Hold the seats');
    expect(await heldParty()).toEqual([{ adult: 1 }]);
  });
});

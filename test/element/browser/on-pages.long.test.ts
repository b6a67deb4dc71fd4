import { describeInChromium } from '../../support/browsers';
import { givenDeparture, givenTour, type GivenTour } from '../../support/given';
import { renewContext, useElementSite } from '../given-page';
import { waitForFocus } from '../keyboard';
import { book, fillContact, holdSeats, showAgain, waitForElement, waitUntil } from '../visit';

const MOUNTS = 50;

describeInChromium('the element on the pages of a site', (browser) => {
  const site = useElementSite(browser);
  let bay: GivenTour;
  let isle: GivenTour;
  beforeAll(async () => {
    bay = await givenTour(site.api.db, { name: 'Bay', translations: { de: { name: 'Bucht' } } });
    isle = await givenTour(site.api.db, { name: 'Isle' });
    await givenDeparture(site.api.db, bay, { seats: 50, prices: { adult: 50_000 } });
    await givenDeparture(site.api.db, isle, { seats: 50, prices: { adult: 70_000 } });
  });

  const element = (id: string) => site.page.locator(`#${id}`);
  const set = (name: string, value: string) =>
    site.page.evaluate(`document.querySelector('tour-booking').setAttribute('${name}', '${value}')`);

  /** Waits until the requests under way have arrived. @returns their number */
  const quietRequests = async () => {
    for (let sent = -1; sent !== site.requests.length;) {
      sent = site.requests.length;
      await site.page.waitForTimeout(1000);
    }
    return site.requests.length;
  };

  it('of two elements on a page, the second one warns that it replaces the hold of the first one, which then says so', async () => {
    await site.open(
      `<tour-booking id="bay" tour="${bay.slug}"></tour-booking><tour-booking id="isle" tour="${isle.slug}"></tour-booking>`,
    );
    for (const id of ['bay', 'isle']) {
      await element(id).locator('.day.open').click();
      const warning = element(id).getByText('This gives back your other seats.');
      if (id === 'isle') await warning.waitFor();
      expect(await warning.count()).toBe(id === 'isle' ? 1 : 0);
      await element(id).getByRole('button', { name: 'Hold the seats' }).click();
      await element(id).getByRole('heading', { name: 'Your seats are held' }).waitFor();
    }
    await element('bay').getByRole('heading', { name: 'These seats are no longer held for you' }).waitFor();
    expect(site.complaints).toEqual([]);
  });

  it('two elements of one tour show the same hold and the same booking', async () => {
    const tag = (id: string) => `<tour-booking id="${id}" tour="${bay.slug}"></tour-booking>`;
    await site.open(tag('one') + tag('two'));
    await element('one').locator('.day.open').click();
    await element('one').getByRole('button', { name: 'Hold the seats' }).click();
    for (const id of ['one', 'two'])
      await element(id).getByRole('heading', { name: 'Your seats are held' }).waitFor();
    await fillContact(element('two'));
    await element('two').getByRole('button', { name: 'Book for' }).click();
    for (const id of ['one', 'two'])
      await element(id)
        .getByRole('heading', { name: /^Reserved: pay/ })
        .waitFor();
    expect(await site.api.db('booking_leads').where({ tour_id: bay.id })).toHaveLength(1);
  });

  it('attributes that change after the insertion are obeyed, and another language keeps the purchase', async () => {
    await site.open(`<tour-booking tour="${bay.slug}" next="/nowhere"></tour-booking>`);
    await holdSeats(site.page);
    await site.page.getByText('Bay', { exact: true }).waitFor();
    await set('lang', 'de');
    await site.page.getByText('Bucht', { exact: true }).waitFor();
    await set('lang', 'en');
    await site.page.getByText('Bay', { exact: true }).waitFor();
    await set('next', '/pay');
    await fillContact(site.page);
    await book(site.page);
    await site.page.waitForURL(/\/pay/);
    await site.page.goto(site.address);
    await set('tour', isle.slug);
    await site.page.locator('.day.open .price.full', { hasText: '€700' }).waitFor();
    await set('api', '/elsewhere');
    await site.page.getByText('Something went wrong').waitFor();
    await set('api', '/tours/');
    await site.page.locator('.day.open').waitFor();
    expect(site.complaints).toEqual([expect.stringContaining('Check the attribute api')]);
  });

  it.each([
    [
      'before its definition',
      "new DOMParser().parseFromString('<tour-booking></tour-booking>', 'text/html').querySelector('tour-booking')",
    ],
    ['after its definition', "document.createElement('tour-booking')"],
  ])('each attribute can be set as a property, %s', async (_time, created) => {
    await site.open('');
    await waitUntil(site.page, "customElements.get('tour-booking') !== undefined");
    await site.page.evaluate(
      `(() => {
        const element = ${created};
        Object.assign(element, { tour: '${bay.slug}', api: '/tours/', next: '/pay', lang: 'de' });
        document.body.append(element);
      })()`,
    );
    const attributes =
      "(({ tour, api, next, outerHTML }) => [tour, api, next, outerHTML])(document.querySelector('tour-booking'))";
    await site.page.locator('.element[lang=de] .day.open .price.full', { hasText: '500' }).waitFor();
    const [tour, api, next, html] = await site.page.evaluate<string[]>(attributes);
    expect([tour, api, next]).toEqual([bay.slug, '/tours/', '/pay']);
    expect(html).toMatch(new RegExp(`tour="${bay.slug}".* api="/tours/".* next="/pay"`));
    await site.page.evaluate(`void (document.querySelector('tour-booking').tour = '${isle.slug}')`);
    await site.page.locator('.day.open .price.full', { hasText: '700' }).waitFor();
    await site.page.evaluate("void (document.querySelector('tour-booking').tour = null)");
    expect(await site.page.locator('tour-booking').getAttribute('tour')).toBeNull();
  });

  it('without a tour the element shows its children, until a list of the page names a tour', async () => {
    await site.open('<div id="list"></div><tour-booking><a href="/contact">Contact us</a></tour-booking>');
    await waitForElement(site.page);
    expect(await site.page.getByRole('link', { name: 'Contact us' }).isVisible()).toBe(true);
    expect(site.requests).toEqual([]);
    const click = (slug: string) =>
      site.page.evaluate(
        `void document.getElementById('list').dispatchEvent(new CustomEvent('tour-click', { detail: { slug: '${slug}', url: null } }))`,
      );
    await click(isle.slug);
    await site.page.locator('.day.open .price.full', { hasText: '€700' }).waitFor();
    await click(bay.slug);
    await site.page.locator('.day.open .price.full', { hasText: '€500' }).waitFor();
    await waitForFocus(site.page, '.step');
    await holdSeats(site.page);
    await site.page.reload();
    await site.page.getByRole('heading', { name: 'Your seats are held' }).waitFor();
  });

  it('a browser without the colours that the element needs shows its children', async () => {
    await site.page.addInitScript('CSS.supports = (name, value) => !/light-dark/.test(value);');
    await site.open(`<tour-booking tour="${bay.slug}"><a href="/contact">Contact us</a></tour-booking>`);
    expect(await site.page.getByRole('link', { name: 'Contact us' }).isVisible()).toBe(true);
    expect(await site.page.evaluate("document.querySelector('tour-booking').shadowRoot")).toBeNull();
    expect(site.complaints).toEqual([]);
  });

  it('an element that only moves in its page keeps its purchase', async () => {
    await site.open(`<tour-booking tour="${bay.slug}"></tour-booking><main></main>`);
    await holdSeats(site.page);
    await fillContact(site.page);
    await site.page.evaluate(
      "void document.querySelector('main').append(document.querySelector('tour-booking'))",
    );
    await site.page.waitForTimeout(200);
    expect(await site.page.getByLabel('Phone').inputValue()).toBe('+49 30 901820');
  });

  it('an element takes the language of its site, and an unreadable one is English', async () => {
    await site.open(`<div lang="de-CH"><tour-booking tour="${bay.slug}"></tour-booking></div>`);
    await site.page.locator('.day.open').click();
    await site.page.locator('.pay .button').click();
    await site.page.getByText('Bucht', { exact: true }).waitFor();
    await renewContext(site);
    await site.open(
      `<div lang="de_CH"><p lang=" "><tour-booking tour="${bay.slug}"></tour-booking></p></div>`,
    );
    await site.page.locator('.element[lang=en] .day.open').waitFor();
    await site.page.evaluate("document.querySelector('p').removeAttribute('lang')");
    await site.page.evaluate("void (document.querySelector('tour-booking').lang = ' ')");
    await site.page.locator('.element[lang=de-CH] .day.open').waitFor();
    await renewContext(site);
    await site.open(`<tour-booking lang="x_y z" tour="${bay.slug}"></tour-booking>`);
    await site.page.locator('.element[lang=en] .day.open').waitFor();
    expect(site.complaints).toEqual([]);
  });

  it('a page that changes its language changes that of an element without lang', async () => {
    await site.open(
      `<tour-booking id="page" tour="${bay.slug}"></tour-booking><tour-booking id="own" lang="en" tour="${bay.slug}"></tour-booking>`,
    );
    await element('page').locator('.element[lang=en] .day.open').click();
    await site.page.evaluate("void (document.documentElement.lang = 'de')");
    await element('page').locator('.element[lang=de]').getByText('Gesamtpreis').waitFor();
    expect(await element('own').locator('.element[lang=en]').count()).toBe(1);
  });

  it('a page that changes its language while the tour is read gets the texts of the new one', async () => {
    site.intercept = ({ url }, _response, next) => {
      if (url.endsWith('lang=en')) setTimeout(next, 1000);
      else next();
    };
    await site.open(`<tour-booking tour="${bay.slug}"></tour-booking>`);
    await site.page.evaluate("void (document.documentElement.lang = 'de')");
    await site.page.locator('.element[lang=de] .day.open').click();
    await site.page.locator('.pay .button').click();
    await site.page.locator('.summary').waitFor();
    await quietRequests();
    expect(await site.page.locator('.summary').innerText()).toContain('Bucht');
  });

  it(`${MOUNTS} mounts and unmounts leave no listener, no timer and no request`, async () => {
    await site.open(`<main><tour-booking tour="${bay.slug}"></tour-booking></main>`);
    await holdSeats(site.page);
    const session = await site.context.newCDPSession(site.page);
    await session.send('Performance.enable');
    const counts = async () => {
      await session.send('HeapProfiler.collectGarbage');
      const { metrics } = await session.send('Performance.getMetrics');
      const of = (name: string) => metrics.find((one) => one.name === name)!.value;
      return { listeners: of('JSEventListeners'), nodes: of('Nodes') };
    };
    const mount = (times: number) =>
      site.page.evaluate(`(async () => {
        const main = document.querySelector('main');
        for (let time = 0; time < ${times}; time += 1) {
          main.replaceChildren();
          await new Promise((resolve) => setTimeout(resolve, 5));
          main.innerHTML = '<tour-booking tour="${bay.slug}"></tour-booking>';
          await new Promise((resolve) => setTimeout(resolve, 45));
        }
        main.replaceChildren();
        await new Promise((resolve) => setTimeout(resolve, 300));
      })()`);
    await mount(3);
    const before = await counts();
    await mount(MOUNTS);
    const after = await counts();
    expect(after.listeners).toBeLessThanOrEqual(before.listeners);
    expect(after.nodes).toBeLessThanOrEqual(before.nodes + MOUNTS);
    const sent = await quietRequests();
    await showAgain(site.page);
    await site.page.evaluate("void (document.documentElement.lang = 'de')");
    await site.page.waitForTimeout(1000);
    expect(site.requests).toHaveLength(sent);
    expect(site.complaints).toEqual([]);
  });
});

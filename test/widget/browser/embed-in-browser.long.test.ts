import type { BrowserContext, BrowserContextOptions, Page, Request } from 'playwright-core';
import { mintEmbedPass } from '../../../services/api/credentials/embed-pass';
import { useTestApi } from '../../support/api';
import { describeInChromium } from '../../support/browsers';
import { givenDeparture, givenTenant, givenTour } from '../../support/given';
import { givenWidgetToken } from '../given-widget';

describeInChromium('the embed page in a real browser', (browser) => {
  const api = useTestApi();
  let token: string;
  let tokenId: string;
  let context: BrowserContext;
  let page: Page;
  let requests: Request[];
  /** Messages of the console, and violations of the policy. */
  let complaints: string[];

  beforeAll(async () => {
    const { db } = api;
    const tenant = await givenTenant(db, { linkTemplate: 'https://shop.example.com/tours/{slug}' });
    ({ token, id: tokenId } = await givenWidgetToken(db, tenant));
    for (const name of ['Alpine Huts', 'Baltic Sail', 'Zagreb Café Walk']) {
      await givenDeparture(db, await givenTour(db, { name, continent: 'europe' }));
    }
    await givenTour(db, { name: `Ha Long </script><script>alert(1)</script>` });
    await db('tours').update({ image_url: '/covers/ha-long-bay-cruise.svg' });
  });
  afterEach(() => context.close());

  const open = async (query: Record<string, string> = {}, options: BrowserContextOptions = {}) => {
    context = await browser().newContext(options);
    page = await context.newPage();
    requests = [];
    complaints = [];
    page.on('request', (request) => requests.push(request));
    page.on('console', (message) => complaints.push(message.text()));
    page.on('pageerror', (error) => complaints.push(String(error)));
    await page.addInitScript(
      "addEventListener('securitypolicyviolation', (e) => console.log('violated', e.violatedDirective)); self.mark = 1",
    );
    await page.goto(`${api.baseUrl}/embed/tours?${new URLSearchParams({ token, ...query }).toString()}`);
  };
  const names = async () => (await page.locator('#results h2').allInnerTexts()).map((name) => name.trim());
  const untilNames = async (...expected: string[]) => {
    await page.locator('#results:not([aria-busy])').waitFor();
    expect(await names()).toEqual(expected);
  };
  const reloads = () =>
    requests.filter((request) => request.isNavigationRequest() && request.frame() === page.mainFrame())
      .length - 1;
  const parametersOf = (address: string) => Object.fromEntries(new URL(address).searchParams);
  /** Holds back each further answer to the script. @returns sends them */
  const delayAnswers = async () => {
    let release = () => {};
    const released = new Promise<void>((resolve) => (release = resolve));
    await page.unroute(/pass=/);
    await page.route(/pass=/, async (route) => {
      await released;
      await route.continue().catch(() => {});
    });
    return release;
  };
  /** Replaces the pass of the page by one that is an hour old. */
  const expirePass = () => {
    const old = mintEmbedPass(api.context.secrets.cursorKey, tokenId, Date.now() - 3_601_000);
    return ask(`document.querySelector('[name=pass]').value = '${old}'`);
  };
  const ask = (expression: string) => page.evaluate<unknown>(expression);

  it('the page needs no other host, no cookie and no storage, and obeys its own policy', async () => {
    await open({ limit: '2' });
    await page.getByRole('link', { name: 'Europe' }).click();
    await untilNames('Alpine Huts', 'Baltic Sail');
    await page.getByRole('link', { name: 'More tours' }).click();
    await untilNames('Zagreb Café Walk');

    expect(complaints).toEqual([]);
    expect(new Set(requests.map((request) => new URL(request.url()).origin))).toEqual(new Set([api.baseUrl]));
    expect(await context.cookies()).toEqual([]);
    expect(await ask('localStorage.length + sessionStorage.length')).toBe(0);
    expect(
      await ask('Promise.all([indexedDB.databases(), caches.keys()]).then((all) => all.flat())'),
    ).toEqual([]);
  });

  it('the page keeps the token out of its text, and out of every request but the first', async () => {
    await open({ limit: '1' });
    const secret = token.slice(-20);
    for (const link of ['More tours', 'Europe']) {
      await page.getByRole('link', { name: link }).click();
      await page.locator(`#results:not([aria-busy])`).waitFor();
      expect(await page.content()).not.toContain(secret);
    }
    const [first, ...rest] = requests;
    expect(first!.url()).toContain(secret);
    expect(rest.length).toBeGreaterThan(2);
    for (const request of rest) {
      expect(request.url()).not.toContain(secret);
      expect(await request.allHeaders()).not.toHaveProperty('referer');
    }
  });

  it('a tour’s name that contains a script stays text', async () => {
    await open({ q: 'ha long' });
    const data = JSON.parse(await page.locator('#data').innerText()) as {
      itemListElement: { item: { name: string } }[];
    };
    expect(data.itemListElement[0]!.item.name).toBe('Ha Long </script><script>alert(1)</script>');
    expect(complaints).toEqual([]);
  });

  it('the page searches, filters and turns pages without a reload', async () => {
    await open({ limit: '2' });
    await page.getByRole('searchbox').fill('a');
    await page.getByRole('searchbox').press('Enter');
    await page.waitForURL(/q=a(&|$)/);
    await untilNames('Alpine Huts', 'Baltic Sail');
    expect(parametersOf(page.url())).toEqual({ pass: expect.any(String), limit: '2', q: 'a' });
    await expectStatus('Tours shown: 2');

    await page.getByRole('link', { name: 'Europe' }).press('Enter');
    await page.waitForURL(/continent=europe/);
    await untilNames('Alpine Huts', 'Baltic Sail');
    expect(page.url()).toContain('q=a');
    await page.getByRole('link', { name: 'More tours' }).press('Enter');
    await untilNames('Zagreb Café Walk');
    await expectStatus('Tours shown: 1');
    expect(await ask('document.activeElement.id')).toBe('results');

    await page.goBack();
    await untilNames('Alpine Huts', 'Baltic Sail');
    await page.goBack();
    await page.goBack();
    await page.locator('#pills [aria-current]', { hasText: 'All' }).waitFor();
    expect(await page.getByRole('searchbox').inputValue()).toBe('');
    expect(await ask('self.mark')).toBe(1);
    expect(reloads()).toBe(0);
  });

  it('the focus stays on the element that the visitor uses', async () => {
    await open();
    await page.getByRole('link', { name: 'Europe' }).press('Enter');
    await page.locator('#pills [aria-current]:focus').waitFor();
    expect(await ask('document.activeElement.textContent')).toBe('Europe');
    await page.getByRole('searchbox').fill('baltic');
    await page.getByRole('searchbox').press('Enter');
    await untilNames('Baltic Sail');
    expect(await ask('document.activeElement.name')).toBe('q');
    await page.getByRole('searchbox').fill('');
    await untilNames('Alpine Huts', 'Baltic Sail', 'Zagreb Café Walk');
  });

  it('the embed page keeps each choice of a visitor who does not wait for the answer to the one before', async () => {
    await open();
    await page.route(/pass=/, async (route) => {
      await new Promise((resolve) => setTimeout(resolve, 300));
      await route.continue().catch(() => {});
    });
    await page.getByRole('link', { name: 'Europe' }).click();
    await page.getByRole('searchbox').fill('baltic');
    await page.getByRole('searchbox').press('Enter');
    await untilNames('Baltic Sail');
    expect(parametersOf(page.url())).toMatchObject({ continent: 'europe', q: 'baltic' });

    await page.getByRole('link', { name: 'All' }).click();
    await page.getByRole('searchbox').fill('a');
    await page.getByRole('searchbox').press('Enter');
    await page.getByRole('link', { name: 'Europe' }).click();
    await untilNames('Alpine Huts', 'Baltic Sail', 'Zagreb Café Walk');
    expect(parametersOf(page.url())).toMatchObject({ continent: 'europe', q: 'a' });
  });

  it('the search field keeps the focus of a visitor who types before the answer to a choice arrives', async () => {
    await open({ limit: '2' });
    for (const link of ['Europe', 'More tours']) {
      const release = await delayAnswers();
      await page.getByRole('link', { name: link }).click();
      await page.getByRole('searchbox').fill('bal');
      release();
      await page.locator('#results:not([aria-busy])').waitFor();
      await page.keyboard.type('tic');
      expect(await page.getByRole('searchbox').inputValue()).toBe('baltic');
    }
    await page.keyboard.press('Enter');
    await page.waitForURL(/q=baltic/);
    await untilNames('Baltic Sail');
  });

  it('a step back shows the search of that list in the field that has the focus', async () => {
    await open({ q: 'sail' });
    const field = page.getByRole('searchbox');
    await field.fill('huts');
    await field.press('Enter');
    await untilNames('Alpine Huts');
    await page.goBack();
    await untilNames('Baltic Sail');
    expect(await field.inputValue()).toBe('sail');
    await page.goForward();
    await untilNames('Alpine Huts');
    expect(await field.inputValue()).toBe('huts');
  });

  it('every choice keeps the settings of the site, also when the page has loaded again for an expired pass', async () => {
    const settings = { limit: '2', lang: 'de', theme: 'dark' };
    await open({ ...settings, q: 'a' });
    const expectSettings = async () => {
      expect(parametersOf(page.url())).toMatchObject(settings);
      expect(await ask('[document.documentElement.lang, document.documentElement.dataset.theme]')).toEqual([
        'de',
        'dark',
      ]);
    };
    await page.getByRole('link', { name: 'Europa' }).click();
    await untilNames('Alpine Huts', 'Baltic Sail');
    await expectSettings();
    await page.getByRole('link', { name: 'Weitere Reisen' }).click();
    await untilNames('Zagreb Café Walk');
    await expectSettings();
    await expirePass();
    await page.goBack();
    await page.waitForURL(/[?&]token=/);
    expect(parametersOf(page.url())).toMatchObject({ continent: 'europe', q: 'a' });
    await untilNames('Alpine Huts', 'Baltic Sail');
    await expectSettings();
    await page.getByRole('searchbox').fill('zagreb');
    await page.getByRole('searchbox').press('Enter');
    await untilNames('Zagreb Café Walk');
    await expectSettings();
    expect(parametersOf(page.url())).toMatchObject({ continent: 'europe', q: 'zagreb' });
  });

  it('the embed page shows placeholders while it loads, and the reason with a link to try again where that fails', async () => {
    await open();
    let lose = () => {};
    await page.route(/pass=/, async (route) => {
      await new Promise<void>((resolve) => (lose = resolve));
      await route.abort();
    });
    await page.getByRole('link', { name: 'Europe' }).click();
    await page.locator('#results[aria-busy] .bone').first().waitFor();
    expect(await page.locator('#results .tour').count()).toBe(6);
    await expectStatus('Loading tours…');
    lose();
    await page.getByRole('heading', { name: 'The tours cannot be shown' }).waitFor();
    await expectStatus(/The connection is interrupted/);

    await page.unroute(/pass=/);
    await page.getByRole('link', { name: 'Try again' }).click();
    await untilNames('Alpine Huts', 'Baltic Sail', 'Zagreb Café Walk');
    expect(page.url()).toContain('continent=europe');
  });

  it('the embed page shows the reason of a refusal instead of the list', async () => {
    await open();
    await page.route(/pass=/, (route) => route.continue({ url: route.request().url() + '&limit=0' }));
    await page.getByRole('link', { name: 'Europe' }).click();
    await page.locator('#results', { hasText: 'This address is not complete' }).waitFor();
    expect(reloads()).toBe(0);
  });

  it('the page reloads at its first address when its pass has expired', async () => {
    await open({ limit: '2' });
    await expirePass();
    await page.getByRole('link', { name: 'Europe' }).click();
    await page.waitForURL(/token=/);
    await untilNames('Alpine Huts', 'Baltic Sail');
    expect(parametersOf(page.url())).toEqual({ token, limit: '2', continent: 'europe' });
    expect(reloads()).toBe(1);
  });

  it('the embed page works without JavaScript, by links and a form', async () => {
    await open({ limit: '2' }, { javaScriptEnabled: false });
    await page.getByRole('link', { name: 'Europe' }).click();
    await page.waitForURL(/continent=europe/);
    await page.getByRole('link', { name: 'More tours' }).click();
    await page.waitForURL(/cursor=/);
    expect(await names()).toEqual(['Zagreb Café Walk']);
    await page.getByRole('searchbox').fill('CAFE');
    await page.getByRole('button', { name: 'Search tours' }).click();
    await page.waitForURL(/q=CAFE/);
    expect(await names()).toEqual(['Zagreb Café Walk']);
    await page.getByRole('searchbox').fill('atlantis');
    await page.getByRole('searchbox').press('Enter');
    await page.getByRole('link', { name: 'Show all tours' }).click();
    await page.waitForURL(/pass=[^&]+&limit=2$/);
    expect(reloads()).toBe(5);
  });

  const expectStatus = async (text: string | RegExp) => {
    await page.locator('#status', { hasText: text }).waitFor({ state: 'attached' });
  };
});

import { setTimeout as sleep } from 'node:timers/promises';
import { toIssuedWidgetDocument } from '../../../cli/commands/widget';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { type ApiProcess, startApiProcess } from '../../support/api-process';
import { startChromium } from '../../support/chromium';
import { createTestDatabase, type TestDatabase } from '../../support/database';
import { describeWith } from '../../support/describe-with';
import { givenDeparture, givenTenant, givenTour } from '../../support/given';
import type { WidgetToken } from '../../../services/api/credentials/credential';
import { PUBLISHED_LOADERS } from '../../../services/api/widget/loader.router';
import { givenWidgetToken } from '../given-widget';
import { API, API_HOST, type Hosts, startHosts } from './two-hosts';

const SHOP = 'shop.example';
const OTHER = 'evil.example';
const ALLOWED = `https://${SHOP}`;

describeWith('chromium', 'the widget on real hosts, in a real browser', () => {
  let database: TestDatabase;
  let api: ApiProcess;
  let hosts: Hosts;
  let browser: Browser;
  let context: BrowserContext;
  let page: Page;
  let token: string;
  let issued: WidgetToken;
  let complaints: string[];
  beforeAll(async () => {
    database = await createTestDatabase();
    const tenant = await givenTenant(database.db);
    for (const name of ['Alpine Walk', 'Baltic Sail']) {
      await givenDeparture(database.db, await givenTour(database.db, { name }));
    }
    ({ token, credential: issued } = await givenWidgetToken(database.db, tenant, { origins: [ALLOWED] }));
    api = await startApiProcess(database.url, { PUBLIC_BASE_URL: API, LOG_LEVEL: 'debug' });
    hosts = await startHosts(api.baseUrl);
    browser = await startChromium([hosts.resolverRules]);
  }, 90_000);
  afterAll(async () => {
    await browser?.close();
    await hosts?.stop();
    await api?.stop();
    await database?.drop();
  });
  beforeEach(async () => {
    context = await browser.newContext({ ignoreHTTPSErrors: true });
    page = await context.newPage();
    complaints = [];
    page.on('console', (message) => complaints.push(message.text()));
    page.on('pageerror', (error) => complaints.push(String(error)));
  });
  afterEach(() => context.close());

  const script = (attributes = '', file = 'widget.js') =>
    `<script async src="${API}/embed/${file}" data-token="${token}" ${attributes}></script>`;
  const frame = (attributes = '') =>
    `<iframe ${attributes} src="${API}/embed/tours?token=${token}"></iframe>`;
  const visit = async (body: string, host = SHOP, headers: Record<string, string> = {}) => {
    hosts.publish(host, `<!doctype html><title>A site</title><body>${body}</body>`, headers);
    await page.goto(`https://${host}/`);
  };
  const tours = (nth = 0) => page.frameLocator('iframe').nth(nth).locator('.tour h2');
  const untilShown = (nth = 0) => tours(nth).first().waitFor();
  /** Returns the final address of the frame. If the policy forbids the page, this is the address of the browser's error page. */
  const framedAddress = async () => {
    await page.waitForLoadState('networkidle');
    return page.frames()[1]!.url();
  };
  /** Resolves when any frame, at any depth, shows the browser's error page. Otherwise the test times out. */
  const expectSomeRefusedFrame = async () => {
    while (!page.frames().some((each) => each.url() === REFUSED)) await page.waitForTimeout(20);
  };
  const untilFrames = async (count: number) => {
    while (page.frames().length !== count) await page.waitForTimeout(20);
  };
  const REFUSED = 'chrome-error://chromewebdata/';
  const fetchList = () =>
    page.evaluate<number | string>(`
      fetch('${API}/api/widget/tours', { headers: { 'x-svc-widget-token': '${token}' } })
        .then((answer) => answer.status, (error) => error.name)`);

  describe('an allowed site', () => {
    it('an allowed site shows the tours at the place of the script, with the height of the content', async () => {
      await visit(`<p>before</p>${script('data-height="100"')}<p>after</p>`);
      await untilShown();
      const order = await page
        .locator('body > *')
        .evaluateAll((all) => all.map(({ localName }) => localName));
      expect(order).toEqual(['p', 'script', 'tour-list', 'p']);
      await page.waitForFunction(`document.querySelector('iframe').clientHeight > 100`);
      const cut = await page
        .frames()[1]!
        .evaluate('document.documentElement.scrollHeight - window.innerHeight');
      expect(cut).toBeLessThanOrEqual(0);
      expect(complaints).toEqual([]);
    });

    it.each([true, false])(
      'an allowed site shows the tours with the snippet that tourctl prints (with JavaScript: %s)',
      async (javaScriptEnabled) => {
        await context.close();
        context = await browser.newContext({ ignoreHTTPSErrors: true, javaScriptEnabled });
        page = await context.newPage();
        const { snippet } = toIssuedWidgetDocument(issued, token, API);
        await visit(snippet!);
        await untilShown();
        expect(await page.locator('iframe').count()).toBe(1);
      },
    );

    it('a list that loads late has the height that the site has set', async () => {
      await page.route('**/embed/tours*', async (route) => {
        await sleep(4000);
        await route.continue();
      });
      hosts.publish(SHOP, `<!doctype html><title>A site</title><body>${script('data-height="321"')}`);
      await page.goto(`${ALLOWED}/`, { waitUntil: 'commit' });
      await page.waitForTimeout(3500);
      expect(await page.locator('iframe').evaluate(({ clientHeight }) => clientHeight)).toBe(321);
      await untilShown();
      expect(complaints).toEqual([]);
    });

    it('an allowed site can frame the page without a script, and read the list', async () => {
      await visit(frame());
      await untilShown();
      expect(await fetchList()).toBe(200);
    });

    it('an allowed site receives the events of the element: ready, resize and tour-click', async () => {
      await visit(`<script>
        addEventListener('resize', () => { window.taken = true; });
        window.heard = [];
        document.addEventListener('DOMContentLoaded', () => customElements.whenDefined('tour-list').then(() => {
          for (const type of ['ready', 'resize', 'tour-click']) document.querySelector('tour-list')
            .addEventListener(type, ({ detail }) => window.heard.push([type, detail]));
        }));
        </script><tour-list data-token="${token}"></tour-list><script async src="${API}/embed/widget.js"></script>`);
      await untilShown();
      // These tours have no link, so the test sends the message of a click itself.
      await page.frames()[1]!.evaluate(`parent.postMessage(
        { type: 'svc:tour-click', v: 1, slug: 'alps', url: 'https://x.example' }, '${ALLOWED}')`);
      await page.waitForFunction(`window.heard.length >= 3`);
      const heard = await page.evaluate<[string, object][]>(`window.heard`);
      expect(heard.map(([type]) => type)).toEqual(expect.arrayContaining(['ready', 'resize', 'tour-click']));
      expect(heard.find(([type]) => type === 'tour-click')![1]).toEqual({
        slug: 'alps',
        url: 'https://x.example',
      });
      expect(await page.evaluate('window.taken')).toBeUndefined();
    });

    it('an allowed site ignores messages that do not come from the frame', async () => {
      await page.route('**/embed/tours*', (route) => route.abort());
      await visit(script('data-height="123"'));
      await page.locator('iframe').waitFor();
      await page.evaluate(`
        const data = { type: 'svc:resize', v: 1, height: 4000 };
        window.postMessage(data, '*');
        dispatchEvent(new MessageEvent('message', { data, origin: '${API}', source: window }));`);
      await page.waitForTimeout(100);
      expect(await page.locator('iframe').evaluate(({ clientHeight }) => clientHeight)).toBe(123);
    });

    it('an allowed site can show several lists, and a script that runs twice adds no second list', async () => {
      await visit(`${script()}<hr>${script('data-q="Baltic"')}`);
      await untilShown(1);
      expect(await page.locator('iframe').count()).toBe(2);
      expect(await tours(1).allInnerTexts()).toEqual(['Baltic Sail']);
      await page.evaluate(`
        const [first] = document.querySelectorAll('script');
        const again = document.createElement('script');
        for (const { name, value } of first.attributes) again.setAttribute(name, value);
        first.replaceWith(again);
        new Promise((resolve) => (again.onload = resolve))`);
      expect(await page.locator('iframe').count()).toBe(2);
      expect(complaints).toEqual([]);
    });

    it('an element that a single-page app removes and adds again shows one list', async () => {
      await visit(script());
      await untilShown();
      await page.evaluate(`window.list = document.querySelector('tour-list'); window.list.remove()`);
      await untilFrames(1);
      await page.evaluate(`document.body.append(window.list)`);
      await untilShown();
      expect(await page.locator('iframe').count()).toBe(1);
    });

    it('a strict policy of a site needs to allow only the address of the service, for the script and the frame', async () => {
      const policy = `default-src 'none'; script-src ${API}; frame-src ${API}; require-trusted-types-for 'script'`;
      await visit(script(), SHOP, { 'content-security-policy': policy });
      await untilShown();
      expect(complaints).toEqual([]);
    });

    it('an allowed site can pin a published version by its hash', async () => {
      const [{ version, integrity }] = PUBLISHED_LOADERS;
      await visit(script(`integrity="${integrity}" crossorigin="anonymous"`, `widget.${version}.js`));
      await untilShown();
      await visit(
        script(`integrity="sha384-${'A'.repeat(64)}" crossorigin="anonymous"`, `widget.${version}.js`),
      );
      await page.waitForLoadState('networkidle');
      expect(await page.locator('iframe').count()).toBe(0);
    });
  });

  describe('a site that is not listed', () => {
    it('a site that is not listed can neither frame the page nor read the list', async () => {
      await visit(frame(), OTHER);
      expect(await framedAddress()).toBe(REFUSED);
      expect(await fetchList()).toBe('TypeError');
    });

    it('the script hides the list, and names the command that allows the site in one line of the console', async () => {
      await visit(`<p>before</p>${script()}<p>after</p>`, OTHER);
      expect(await framedAddress()).toBe(REFUSED);
      await page.waitForFunction(`document.querySelector('tour-list').offsetHeight === 0`);
      const own = complaints.filter((line) => line.includes('tourctl'));
      expect(own).toEqual([
        `The tour list did not load on https://${OTHER}, so it is hidden. A site must be allowed: ` +
          `tourctl origins add <tenant> https://${OTHER}. To see the reason: ` +
          `tourctl widget doctor --token ${token} --origin https://${OTHER}`,
      ]);
    });

    it.each([
      ['a subdomain of an allowed site', `www.${SHOP}`],
      ['a site whose name ends like an allowed one', `my${SHOP}`],
    ])('the service refuses %s', async (_name, host) => {
      await visit(frame(), host);
      expect(await framedAddress()).toBe(REFUSED);
      expect(await fetchList()).toBe('TypeError');
    });

    it('a site that is not listed cannot show the widget while an allowed site frames it', async () => {
      hosts.publish(OTHER, frame());
      await visit(`<iframe src="https://${OTHER}/"></iframe>`);
      await expectSomeRefusedFrame();
    });

    it('a site that is not listed cannot frame an allowed site that shows the widget', async () => {
      hosts.publish(SHOP, frame());
      await visit(`<iframe src="${ALLOWED}/"></iframe>`, OTHER);
      await expectSomeRefusedFrame();
    });
  });

  describe('a page with the origin null', () => {
    it('the service refuses a sandboxed page of an allowed site', async () => {
      await visit(frame(), SHOP, { 'content-security-policy': 'sandbox allow-scripts' });
      expect(await page.evaluate('self.origin')).toBe('null');
      expect(await framedAddress()).toBe(REFUSED);
      expect(await fetchList()).toBe('TypeError');
    });

    it('the service refuses a data: page inside an allowed site', async () => {
      await visit(`<iframe src="data:text/html,${encodeURIComponent(frame())}"></iframe>`);
      await expectSomeRefusedFrame();
    });
  });

  describe('the token', () => {
    it('the token is in no text of the page, in no Referer and in no line of the log', async () => {
      const mark = hosts.seen.length;
      await visit(script());
      await untilShown();
      const inner = page.frames()[1]!;
      expect(await inner.content()).not.toContain(token);
      await inner.locator('[name=q]').fill('Baltic');
      await inner.locator('[name=q]').press('Enter');
      await page.waitForLoadState('networkidle');
      expect(await inner.content()).not.toContain(token);
      const { seen } = hosts;
      expect(seen.slice(mark).filter(({ host }) => host === API_HOST).length).toBeGreaterThanOrEqual(3);
      expect(seen.filter(({ referer }) => referer?.includes(token))).toEqual([]);
      expect(seen.filter(({ host, url }) => host !== API_HOST && url.includes(token))).toEqual([]);
      expect(api.log()).toContain('/embed/tours');
      expect(api.log()).not.toContain(token);
    });
  });
});

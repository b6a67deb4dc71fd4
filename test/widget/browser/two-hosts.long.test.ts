import { toIssuedWidgetDocument } from '../../../cli/commands/widget';
import { LOADERS } from '../../../services/api/widget/published-scripts';
import { describeWith } from '../../support/describe-with';
import { eventually } from '../../webhook-queue/queue-fixture';
import { API, API_HOST } from './two-hosts';
import { ALLOWED, OTHER, renew, SHOP, useWidgetSite } from './widget-site';

describeWith('chromium', 'the widget on real hosts, in a real browser', () => {
  const site = useWidgetSite();
  const { script, visit, untilShown } = site;

  const frame = (attributes = '') =>
    `<iframe ${attributes} src="${API}/embed/tours?token=${site.token}"></iframe>`;
  const tours = (nth = 0) => site.page.frameLocator('iframe').nth(nth).locator('.tour h2');
  /** Resolves when a frame, at any depth, shows the error page of the browser. Otherwise the test times out. */
  const expectSomeRefusedFrame = async () => {
    while (!site.page.frames().some((each) => each.url() === REFUSED)) await site.page.waitForTimeout(20);
  };
  const untilFrames = async (count: number) => {
    while (site.page.frames().length !== count) await site.page.waitForTimeout(20);
  };
  const REFUSED = 'chrome-error://chromewebdata/';
  const fetchList = () =>
    site.page.evaluate<number | string>(`
      fetch('${API}/api/widget/tours', { headers: { 'x-svc-widget-token': '${site.token}' } })
        .then((answer) => answer.status, (error) => error.name)`);

  describe('an allowed site', () => {
    it('an allowed site shows the tours at the place of the script, with the height of the content', async () => {
      await visit(`<p>before</p>${script('data-height="100"')}<p>after</p>`);
      await untilShown();
      const order = await site.page
        .locator('body > *')
        .evaluateAll((all) => all.map(({ localName }) => localName));
      expect(order).toEqual(['p', 'script', 'tour-list', 'p']);
      await site.page.waitForFunction(`document.querySelector('tour-list').offsetHeight > 100`);
      await eventually('a frame that is as high as its content', async () => {
        const cut = 'document.documentElement.scrollHeight > window.innerHeight';
        return (await site.page.frames()[1]!.evaluate<boolean>(cut)) ? undefined : true;
      });
      expect(site.complaints).toEqual([]);
    });

    it.each([true, false])(
      'an allowed site shows the tours with the snippet that tourctl prints (with JavaScript: %s)',
      async (javaScriptEnabled) => {
        await renew(site, { javaScriptEnabled });
        const { snippet } = toIssuedWidgetDocument(site.issued, site.token, API);
        await visit(snippet!);
        await untilShown();
        expect(await site.page.locator('iframe').count()).toBe(1);
      },
    );

    it('a list that loads late has the height that the site has set', async () => {
      let release = () => {};
      const released = new Promise<void>((resolve) => (release = resolve));
      await site.page.route('**/embed/tours*', async (route) => {
        await released;
        await route.continue();
      });
      site.hosts.publish(SHOP, `<!doctype html><title>A site</title><body>${script('data-height="321"')}`);
      await site.page.goto(`${ALLOWED}/`, { waitUntil: 'commit' });
      await site.page.locator('iframe').waitFor({ state: 'attached' });
      await site.page.waitForTimeout(3500);
      expect(await site.page.locator('tour-list').evaluate(({ clientHeight }) => clientHeight)).toBe(321);
      release();
      await untilShown();
      expect(site.complaints).toEqual([]);
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
        </script><tour-list data-token="${site.token}"></tour-list><script async src="${API}/embed/widget.js"></script>`);
      await untilShown();
      // These tours have no link, so the test sends the message of a click itself.
      await site.page.frames()[1]!.evaluate(`parent.postMessage(
        { type: 'svc:tour-click', v: 1, slug: 'alps', url: 'https://x.example' }, '${ALLOWED}')`);
      await site.page.waitForFunction(`window.heard.length >= 3`);
      const heard = await site.page.evaluate<[string, object][]>(`window.heard`);
      expect(heard.map(([type]) => type)).toEqual(expect.arrayContaining(['ready', 'resize', 'tour-click']));
      expect(heard.find(([type]) => type === 'tour-click')![1]).toEqual({
        slug: 'alps',
        url: 'https://x.example',
      });
      expect(await site.page.evaluate('window.taken')).toBeUndefined();
    });

    it('an allowed site ignores messages that do not come from the frame', async () => {
      await site.page.route('**/embed/tours*', (route) => route.abort());
      await visit(script('data-height="123"'));
      await site.page.locator('iframe').waitFor({ state: 'attached' });
      // In one call, because a list whose frame has failed gives its place back after three seconds.
      const height = await site.page.evaluate<number>(`(async () => {
        const data = { type: 'svc:resize', v: 1, height: 4000 };
        window.postMessage(data, '*');
        dispatchEvent(new MessageEvent('message', { data, origin: '${API}', source: window }));
        await new Promise((resolve) => setTimeout(resolve, 100));
        return document.querySelector('tour-list').clientHeight;
      })()`);
      expect(height).toBe(123);
    });

    it('an allowed site can show several lists, and a script that runs twice adds no second list', async () => {
      await visit(`${script()}<hr>${script('data-q="Baltic"')}`);
      await untilShown(1);
      expect(await site.page.locator('iframe').count()).toBe(2);
      expect(await tours(1).allInnerTexts()).toEqual(['Baltic Sail']);
      await site.page.evaluate(`
        const [first] = document.querySelectorAll('script');
        const again = document.createElement('script');
        for (const { name, value } of first.attributes) again.setAttribute(name, value);
        first.replaceWith(again);
        new Promise((resolve) => (again.onload = resolve))`);
      expect(await site.page.locator('iframe').count()).toBe(2);
      expect(site.complaints).toEqual([]);
    });

    it('an element that a single-page app removes and adds again shows one list', async () => {
      await visit(script());
      await untilShown();
      await site.page.evaluate(`window.list = document.querySelector('tour-list'); window.list.remove()`);
      await untilFrames(1);
      await site.page.evaluate(`document.body.append(window.list)`);
      await untilShown();
      expect(await site.page.locator('iframe').count()).toBe(1);
    });

    it('a strict policy of a site needs to allow only the address of the service, for the script and the frame', async () => {
      const policy = `default-src 'none'; script-src ${API}; frame-src ${API}; require-trusted-types-for 'script'`;
      await visit(script(), SHOP, { 'content-security-policy': policy });
      await untilShown();
      expect(site.complaints).toEqual([]);
    });

    it('a page with Cross-Origin-Embedder-Policy shows the list', async () => {
      await visit(script('crossorigin'), SHOP, { 'cross-origin-embedder-policy': 'require-corp' });
      await untilShown();
      expect(site.complaints).toEqual([]);
    });

    it('an allowed site can pin a published version by its hash', async () => {
      const [{ version, integrity }] = LOADERS;
      await visit(script(`integrity="${integrity}" crossorigin="anonymous"`, `widget.${version}.js`));
      await untilShown();
      await visit(
        script(`integrity="sha384-${'A'.repeat(64)}" crossorigin="anonymous"`, `widget.${version}.js`),
      );
      await site.page.waitForLoadState('networkidle');
      expect(await site.page.locator('iframe').count()).toBe(0);
    });
  });

  describe('a site that is not listed', () => {
    it('a site that is not listed can neither frame the page nor read the list', async () => {
      await visit(frame(), OTHER);
      await expectSomeRefusedFrame();
      expect(await fetchList()).toBe('TypeError');
    });

    it('the script hides the list, and says in one line that the site is refused', async () => {
      await visit(`<p>before</p>${script()}<p>after</p>`, OTHER);
      await expectSomeRefusedFrame();
      await site.page.waitForFunction(`document.querySelector('tour-list').offsetHeight === 0`);
      const said = await eventually('a line', () => site.complaints.find((line) => line.includes('tourctl')));
      expect(said).toBe(
        `Tour list: The platform refuses this page: it does not allow https://${OTHER}, or does not know the token. ` +
          `To see the reason: tourctl widget doctor --token ${site.token} --origin https://${OTHER}`,
      );
    });

    it.each([
      ['a subdomain of an allowed site', `www.${SHOP}`],
      ['a site whose name ends like an allowed one', `my${SHOP}`],
    ])('the service refuses %s', async (_name, host) => {
      await visit(frame(), host);
      await expectSomeRefusedFrame();
      expect(await fetchList()).toBe('TypeError');
    });

    it('a site that is not listed cannot show the widget while an allowed site frames it', async () => {
      site.hosts.publish(OTHER, frame());
      await visit(`<iframe src="https://${OTHER}/"></iframe>`);
      await expectSomeRefusedFrame();
    });

    it('a site that is not listed cannot frame an allowed site that shows the widget', async () => {
      site.hosts.publish(SHOP, frame());
      await visit(`<iframe src="${ALLOWED}/"></iframe>`, OTHER);
      await expectSomeRefusedFrame();
    });
  });

  describe('a page with the origin null', () => {
    it('the service refuses a sandboxed page of an allowed site', async () => {
      await visit(frame(), SHOP, { 'content-security-policy': 'sandbox allow-scripts' });
      expect(await site.page.evaluate('self.origin')).toBe('null');
      await expectSomeRefusedFrame();
      expect(await fetchList()).toBe('TypeError');
    });

    it('the service refuses a data: page inside an allowed site', async () => {
      await visit(`<iframe src="data:text/html,${encodeURIComponent(frame())}"></iframe>`);
      await expectSomeRefusedFrame();
    });
  });

  describe('the token', () => {
    it('the token is in no text of the page, in no Referer and in no line of the log', async () => {
      const mark = site.hosts.seen.length;
      await visit(script());
      await untilShown();
      const inner = site.page.frames()[1]!;
      expect(await inner.content()).not.toContain(site.token);
      await inner.locator('[name=q]').fill('Baltic');
      await inner.locator('[name=q]').press('Enter');
      await inner.locator('#status', { hasText: 'Tours shown: 1' }).waitFor({ state: 'attached' });
      expect(await inner.content()).not.toContain(site.token);
      const { seen } = site.hosts;
      expect(seen.slice(mark).filter(({ host }) => host === API_HOST).length).toBeGreaterThanOrEqual(3);
      expect(seen.filter(({ referer }) => referer?.includes(site.token))).toEqual([]);
      expect(seen.filter(({ host, url }) => host !== API_HOST && url.includes(site.token))).toEqual([]);
      expect(site.api.log()).toContain('/embed/tours');
      expect(site.api.log()).not.toContain(site.token);
    });
  });
});

import { describeWith } from '../../support/describe-with';
import { eventually } from '../../webhook-queue/queue-fixture';
import { API } from './two-hosts';
import { SHOP, useWidgetSite } from './widget-site';

describeWith('chromium', 'the loader on the pages of sites', () => {
  const site = useWidgetSite();
  const { script, visit, open, untilShown: expectTours } = site;
  const LOADER = `<script async src="${API}/embed/widget.js"></script>`;
  const element = (attributes = '') => `<tour-list data-token="${site.token}" ${attributes}></tour-list>`;
  const run = (expression: string) => site.page.evaluate<unknown>(expression);
  const expectLine = (part: string) =>
    eventually(part, () => site.complaints.find((complaint) => complaint.includes(part)));
  /** Counts the documents that the frames of lists have requested since the last call. */
  const countLoads = () => {
    const { seen } = site.hosts;
    return seen.splice(0).filter(({ url }) => url.startsWith('/embed/tours')).length;
  };
  const languageOf = () => site.page.frameLocator('iframe').locator('html').getAttribute('lang');

  describe('an element whose attributes change', () => {
    it('a new language loads the list once, however many attributes change in one turn', async () => {
      await visit(element('data-lang="de"') + LOADER);
      await expectTours();
      expect(await languageOf()).toBe('de');
      const steps = await run('history.length');
      countLoads();
      await run(`(() => {
        const list = document.querySelector('tour-list');
        list.dataset.limit = '1';
        list.dataset.theme = 'dark';
        list.dataset.lang = 'fr';
      })()`);
      await site.page.frameLocator('iframe').locator('html[lang=fr] .tour').waitFor();
      expect(await site.page.frameLocator('iframe').locator('.tour').count()).toBe(1);
      expect(countLoads()).toBe(1);
      expect(await run('history.length')).toBe(steps);
    });

    it('a token that is set after insertion shows the list, and its removal removes the list', async () => {
      await visit('<tour-list></tour-list>' + LOADER);
      await run(`customElements.whenDefined('tour-list')`);
      await run(`document.querySelector('tour-list').dataset.token = '${site.token}'`);
      await expectTours();
      await run(`delete document.querySelector('tour-list').dataset.token`);
      await site.page.locator('iframe').waitFor({ state: 'detached' });
    });

    it('an element that gets no token says so', async () => {
      await visit('<tour-list></tour-list>' + LOADER);
      await expectLine('A <tour-list> without data-token shows nothing.');
    });

    it('a new title and a new height change the frame without a load', async () => {
      await visit(element() + LOADER);
      await expectTours();
      countLoads();
      await run(
        `Object.assign(document.querySelector('tour-list').dataset, { title: 'Reisen', height: '50' })`,
      );
      await site.page.locator('iframe[title=Reisen]').waitFor();
      expect(countLoads()).toBe(0);
    });

    it('the element takes messages from its newest frame only', async () => {
      await visit(element() + LOADER);
      await expectTours();
      await run(`(() => {
        window.list = document.querySelector('tour-list');
        window.old = list.shadowRoot.querySelector('iframe').contentWindow;
        window.heights = [];
        list.addEventListener('resize', ({ detail }) => heights.push(detail.height));
        list.dataset.lang = 'fr';
      })()`);
      await site.page.frameLocator('iframe').locator('html[lang=fr]').waitFor();
      await run(`(() => {
        const data = { v: 1, type: 'svc:resize', height: 4321 };
        dispatchEvent(new MessageEvent('message', { data, origin: '${API}', source: old }));
        const { contentWindow: source } = list.shadowRoot.querySelector('iframe');
        dispatchEvent(new MessageEvent('message', { data: { ...data, height: 1234 }, origin: '${API}', source }));
      })()`);
      expect(await run(`heights.filter((height) => height === 4321 || height === 1234)`)).toEqual([1234]);
    });
  });

  describe('the width of the element', () => {
    it.each([
      ['a row', 'display: flex'],
      ['a centred column', 'display: flex; flex-direction: column; align-items: center'],
      ['a centred grid', 'display: grid; place-items: center'],
      ['a grid of centred columns', 'display: grid; justify-content: center'],
      ['a float', 'float: left'],
      ['an inline block', 'display: inline-block'],
      ['a box as wide as its content', 'width: fit-content'],
    ])('the list is as wide as the page in %s', async (_place, style) => {
      await site.page.setViewportSize({ width: 1000, height: 800 });
      await visit(`<style>body { margin: 0 }</style><div style="${style}">${script()}</div>`);
      await expectTours();
      expect((await site.page.locator('iframe').boundingBox())!.width).toBe(1000);
    });

    it('the list leaves a neighbour its place, and obeys the width that the site sets', async () => {
      await site.page.setViewportSize({ width: 1000, height: 800 });
      const narrow = '<style>tour-list.small { width: 410px }</style>';
      await visit(
        `${narrow}<div style="display: flex"><nav style="flex: none; width: 300px">Menu</nav>${element()}</div>
         ${element('class="small"')}${LOADER}`,
      );
      await expectTours(1);
      const widths = await site.page
        .locator('tour-list')
        .evaluateAll((all) => all.map((one) => one.clientWidth));
      expect(widths).toEqual([1000 - 16 - 300, 410]);
    });
  });

  describe('the place of the script', () => {
    it('the snippet alone in a document shows its list', async () => {
      await open(script());
      await expectTours();
      expect(await run(`document.querySelector('tour-list').parentElement.localName`)).toBe('body');
    });

    it('two snippets before any content show two lists in their order', async () => {
      await open(`${script('data-title="one"')}${script('data-title="two" data-q="Baltic"')}<p>after</p>`);
      await expectTours(1);
      await eventually('both', async () =>
        (await site.page.locator('tour-list').count()) === 2 ? true : undefined,
      );
      const order = await run(
        `[...document.body.children].map((child) => child.dataset.title || child.localName)`,
      );
      expect((order as string[]).sort()).toEqual(['one', 'p', 'two']);
      expect(await run(`document.body.lastElementChild.localName`)).toBe('p');
    });

    it.each(['srcdoc', 'blob'])('a %s frame with nothing but the snippet shows its list', async (kind) => {
      await visit(`<iframe id="box" style="width: 600px; height: 600px"></iframe><script>
        const html = ${JSON.stringify(script()).replace(/</g, '\\u003c')};
        const box = document.getElementById('box');
        if ('${kind}' === 'srcdoc') box.srcdoc = html;
        else box.src = URL.createObjectURL(new Blob([html], { type: 'text/html' }));
      </script>`);
      const list = site.page.frameLocator('#box').frameLocator('iframe');
      await list.locator('.tour h2').first().waitFor();
      expect(await list.locator('.tour').count()).toBe(2);
    });

    it('a script of the type module shows its list', async () => {
      await visit(`<p>before</p>${script('type="module" crossorigin')}`);
      await expectTours();
    });

    it('an imported loader defines the element, and says that the page has no list yet', async () => {
      await visit(`<script type="module">import('${API}/embed/widget.js')</script>`);
      await expectLine('This page has no list yet');
      await run(`document.body.insertAdjacentHTML('beforeend', '${element()}')`);
      await expectTours();
    });

    it('elements of the page with names of the document do not hide the script', async () => {
      await visit(
        `<img name="currentScript"><form name="body"></form><img name="head"><img name="scripts">${script()}`,
      );
      await expectTours();
    });

    it('a script without a token says so, where the page has no list', async () => {
      await visit(LOADER);
      await expectLine('add data-token to the script, or <tour-list data-token="…">');
    });

    it('a script that the page removes before it runs says so', async () => {
      await visit(`<script>
        const gone = Object.assign(document.createElement('script'), { src: '${API}/embed/widget.js' });
        gone.dataset.token = '${site.token}';
        document.head.append(gone);
        gone.remove();
      </script>`);
      await expectLine('The script was removed before it ran.');
    });

    it('a second library with an element of the same name is named', async () => {
      await visit(
        `<script>customElements.define('tour-list', class extends HTMLElement {})</script>${script()}`,
      );
      await expectLine('Another script has defined <tour-list>');
    });
  });

  describe('a list that loads late or not at all', () => {
    const FRAME = '**/embed/tours*';
    const tryAgain = () => run(`dispatchEvent(new Event('online'))`);
    const height = () => site.page.locator('tour-list').evaluate(({ clientHeight }) => clientHeight);

    it('an empty element shows placeholders, and no frame, until the list is ready', async () => {
      let release = () => {};
      await site.page.route(FRAME, async (route) => {
        await new Promise<void>((resolve) => (release = resolve));
        await route.continue();
      });
      site.hosts.publish(SHOP, `<!doctype html><title>A site</title><body>${script('data-height="321"')}`);
      await site.page.goto(`https://${SHOP}/`, { waitUntil: 'commit' });
      await site.page.locator('iframe').waitFor({ state: 'attached' });
      expect(await site.page.locator('iframe').isVisible()).toBe(false);
      expect(await site.page.locator('.bones').isVisible()).toBe(true);
      expect(await height()).toBe(321);
      release();
      await expectTours();
      expect(await site.page.locator('.bones').isVisible()).toBe(false);
    });

    it('the children of the element stand in its place until the list is ready', async () => {
      await site.page.route(FRAME, (route) => route.abort());
      await visit(
        `<tour-list data-token="${site.token}"><a href="/tours">All tours</a></tour-list>${LOADER}`,
      );
      const own = site.page.getByRole('link', { name: 'All tours' });
      await site.page.locator('iframe').waitFor({ state: 'attached' });
      expect([await own.isVisible(), await site.page.locator('.bones').isVisible()]).toEqual([true, false]);
      await expectLine('Tour list:');
      expect(await own.isVisible()).toBe(true);
      await site.page.unroute(FRAME);
      await tryAgain();
      await expectTours();
      expect(await own.isVisible()).toBe(false);
    });

    it.each([
      ['answers nothing', 'hang'],
      ['is away', 'abort'],
      ['has a proxy that answers 502', 'proxy'],
    ])(
      'a list whose platform %s gives its place back, and appears when the browser is online again',
      async (_title, kind) => {
        const stop = new AbortController();
        await site.context.route(`${API}/**`, async (route) => {
          if (route.request().url().includes('/embed/widget') && !stop.signal.aborted)
            return route.continue();
          if (kind === 'proxy')
            return route.fulfill({ status: 502, contentType: 'text/html', body: '<h1>502</h1>' });
          if (kind === 'hang') await new Promise((resolve) => stop.signal.addEventListener('abort', resolve));
          return route.abort();
        });
        site.hosts.publish(SHOP, `<!doctype html><title>A site</title><body>${script()}`);
        await site.page.goto(`https://${SHOP}/`, { waitUntil: 'commit' });
        await site.page.waitForFunction(
          `document.querySelector('tour-list')?.clientHeight === 0`,
          undefined,
          { timeout: 15_000 },
        );
        expect(await site.page.locator('iframe').isVisible()).toBe(false);
        stop.abort();
        await site.context.unrouteAll({ behavior: 'ignoreErrors' });
        await tryAgain();
        await expectTours();
        expect(await height()).toBeGreaterThan(0);
      },
    );

    it('a list that failed tries again by itself', async () => {
      await site.page.clock.install();
      await site.page.route(FRAME, (route) => route.abort());
      await visit(script());
      await site.page.locator('iframe').waitFor({ state: 'attached' });
      await site.page.clock.fastForward(15_000);
      expect(await height()).toBe(0);
      await site.page.unroute(FRAME);
      await site.page.clock.fastForward(50_000);
      await expectTours();
    });

    it('a page of the list that fails later gives its place back too', async () => {
      await visit(script());
      await expectTours();
      await site.page.route(FRAME, (route) => route.abort());
      await site.page.frames()[1]!.evaluate('void location.reload()');
      await site.page.waitForFunction(`document.querySelector('tour-list').clientHeight === 0`);
      expect(await site.page.locator('iframe').isVisible()).toBe(false);
    });
  });

  it('a list on paper has two columns, and its frame has the height of all tours', async () => {
    await site.page.setViewportSize({ width: 1300, height: 800 });
    await visit(script());
    await expectTours();
    const heightIs = (height: number) =>
      site.page.waitForFunction(`document.querySelector('tour-list').clientHeight === ${height}`);
    await site.page.waitForFunction(`document.querySelector('tour-list').clientHeight > 300`);
    await site.page.emulateMedia({ media: 'print' });
    await site.page.setViewportSize({ width: 700, height: 800 });
    await heightIs(116);
    expect(await site.page.frameLocator('iframe').locator('.tour h2').allInnerTexts()).toHaveLength(2);
    const [first, second] = await site.page
      .frameLocator('iframe')
      .locator('.tour')
      .evaluateAll((all) =>
        all.map((tour) => tour.getBoundingClientRect().toJSON() as { top: number; bottom: number }),
      );
    expect([first!.top, second!.top, first!.bottom <= 116]).toEqual([0, 0, true]);
  });
});

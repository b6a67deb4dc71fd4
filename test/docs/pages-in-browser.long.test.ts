import type { BrowserContextOptions, Page } from 'playwright-core';
import { useTestApi } from '../support/api';
import { violationsOf } from '../support/axe';
import { describeInChromium } from '../support/browsers';

describeInChromium('the documentation pages in a browser', (browser) => {
  const api = useTestApi();

  const visit = async (
    path: string,
    look: (page: Page) => Promise<void>,
    options: BrowserContextOptions = {},
  ) => {
    const context = await browser().newContext(options);
    const page = await context.newPage();
    const complaints: string[] = [];
    page.on('console', (message) => {
      // The browser reports the status of the page of a missing address, and of an answer that the test refuses.
      if (!/status of (404|503)/.test(message.text())) complaints.push(message.text());
    });
    page.on('pageerror', (error) => complaints.push(String(error)));
    await page.goto(api.baseUrl + path);
    await look(page);
    expect(complaints).toEqual([]);
    await context.close();
  };
  const countElements = (page: Page) => page.evaluate<number>(`document.querySelectorAll('*').length`);

  it.each([
    ['/docs', 'light', 1280],
    ['/docs', 'dark', 390],
    ['/docs/guide', 'light', 390],
    ['/docs/guide', 'dark', 1280],
    ['/docs/guide/sell-on-your-page', 'dark', 390],
    ['/docs/guide/selling', 'light', 1280],
    ['/docs/errors', 'light', 390],
    ['/docs/errors/price_changed', 'dark', 1280],
    ['/', 'light', 1280],
    ['/', 'dark', 390],
    ['/docs/nothing', 'light', 390],
  ] as const)(
    'axe finds no issue in %s, %s, with a width of %d pixels',
    async (path, colorScheme, width) => {
      // Text that fades in has too little contrast until it is there.
      const motion = { reducedMotion: 'reduce' } as const;
      const options = { colorScheme, ...motion, viewport: { width, height: 800 }, bypassCSP: true };
      const look = async (page: Page) => {
        // The browser gives a call that is far from the screen an assumed height, in which elements overlap.
        await page.addStyleTag({ content: 'article { content-visibility: visible !important }' });
        expect(await violationsOf(page)).toEqual([]);
      };
      await visit(path, look, options);
    },
    120_000,
  );

  it('the reference has less than 10,000 elements until its parts are opened', async () => {
    await visit('/docs', async (page) => {
      expect(await countElements(page)).toBeLessThan(10_000);
      const part = page
        .locator('article')
        .filter({ has: page.locator('#createBooking') })
        .locator('details');
      await part.filter({ hasText: 'Fields' }).first().locator('summary').click();
      const field = page.locator('[id="createBooking.201.booking_ref"]');
      await field.waitFor();
      expect(await field.isVisible()).toBe(true);
    });
  });

  it('a call shows the fields and the sample that an earlier call has too, with addresses of its own', async () => {
    await visit('/docs#confirmBooking.200.currency', async (page) => {
      await page.locator('[id="confirmBooking.200.currency"]:target').waitFor();
      const article = page.locator('article', { has: page.locator('#confirmBooking') });
      expect(await article.locator('[id^="createBooking"], [href^="#createBooking"]').count()).toBe(0);
      await article.locator('.samples summary', { hasText: 'Answer 200' }).click();
      expect(await article.locator('.samples details pre').last().textContent()).toContain('"booking_ref"');
    });
  });

  it.each([
    'createBooking',
    'createBooking.body.name',
    'createBooking.201.currency',
    'bookingCreated.body.customer.email',
  ])('/docs#%s scrolls to the element with this id, and it matches :target', async (id) => {
    await visit(`/docs#${id}`, async (page) => {
      await page.locator(`[id="${id}"]:target`).waitFor();
      const box = (await page.locator(`[id="${id}"]`).boundingBox())!;
      expect(box.y).toBeGreaterThanOrEqual(0);
      expect(box.y).toBeLessThan(720);
    });
  });

  it('the search finds a field of a closed part, and leads to it', async () => {
    await visit('/docs', async (page) => {
      await page.keyboard.press('/');
      await page.keyboard.type('createBooking.201.payment_due_at');
      await page.locator('.results a').first().click();
      const found = page.locator('[id="createBooking.201.payment_due_at"]:target');
      await found.waitFor();
      expect(await found.isVisible()).toBe(true);
    });
  });

  it('a wide reference shows the request beside the text, and a narrow one below it', async () => {
    const boxes = async (page: Page) => {
      const article = page.locator('article', { has: page.locator('#createBooking') });
      return Promise.all(['.text', '.samples'].map((part) => article.locator(part).boundingBox()));
    };
    const wide = { viewport: { width: 1280, height: 800 } };
    await visit(
      '/docs#createBooking',
      async (page) => {
        const [text, samples] = await boxes(page);
        expect(samples!.x).toBeGreaterThan(text!.x + text!.width);
        expect(samples!.y).toBeLessThan(text!.y + text!.height);
      },
      wide,
    );
    const narrow = { viewport: { width: 390, height: 800 } };
    await visit(
      '/docs#createBooking',
      async (page) => {
        const [text, samples] = await boxes(page);
        expect(samples!.y).toBeGreaterThanOrEqual(text!.y + text!.height);
      },
      narrow,
    );
  });

  it('a button copies a request in curl or in Node, and all requests are in the chosen language', async () => {
    const look = async (page: Page) => {
      const request = (id: string) =>
        page.locator('article', { has: page.locator(`#${id}`) }).locator('.request');
      const copied = async (id: string) => {
        await request(id).locator('.copy:visible').click();
        await request(id).locator('.copy:visible', { hasText: 'Copied' }).waitFor();
        return page.evaluate<string>('navigator.clipboard.readText()');
      };
      expect(await copied('listTours')).toMatch(/^curl /);
      await request('listTours').getByRole('button', { name: 'Node' }).click();
      expect(await copied('listTours')).toMatch(/^const answer = await fetch/);
      expect(await request('readTour').locator('.code:visible code').textContent()).toMatch(/^const answer/);
      await page.reload();
      expect(await request('readTour').locator('.code:visible code').textContent()).toMatch(/^const answer/);
    };
    await visit('/docs', look, { permissions: ['clipboard-read', 'clipboard-write'] });
  });

  it.each([1280, 390])('the button that copies covers no code in a page of %d pixels', async (width) => {
    const options = { viewport: { width, height: 800 }, permissions: ['clipboard-read', 'clipboard-write'] };
    for (const path of ['/', '/docs#createBooking', '/docs/guide/selling']) {
      const look = async (page: Page) => {
        const covered = await page.evaluate<number>(`
          [...document.querySelectorAll('.copy')].filter((button) => {
            const a = button.getBoundingClientRect();
            const b = button.parentElement.querySelector('code').getBoundingClientRect();
            const box = button.parentElement.querySelector('pre').getBoundingClientRect();
            const right = Math.min(b.right, box.right);
            return a.left < right && a.right > b.left && a.top < b.bottom && a.bottom > b.top;
          }).length`);
        expect(covered).toBe(0);
        expect(await page.locator('.copy').count()).toBeGreaterThan(1);
      };
      await visit(path, look, options);
    }
  });

  it('the reference shows the address of each request in full', async () => {
    const look = async (page: Page) => {
      const cut = await page.evaluate<number>(
        `[...document.querySelectorAll('.request pre')].filter((pre) => pre.scrollWidth > pre.clientWidth).length`,
      );
      expect(cut).toBe(0);
    };
    await visit('/docs', look, { viewport: { width: 1280, height: 800 } });
  });

  it.each([
    [1280, 'Search: press /'],
    [390, 'Search'],
  ])('the search of a page of %d pixels has the hint "%s"', async (width, hint) => {
    const look = async (page: Page) =>
      expect(await page.getByRole('searchbox').getAttribute('placeholder')).toBe(hint);
    await visit('/docs/guide/selling', look, { viewport: { width, height: 800 } });
  });

  it('the menu of downloads opens at a click, and closes at a click outside or with Escape', async () => {
    await visit('/docs/errors', async (page) => {
      const download = page.getByRole('link', { name: 'OpenAPI 3.1' });
      const isOpen = async () => {
        await page.locator('.menu summary').click();
        return download.isVisible();
      };
      expect(await download.isVisible()).toBe(false);
      expect(await isOpen()).toBe(true);
      await page.keyboard.press('Escape');
      expect(await download.isVisible()).toBe(false);
      expect(await isOpen()).toBe(true);
      await page.locator('h1').click();
      expect(await download.isVisible()).toBe(false);
    });
  });

  it.each(['/docs/errors', '/docs/errors/price_changed', '/docs'])(
    'a link in code has no underline, which would hide its underscores: %s',
    async (path) => {
      await visit(path, async (page) => {
        const underlined = await page.evaluate<number>(`
          [...document.querySelectorAll('main a')].filter((link) => {
            const { textDecorationLine, fontFamily } = getComputedStyle(link.querySelector('code') ?? link);
            const isUnderlined = [link, link.querySelector('code')].some(
              (one) => one && getComputedStyle(one).textDecorationLine.includes('underline'));
            return fontFamily.includes('monospace') && isUnderlined;
          }).length`);
        expect(underlined).toBe(0);
      });
    },
  );

  it('the mark of the element to which a link leads fades', async () => {
    await visit('/docs#placeHold', async (page) => {
      const color = () =>
        page.evaluate<string>(
          `getComputedStyle(document.querySelector('#placeHold:target')).backgroundColor`,
        );
      // Leads to the element again, because the first mark may have faded while the page was loaded.
      const begun = await page.evaluate<string>(`(() => {
        const look = () => getComputedStyle(document.getElementById('placeHold')).backgroundColor;
        location.hash = '';
        look();
        location.hash = '#placeHold';
        return look();
      })()`);
      expect(begun).not.toBe('rgba(0, 0, 0, 0)');
      while ((await color()) !== 'rgba(0, 0, 0, 0)') await page.waitForTimeout(100);
    });
  });

  it('the first page shows the tours of the widget, with the style of the widget', async () => {
    await visit('/', async (page) => {
      const card = page.locator('.preview .tour').first();
      expect(await card.locator('h2').textContent()).toContain('Hạ Long');
      const width = () =>
        card.locator('img').evaluate((image: { naturalWidth: number }) => image.naturalWidth);
      expect(await width()).toBeGreaterThan(0);
    });
  });

  it('the list of a page of the guide marks the section on the screen', async () => {
    await visit('/docs/guide/selling#holds', async (page) => {
      const present = page.locator('.contents [aria-current]');
      await page.locator('.contents [aria-current][href="#holds"]').waitFor();
      expect(await present.count()).toBe(1);
      await page.evaluate(`document.getElementById('find-tours').scrollIntoView()`);
      await page.locator('.contents [aria-current][href="#find-tours"]').waitFor();
    });
  });

  it('the list of the guide is folded on a phone and open on a wide page, even without JavaScript', async () => {
    for (const [width, isOpen] of [
      [390, false],
      [1280, true],
    ] as const) {
      const options = { viewport: { width, height: 800 }, javaScriptEnabled: false };
      const look = async (page: Page) => {
        const list = page.locator('.contents');
        expect(await list.locator('[href="#holds"]').isVisible()).toBe(isOpen);
        expect(await list.locator('summary').isVisible()).toBe(!isOpen);
      };
      await visit('/docs/guide/selling', look, options);
    }
  });

  it('the page of a missing address finds a call of the reference and a section of the guide', async () => {
    await visit('/docs/nothing', async (page) => {
      await page.keyboard.press('/');
      await page.keyboard.type('hold seats');
      await page.locator('.results a[href="/docs#placeHold"]').waitFor();
      await page.locator('[type=search]').fill('verify the signature');
      await page.locator('.results a').first().click();
      await page.waitForURL('**/docs/guide/webhooks#verify-the-signature-by-hand');
      expect(await page.locator('#verify-the-signature-by-hand').isVisible()).toBe(true);
    });
  });

  it('a search whose pages are refused says so, and finds the words when the visitor types again', async () => {
    await visit('/docs/nothing', async (page) => {
      const search = page.getByRole('searchbox');
      await page.route('**/docs/guide/webhooks', (route) =>
        route.fulfill({ status: 503, body: 'overloaded' }),
      );
      await search.fill('verify the signature');
      await page.getByText('The pages could not be loaded.').waitFor();
      await page.unroute('**/docs/guide/webhooks');
      await search.fill('verify the signature by hand');
      await page.locator('.results a').first().waitFor();
      expect(await page.getByText('The pages could not be loaded.').count()).toBe(0);
    });
  });

  it('the reference shows every part without JavaScript', async () => {
    const look = async (page: Page) => {
      const part = page.locator('details', { has: page.locator('[id="createBooking.201.booking_ref"]') });
      await part.locator('summary').click();
      expect(await page.locator('[id="createBooking.201.booking_ref"]').isVisible()).toBe(true);
    };
    await visit('/docs', look, { javaScriptEnabled: false });
  });
});

import type { BrowserContextOptions, Page } from 'playwright-core';
import { useTestApi } from '../support/api';
import { violationsOf } from '../support/axe';
import { describeInChromium } from '../support/chromium';

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
    page.on('console', (message) => complaints.push(message.text()));
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
    ['/docs/errors', 'light', 390],
  ] as const)(
    'axe finds no issue in %s, %s, with a width of %d pixels',
    async (path, colorScheme, width) => {
      const options = { colorScheme, viewport: { width, height: 800 }, bypassCSP: true };
      await visit(path, async (page) => expect(await violationsOf(page)).toEqual([]), options);
    },
    120_000,
  );

  it('the reference has less than 5,000 elements until its parts are opened', async () => {
    await visit('/docs', async (page) => {
      expect(await countElements(page)).toBeLessThan(5000);
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

  it('the reference shows every part without JavaScript', async () => {
    const look = async (page: Page) => {
      const part = page.locator('details', { has: page.locator('[id="createBooking.201.booking_ref"]') });
      await part.locator('summary').click();
      expect(await page.locator('[id="createBooking.201.booking_ref"]').isVisible()).toBe(true);
    };
    await visit('/docs', look, { javaScriptEnabled: false });
  });
});

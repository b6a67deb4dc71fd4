import type { BrowserContextOptions, Page } from 'playwright-core';
import { violationsOf } from '../support/axe';
import { describeInChromium } from '../support/browsers';
import { type DemoSite, startDemoSite } from '../support/demo-site';
import { preparedBeforeAll } from '../support/prepared';
import { fillContact } from '../element/visit';

const TOUR = '/trips/ha-long-bay-cruise';
const WIDE = { width: 1280, height: 800 };
const PHONE = { width: 390, height: 844 };

describeInChromium('the example shop in a browser', (browser) => {
  const site: DemoSite = preparedBeforeAll(startDemoSite);
  afterAll(() => site.stop?.());

  /** Opens a page as a new visitor. The console of the page must stay empty. */
  const visit = async (
    path: string,
    look: (page: Page) => Promise<void>,
    options: BrowserContextOptions = {},
  ) => {
    const context = await browser().newContext(options);
    const page = await context.newPage();
    const complaints: string[] = [];
    page.on('console', (message) => complaints.push(message.text()));
    page.on('pageerror', ({ message }) => complaints.push(message));
    await page.goto(site.shop + path);
    await look(page);
    expect(complaints).toEqual([]);
    await context.close();
  };

  it.each([
    ['the list', '/', WIDE, 'light'],
    ['the list', '/', PHONE, 'dark'],
    ['a tour', TOUR, WIDE, 'dark'],
    ['a tour', TOUR, PHONE, 'light'],
  ] as const)(
    'axe finds no issue in %s of the shop (%s, %p, %s), and nothing is wider than the window',
    async (_name, path, viewport, colorScheme) => {
      const look = async (page: Page) => {
        if (path === TOUR) await page.getByRole('grid').waitFor();
        expect(await violationsOf(page)).toEqual([]);
        expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(viewport.width);
      };
      await visit(path, look, { viewport, colorScheme });
    },
  );

  it('a visitor goes from the list to a paid booking', async () => {
    await visit('/', async (page) => {
      await page.locator(`a[href="${TOUR}"]`).click();
      await page.locator('[part=day][aria-disabled=false]').first().click();
      await page.getByRole('button', { name: 'Adult: +1' }).click();
      await page.getByRole('button', { name: 'Hold the seats' }).click();
      await fillContact(page);
      expect(await violationsOf(page)).toEqual([]);
      await page.getByRole('button', { name: /^Book for/ }).click();
      await page.waitForURL('**/pay?booking_ref=*');
      const reference = new URL(page.url()).searchParams.get('booking_ref')!;
      expect(await page.getByRole('heading').innerText()).toBe(`Booking ${reference}`);
      expect(await violationsOf(page)).toEqual([]);
      await page.getByRole('button', { name: /^Pay \$/ }).click();
      await page.getByText('It is confirmed.').waitFor();
    });
  });

  it('a visitor without JavaScript sees the list, and another way to book', async () => {
    const look = async (page: Page) => {
      await page.locator(`a[href="${TOUR}"]`).click();
      expect(await page.getByRole('link', { name: 'Call us' }).isVisible()).toBe(true);
    };
    await visit('/', look, { javaScriptEnabled: false });
  });
});

import type { BrowserContextOptions, Page } from 'playwright-core';
import { violationsOf } from '../support/axe';
import { describeInChromium } from '../support/chromium';
import { type DemoSite, startDemoSite } from '../support/demo-site';
import { preparedBeforeAll } from '../support/prepared';

const TOUR = '/tours/ha-long-bay-cruise';
const WIDE = { width: 1280, height: 800 };
const PHONE = { width: 390, height: 844 };

describeInChromium('the example shop in a browser', (browser) => {
  const site: DemoSite = preparedBeforeAll(startDemoSite);
  afterAll(() => site.stop?.());

  const visit = async (
    path: string,
    look: (page: Page) => Promise<void>,
    options: BrowserContextOptions = {},
  ) => {
    const context = await browser().newContext(options);
    const page = await context.newPage();
    await page.goto(site.shop + path);
    await look(page);
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
        expect(await violationsOf(page)).toEqual([]);
        expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(viewport.width);
      };
      await visit(path, look, { viewport, colorScheme });
    },
  );

  it.each([WIDE, PHONE])(
    'a tour of the shop shows price and button without scrolling at %p',
    async (viewport) => {
      const look = async (page: Page) => {
        for (const part of ['.offer .price', '.offer .button']) {
          const box = (await page.locator(part).boundingBox())!;
          expect(box.y + box.height).toBeLessThan(viewport.height);
        }
      };
      await visit(TOUR, look, { viewport });
    },
  );

  it('a phone shows at most three fields above the first tour of the list', async () => {
    const look = async (page: Page) => {
      const fields = page.locator('.search :is(input, select)').filter({ visible: true });
      expect(await fields.count()).toBe(3);
      const first = (await page.locator('.card').first().boundingBox())!;
      expect(first.y).toBeLessThan(PHONE.height / 2);
    };
    await visit('/', look, { viewport: PHONE });
  });

  it('a visitor chooses a date and books by keyboard alone', async () => {
    await visit(TOUR, async (page) => {
      await page.locator('.offer .button').focus();
      await page.keyboard.press('Enter');
      const day = page.locator('.calendar td a').first();
      expect(await day.innerText()).toMatch(/\$/);
      await day.focus();
      await page.keyboard.press('Enter');
      await page.locator('[name="party.adult"]').focus();
      await page.keyboard.press('Enter');
      await page.waitForURL('**/orders/*');
      expect(await page.locator('form').innerText()).toContain('more minutes');
      expect(await violationsOf(page)).toEqual([]);
    });
  });

  it('axe finds no issue in a form that is refused, and the focus is in the first refused field', async () => {
    await visit(`${TOUR}`, async (page) => {
      await page.locator('.calendar td a').first().click();
      await page.getByRole('button', { name: 'Hold the seats' }).click();
      await page.getByLabel('Name', { exact: true }).fill('Ana');
      await page.getByLabel('Phone').fill('12');
      await page.getByLabel('Email').fill('ana@example.com');
      await page.getByRole('button', { name: /^Pay/ }).click();
      await page.getByText('Phone must have at least 6 digits.').waitFor();
      expect(await page.evaluate('document.activeElement.name')).toBe('phone');
      expect(await violationsOf(page)).toEqual([]);
    });
  });
});

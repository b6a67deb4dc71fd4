import { source as axe } from 'axe-core';
import type { Page } from 'playwright-core';
import { useTestApi } from '../support/api';
import { describeInChromium } from '../support/browsers';

const GUIDE = ['sell-on-your-page', 'proxy', 'first-booking', 'selling', 'webhooks', 'widget', 'octo'].map(
  (name) => `/docs/guide/${name}`,
);

describeInChromium('the search on the pages for developers', (browser) => {
  const api = useTestApi();

  /** Opens a page with the Content-Security-Policy of the API. Expects that the browser blocks nothing and loads nothing from elsewhere. */
  const visit = async (path: string, look: (page: Page) => Promise<void>, searched: string[] = []) => {
    const page = await browser().newPage();
    const errors: string[] = [];
    const requests: string[] = [];
    page.on('console', (message) => errors.push(message.text()));
    page.on('pageerror', (error) => errors.push(String(error)));
    page.on('request', (request) => requests.push(new URL(request.url()).pathname));
    await page.goto(`${api.baseUrl}${path}`);
    await look(page);
    await page.close();
    expect({ errors, requests: [...new Set(requests)] }).toEqual({
      errors: [],
      requests: [...new Set([new URL(path, api.baseUrl).pathname, ...searched])],
    });
  };
  const found = (page: Page) => page.locator('.results li').allInnerTexts();

  it('the search finds calls, fields and events, opens the part with the field, and closes with Escape', async () => {
    await visit('/docs', async (page) => {
      await page.keyboard.press('/');
      await page.keyboard.type('price_breakdown.categories');
      expect(await found(page)).toContain('price_breakdown.categories\nCreate a booking · answer 201');
      await page.getByRole('searchbox').fill('/api/gateway/holds/{hold_id}/extend');
      expect((await found(page))[0]).toBe('Extend a hold');
      await page.getByRole('searchbox').fill('departure.cancelled');
      expect(await found(page)).toContain('A departure was cancelled');
      await page.getByRole('searchbox').fill('nothing like this');
      expect(await page.getByRole('status').innerText()).toBe('0 found');
      await page.getByRole('searchbox').fill('rule.applies_to');
      await page.keyboard.press('Enter');
      expect(page.url()).toMatch(/#\w+\.\d+\.price_breakdown\.categories\.rule\.applies_to$/);
      await page.locator(':target').waitFor();
      await page.getByRole('searchbox').press('Escape');
      expect(await found(page)).toEqual([]);
    });
  });

  it('the address of a field opens the closed part of the page that contains it', async () => {
    await visit('/docs#createBooking.201.currency', async (page) => {
      expect(await page.locator(':target').isVisible()).toBe(true);
    });
  });

  it.each(['/docs/guide', GUIDE[0]!])(
    'the search on %s finds the headings of all pages of the guide, and leads to them',
    async (path) => {
      const look = async (page: Page) => {
        await page.getByRole('searchbox').fill('verify the signature');
        const link = page.locator('.results a[href="/docs/guide/webhooks#verify-the-signature-by-hand"]');
        await link.waitFor();
        expect(await link.count()).toBe(1);
      };
      await visit(path, look, GUIDE);
    },
  );

  it('axe finds no issue while the search shows results', async () => {
    const look = async (page: Page) => {
      await page.getByRole('searchbox').fill('hold');
      await page.locator('.results a').first().waitFor();
      await page.evaluate(axe);
      const ids = await page.evaluate<unknown>(
        `axe.run().then(({ violations }) => violations.map(({ id }) => id))`,
      );
      expect(ids).toEqual([]);
    };
    await visit('/docs/guide/selling', look, GUIDE.toSpliced(3, 1));
  });
});

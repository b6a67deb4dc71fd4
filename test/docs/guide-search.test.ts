import { source as axe } from 'axe-core';
import type { Page } from 'playwright-core';
import { useTestApi } from '../support/api';
import { describeInChromium } from '../support/browsers';

describeInChromium('the search on the pages for developers', (browser) => {
  const api = useTestApi();

  /** Opens a page with the Content-Security-Policy of the API. Expects that the browser blocks nothing and loads nothing from elsewhere. */
  const visit = async (path: string, look: (page: Page) => Promise<void>) => {
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
      requests: [new URL(path, api.baseUrl).pathname],
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
      expect(await page.locator(':target').isVisible()).toBe(true);
      await page.getByRole('searchbox').press('Escape');
      expect(await found(page)).toEqual([]);
    });
  });

  it('the address of a field opens the closed part of the page that contains it', async () => {
    await visit('/docs#createBooking.201.currency', async (page) => {
      expect(await page.locator(':target').isVisible()).toBe(true);
    });
  });

  it('the search finds the headings of the guide', async () => {
    await visit('/docs/guide', async (page) => {
      await page.getByRole('searchbox').fill('webhooks');
      expect(await found(page)).toContain('Webhooks');
    });
  });

  it('axe finds no issue while the search shows results', async () => {
    await visit('/docs/guide', async (page) => {
      await page.getByRole('searchbox').fill('hold');
      await page.evaluate(axe);
      const ids = await page.evaluate<unknown>(
        `axe.run().then(({ violations }) => violations.map(({ id }) => id))`,
      );
      expect(ids).toEqual([]);
    });
  });
});

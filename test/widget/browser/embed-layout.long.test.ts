import { createServer, type Server } from 'node:http';
import type { Page } from 'playwright-core';
import { useTestApi } from '../../support/api';
import { describeInChromium } from '../../support/browsers';
import { givenDeparture, givenTenant, givenTour } from '../../support/given';
import { listen } from '../../support/listen';
import { givenWidgetToken } from '../given-widget';

describeInChromium('the layout of the list in a page', (browser) => {
  const api = useTestApi();
  let site: Server;
  let origin: string;
  let html: string;
  let token: string;

  beforeAll(async () => {
    const { db } = api;
    site = createServer((_request, response) => response.setHeader('content-type', 'text/html').end(html));
    origin = `http://localhost:${await listen(site, 'localhost')}`;
    const tenant = await givenTenant(db, { status: 'trial' });
    ({ token } = await givenWidgetToken(db, tenant, { origins: [origin], dev: true }));
    const full = await givenTour(db, {
      name: 'A tour with a name that takes three lines in a narrow card of the list',
    });
    const summary =
      'Two lines of text below the name of the tour, which the other cards of the row do not have.';
    await db('tours').where({ id: full.id }).update({ summary, image_url: '/covers/ha-long-bay-cruise.svg' });
    const cancellation = { tiers: [{ until: '3d', refund_percent: 100 }] };
    const bare = await givenTour(db, { name: 'Bare', cancellation });
    await db('tours').where({ id: bare.id }).update({ summary: null, image_url: null });
    for (const tour of [full, bare]) await givenDeparture(db, tour);
  });
  afterAll(() => new Promise((resolve) => (site.closeAllConnections(), site.close(resolve))));

  const visit = async (theme: string, look: (page: Page) => Promise<void>) => {
    const script = `<script async src="${api.baseUrl}/embed/widget.js" data-token="${token}" data-theme="${theme}"></script>`;
    html = `<!doctype html><title>A site</title><body style="margin: 0; background: rgb(43, 29, 20)">${script}</body>`;
    const page = await browser().newPage({ viewport: { width: 900, height: 700 } });
    await page.goto(origin);
    await page.frameLocator('iframe').locator('.tour').nth(1).waitFor();
    await look(page);
    await page.close();
  };

  it.each(['light', 'dark'])(
    'the list has the background of the page up to its edges, in the %s theme',
    async (theme) => {
      await visit(theme, async (page) => {
        const list = (await page.locator('iframe').boundingBox())!;
        const card = (await page.frameLocator('iframe').locator('.tour').first().boundingBox())!;
        expect(card.x).toBe(list.x);
        const right = { x: list.width - 8, y: list.y + 4, width: 4, height: 4 };
        const below = { x: 400, y: list.y + list.height + 10, width: 4, height: 4 };
        const pixels = async (clip: typeof right) => (await page.screenshot({ clip })).toString('base64');
        expect(await pixels(right)).toBe(await pixels(below));
      });
    },
  );

  it('the cards, the pictures and the facts of a row are equally high', async () => {
    await visit('light', async (page) => {
      const cards = page.frameLocator('iframe').locator('.tour');
      const box = async (index: number, part: string) =>
        (await cards.nth(index).locator(part).boundingBox())!;
      const [full, bare] = [(await cards.nth(0).boundingBox())!, (await cards.nth(1).boundingBox())!];
      expect([bare.y, bare.height]).toEqual([full.y, full.height]);
      expect((await box(1, '.picture')).height).toBeCloseTo((await box(0, '.picture')).height, 0);
      expect((await box(1, '.facts')).y).toBeCloseTo((await box(0, '.facts')).y, 0);
    });
  });
});

import type { BrowserContextOptions, Page } from 'playwright-core';
import type { TenantToCreate } from '../../../services/api/tenants/manage-tenants';
import { useTestApi } from '../../support/api';
import { violationsOf } from '../../support/axe';
import { describeInChromium } from '../../support/browsers';
import { givenDeparture, givenTenant, givenTour } from '../../support/given';
import { givenWidgetToken } from '../given-widget';
import { LONG_NAMES } from './long-names';

interface Case {
  title: string;
  query?: Record<string, string>;
  tenant?: Partial<TenantToCreate>;
  device?: BrowserContextOptions;
}

const DARK = { colorScheme: 'dark' } as const;
const PHONE = { viewport: { width: 320, height: 640 } };
const CASES: Case[] = [
  { title: 'a light list' },
  { title: 'a dark list', device: DARK },
  { title: 'a light list in the dark', query: { theme: 'light' }, device: DARK },
  { title: 'a filtered page in Arabic', query: { lang: 'ar', continent: 'asia', limit: '2' } },
  { title: 'a phone of 320 pixels', device: PHONE },
  { title: 'no tour found', query: { q: 'atlantis', continent: 'asia' } },
  { title: 'nothing found, in the dark', query: { q: 'atlantis', theme: 'dark' } },
  { title: 'a refusal', query: { token: 'x' } },
  { title: 'a refusal that may be tried again', query: { cursor: 'x' }, device: DARK },
  { title: 'a yellow tenant', tenant: { brandColor: '#facc15', brandRadius: 0 } },
  { title: 'a navy tenant in the dark', tenant: { brandColor: '#0f172a' }, device: DARK },
  { title: 'a white tenant', tenant: { brandColor: '#ffffff', brandFont: 'Noto Serif' } },
  { title: 'a grey tenant in the dark', tenant: { brandColor: '#777777' }, device: DARK },
];

describeInChromium('the accessibility of the embed page', (browser) => {
  const api = useTestApi();
  beforeAll(async () => {
    const { db } = api;
    for (const { name, summary } of LONG_NAMES) {
      const tour = await givenTour(db, { name });
      await db('tours').where({ id: tour.id }).update({ summary });
      await givenDeparture(db, tour);
    }
  });

  const visit = async ({ query, tenant, device }: Case, look: (page: Page) => Promise<void>) => {
    const { db } = api;
    const links = { linkTemplate: 'https://shop.example.com/{slug}' };
    const { token } = await givenWidgetToken(db, await givenTenant(db, { ...links, ...tenant }));
    const context = await browser().newContext({ reducedMotion: 'reduce', ...device });
    const page = await context.newPage();
    const parameters = new URLSearchParams({ token, ...query }).toString();
    await page.goto(`${api.baseUrl}/embed/tours?${parameters}`);
    await look(page);
    await context.close();
  };
  it.each(CASES)('axe finds no issue in $title', async (one) => {
    await visit(one, async (page) => expect(await violationsOf(page)).toEqual([]));
  });

  it('axe finds no issue in the loading state and the failure of the list', async () => {
    await visit({ title: '', query: { limit: '2' } }, async (page) => {
      let lose = () => {};
      await page.route(/pass=/, async (route) => {
        await new Promise<void>((resolve) => (lose = resolve));
        await route.abort();
      });
      await page.getByRole('link', { name: 'More tours' }).click();
      await page.locator('#results .bone').first().waitFor();
      expect(await violationsOf(page)).toEqual([]);
      lose();
      await page.getByRole('link', { name: 'Try again' }).waitFor();
      expect(await violationsOf(page)).toEqual([]);
    });
  });

  it('the page is never wider than its frame, whatever the names of tours', async () => {
    await visit({ title: '', device: PHONE }, async (page) => {
      expect(await page.evaluate<unknown>('document.documentElement.scrollWidth')).toBe(320);
    });
  });

  it('each element that the Tab key reaches shows the focus', async () => {
    await visit({ title: '', query: { limit: '1' } }, async (page) => {
      const stops: unknown[] = [];
      for (let n = 0; n < 6; n++) {
        await page.keyboard.press('Tab');
        stops.push(await page.evaluate<unknown>(FOCUS));
      }
      expect(stops).toEqual([
        ['INPUT', true],
        ['BUTTON', true],
        ['A', true],
        ['A', true],
        ['A', true],
        ['A', true],
      ]);
    });
  });
});

/** Returns the focused element, and whether an outline surrounds the element, its form or its area on the card. */
const FOCUS = `(() => {
  const focused = document.activeElement;
  const form = focused.closest('.search') ?? focused;
  const styles = [getComputedStyle(focused), getComputedStyle(form), getComputedStyle(focused, '::after')];
  return [focused.tagName, styles.some((style) => parseFloat(style.outlineWidth) >= 2 && style.outlineStyle === 'solid')];
})()`;

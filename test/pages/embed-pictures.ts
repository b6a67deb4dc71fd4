import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { foldName } from '../../services/platform/forms/fold-name';
import type { TenantToCreate } from '../../services/api/tenants/manage-tenants';
import { startTestApi, type TestApi } from '../support/api';
import { givenDeparture, givenTenant, givenTour } from '../support/given';
import { givenShowcase } from '../widget/browser/given-showcase';
import { LONG_NAMES } from '../widget/browser/long-names';
import { givenWidgetToken } from '../widget/given-widget';
import { savePicture } from './save-picture';

const LOGO = readFileSync(path.join(__dirname, '../widget/browser/logo.svg'));
const LOGO_ADDRESS = 'https://shop.example.com/logo.svg';
const LINKS = { linkTemplate: 'https://shop.example.com/tours/{slug}' };
const HEIGHT = 'Math.ceil(document.documentElement.getBoundingClientRect().height)';
const WIDE = { width: 960, height: 640 };
const PHONE = { width: 390, height: 844 };

interface Shot {
  name: string;
  tenant?: Partial<TenantToCreate>;
  query?: Record<string, string>;
  device?: BrowserContextOptions;
  /** Height of the screenshot; by default the whole page. */
  height?: number;
  /** Actions of the visitor before the screenshot. */
  act?: (page: Page) => Promise<void>;
}

const SHOTS: Shot[] = [
  { name: 'light', query: { limit: '3' } },
  { name: 'dark', query: { limit: '3' }, device: { colorScheme: 'dark' } },
  { name: 'phone', query: { limit: '3' }, device: { viewport: PHONE }, height: 844 },
  { name: 'arabic', query: { limit: '3', lang: 'ar' } },
  { name: 'japanese', query: { limit: '3', lang: 'ja', continent: 'europe' } },
  {
    name: 'loading',
    query: { limit: '3' },
    height: 560,
    act: async (page) => {
      await page.route(/pass=/, () => {});
      await page.getByRole('link', { name: 'Oceania' }).focus();
      await page.keyboard.press('Enter');
      await page.locator('.bone').first().waitFor();
    },
  },
  { name: 'empty', query: { q: 'atlantis', continent: 'europe' } },
  { name: 'error', query: { token: 'svc_widget_of_yesterday', lang: 'en' } },
  { name: 'long-names', query: { q: 'longname', limit: '6' } },
  {
    name: 'branded',
    query: { limit: '3' },
    tenant: {
      brandColor: '#facc15',
      brandLogo: LOGO_ADDRESS,
      brandRadius: 4,
      brandFont: 'Noto Serif, serif',
    },
  },
  {
    name: 'branded-dark',
    query: { limit: '3', theme: 'dark' },
    tenant: { brandColor: '#1e1b4b', brandLogo: LOGO_ADDRESS, brandRadius: 20 },
  },
];

/** Takes the pictures of the embed page. */
export async function takeEmbedPictures(browser: Browser): Promise<void> {
  const api = await startTestApi();
  try {
    await givenTours(api);
    for (const shot of SHOTS) await take(api, browser, shot);
  } finally {
    await api.stop();
  }
}

async function givenTours(api: TestApi): Promise<void> {
  const { db } = api;
  await givenShowcase(db);
  for (const [index, { name, summary }] of LONG_NAMES.entries()) {
    const tour = await givenTour(db, { name, basePriceMinor: 10 ** (4 + index) });
    await db('tours')
      .where({ id: tour.id })
      .update({ summary, name_folded: foldName(`longname ${name}`) });
    if (index % 2 === 0) await givenDeparture(db, tour);
  }
}

async function take(api: TestApi, browser: Browser, shot: Shot): Promise<void> {
  const { name, tenant, query, device, height, act } = shot;
  const { db } = api;
  const { token } = await givenWidgetToken(db, await givenTenant(db, { ...LINKS, ...tenant }));
  const context = await browser.newContext({ viewport: WIDE, locale: 'en-GB', ...device });
  const page = await context.newPage();
  await page.route(LOGO_ADDRESS, (route) => route.fulfill({ body: LOGO, contentType: 'image/svg+xml' }));
  const address = new URL('/embed/tours', api.baseUrl);
  for (const [key, value] of Object.entries({ token, ...query })) address.searchParams.set(key, value);
  await page.goto(address.href);
  // Lazy pictures are loaded when they come near.
  const whole = await page.evaluate<number>(HEIGHT);
  await page.setViewportSize({ width: device?.viewport?.width ?? WIDE.width, height: height ?? whole });
  await page.waitForLoadState('networkidle');
  await act?.(page);
  await page.waitForTimeout(400);
  await savePicture(page, `embed-${name}`);
  await context.close();
}

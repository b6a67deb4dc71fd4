import type { Browser, BrowserContext, Page } from 'playwright-core';
import type { WidgetToken } from '../../../services/api/credentials/credential';
import { type ApiProcess, startApiProcess } from '../../support/api-process';
import { startChromium } from '../../support/browsers';
import { createTestDatabase, type TestDatabase } from '../../support/database';
import { givenDeparture, givenTenant, givenTour } from '../../support/given';
import { givenWidgetToken } from '../given-widget';
import { API, type Hosts, startHosts } from './two-hosts';

/** The host that the widget token lists, and one that it does not list. */
export const SHOP = 'shop.example';
export const OTHER = 'evil.example';
export const ALLOWED = `https://${SHOP}`;

/** An API, sites on their own hosts, and a browser with a new page for each test. Its fields are set before the first test. */
export interface WidgetSite {
  database: TestDatabase;
  api: ApiProcess;
  hosts: Hosts;
  browser: Browser;
  context: BrowserContext;
  page: Page;
  token: string;
  issued: WidgetToken;
  /** The lines of the console and the errors of the page. */
  complaints: string[];
  /** Returns the snippet with more attributes, or with another version of the loader. */
  script(attributes?: string, file?: string): string;
  /** Publishes a page with this body, and opens it. */
  visit(body: string, host?: string, headers?: Record<string, string>): Promise<void>;
  /** Opens a page whose whole text is `html`. */
  open(html: string, host?: string, headers?: Record<string, string>): Promise<void>;
  /** Resolves when the nth frame of the page shows a tour. */
  untilShown(nth?: number): Promise<void>;
}

/** Starts the site before the tests of a block, with two tours and a token of SHOP. */
export function useWidgetSite(): WidgetSite {
  const site = {
    script: (attributes = '', file = 'widget.js') =>
      `<script async src="${API}/embed/${file}" data-token="${site.token}" ${attributes}></script>`,
    open: async (html, host = SHOP, headers = {}) => {
      site.hosts.publish(host, html, headers);
      await site.page.goto(`https://${host}/`);
    },
    visit: (body, host, headers) =>
      site.open(`<!doctype html><title>A site</title><body>${body}</body>`, host, headers),
    untilShown: (nth = 0) => site.page.frameLocator('iframe').nth(nth).locator('.tour h2').first().waitFor(),
  } as WidgetSite;
  beforeAll(async () => {
    site.database = await createTestDatabase();
    const { db } = site.database;
    const tenant = await givenTenant(db);
    for (const name of ['Alpine Walk', 'Baltic Sail'])
      await givenDeparture(db, await givenTour(db, { name }));
    const { token, credential } = await givenWidgetToken(db, tenant, { origins: [ALLOWED] });
    site.token = token;
    site.issued = credential;
    site.api = await startApiProcess(site.database.url, { PUBLIC_BASE_URL: API, LOG_LEVEL: 'debug' });
    site.hosts = await startHosts(site.api.baseUrl);
    site.browser = await startChromium([site.hosts.resolverRules]);
  }, 90_000);
  afterAll(async () => {
    await site.browser?.close();
    await site.hosts?.stop();
    await site.api?.stop();
    await site.database?.drop();
  });
  beforeEach(async () => {
    await renew(site, {});
  });
  afterEach(() => site.context.close());
  return site;
}

/** Replaces the page of a site by one of a new context, such as one without JavaScript. */
export async function renew(site: WidgetSite, options: { javaScriptEnabled?: boolean }): Promise<void> {
  await site.context?.close();
  site.context = await site.browser.newContext({ ignoreHTTPSErrors: true, ...options });
  site.page = await site.context.newPage();
  site.complaints = [];
  site.page.on('console', (message) => site.complaints.push(message.text()));
  site.page.on('pageerror', (error) => site.complaints.push(String(error)));
}

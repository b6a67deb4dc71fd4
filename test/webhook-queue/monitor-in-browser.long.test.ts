import type { Page } from 'playwright-core';
import { violationsOf } from '../support/axe';
import { describeInChromium } from '../support/browsers';
import { useTestMonitor } from './monitor-fixture';
import { add, book, createTenant } from './queue-fixture';

describeInChromium('the monitoring page in a browser', (browser) => {
  const monitor = useTestMonitor();
  const ids: { endpoint?: string; delivery?: string } = {};
  beforeAll(async () => {
    const { db } = monitor;
    const tenant = await createTenant(db);
    ids.endpoint = (await add(db, tenant, 'https://hooks.example/in')).id;
    await book(db, tenant);
    ids.delivery = (await db('webhook_deliveries').first<{ id: string }>('id')).id;
  });

  const visit = async (path: string, look: (page: Page) => Promise<void>, colorScheme: 'light' | 'dark') => {
    const { cookie } = await monitor.signIn();
    const context = await browser().newContext({ colorScheme, bypassCSP: true });
    const [name, value] = cookie.split('=') as [string, string];
    await context.addCookies([{ name, value, url: monitor.url }]);
    const page = await context.newPage();
    const failed: string[] = [];
    page.on('response', (response) => void (response.status() >= 400 && failed.push(response.url())));
    await page.goto(monitor.url + path);
    await look(page);
    expect(failed).toEqual([]);
    await context.close();
  };

  const PAGES: [page: string, path: () => string, colorScheme: 'light' | 'dark'][] = [
    ['the overview', () => '/', 'light'],
    ['the endpoints', () => '/endpoints', 'dark'],
    ['an endpoint', () => `/endpoints/${ids.endpoint}`, 'light'],
    ['the deliveries', () => '/deliveries', 'dark'],
    ['the deliveries with a filter', () => `/deliveries?endpoint=${ids.endpoint}&code=x`, 'light'],
    ['a delivery', () => `/deliveries/${ids.delivery}`, 'light'],
    ['the replay', () => '/replay?status=delivered&since=2020-01-01', 'dark'],
    ['the sign-in', () => '/sign-in', 'light'],
  ];

  it.each(PAGES)('axe finds no issue in %s', async (_page, path, colorScheme) => {
    await visit(path(), async (page) => expect(await violationsOf(page)).toEqual([]), colorScheme);
  });
});

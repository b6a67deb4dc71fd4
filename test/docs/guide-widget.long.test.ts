import { createServer, type Server } from 'node:http';
import type { Page } from 'playwright-core';
import { LOADERS } from '../../services/api/widget/published-scripts';
import { type ApiProcess, startApiProcess } from '../support/api-process';
import { describeInChromium } from '../support/browsers';
import { createTestDatabase, type TestDatabase } from '../support/database';
import { givenDeparture, givenTenant, givenTour } from '../support/given';
import { listen } from '../support/listen';
import { givenWidgetToken } from '../widget/given-widget';
import { eventually } from '../webhook-queue/queue-fixture';
import { folderWith, runProgram, snippets } from './guide';

describeInChromium('the snippets of the widget in the guide', (browser) => {
  let database: TestDatabase;
  let api: ApiProcess;
  let site: Server;
  let origin: string;
  let html: string;
  let policy: string;
  let token: string;
  let page: Page;
  beforeAll(async () => {
    database = await createTestDatabase();
    const tenant = await givenTenant(database.db, { status: 'trial' });
    await givenDeparture(database.db, await givenTour(database.db));
    site = createServer((_, response) => {
      response.writeHead(200, { 'Content-Type': 'text/html', 'Content-Security-Policy': policy });
      response.end(`<!doctype html><title>A site</title><body>${html}</body>`);
    });
    origin = `http://localhost:${await listen(site, 'localhost')}`;
    ({ token } = await givenWidgetToken(database.db, tenant, { origins: [origin], dev: true }));
    api = await startApiProcess(database.url);
  }, 60_000);
  afterAll(async () => {
    site.close();
    await api.stop();
    await database.drop();
  });
  beforeEach(async () => void (page = await browser().newPage()));
  afterEach(() => page.close());

  /** Replaces address and token, as a reader would. */
  const filledIn = (snippet: string) =>
    snippet.replaceAll('http://127.0.0.1:3000', api.baseUrl).replaceAll('svc_widget_…', token);

  async function visit(snippet: string) {
    html = filledIn(snippet);
    await page.goto(origin);
  }

  const shown = () => page.frameLocator('iframe').getByText('Hà Long Bay Cruise').first().waitFor();
  const [simple, element, pinned, frame] = snippets('html', 'widget') as [string, string, string, string];

  it.each([
    ['the script', simple],
    ['the frame', frame],
  ])(
    '%s shows the tours under a content security policy with only the permissions of the guide',
    async (_, snippet) => {
      policy = `default-src 'none'; script-src ${api.baseUrl}; frame-src ${api.baseUrl}; style-src 'unsafe-inline'`;
      await visit(snippet);
      await expect(shown()).resolves.toBeUndefined();
    },
  );

  it('the element of the widget shows the tours, and sends the events for its height and first display', async () => {
    policy = '';
    const said: string[] = [];
    page.on('console', (message) => said.push(message.text()));
    await visit(element);
    await shown();
    await eventually(
      'both events',
      () => (said.includes('shown') && said.some((one) => /^height \d+$/.test(one))) || undefined,
    );
    expect(said).toContain('shown');
  });

  it('a browser accepts the version with the hash that the guide computes', async () => {
    policy = '';
    const [script] = snippets('sh', 'widget').map(filledIn);
    const { stdout, stderr } = await runProgram('bash', ['--norc', '-euo', 'pipefail', '-c', script!], {
      cwd: await folderWith({}),
    });
    expect({ stdout, stderr }).toEqual({
      stdout: `integrity="${LOADERS[0].integrity}"\n`,
      stderr: '',
    });
    await visit(pinned.replace('integrity="sha384-…"', stdout.trim()));
    await expect(shown()).resolves.toBeUndefined();
  });
});

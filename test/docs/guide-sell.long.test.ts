import { type ChildProcess, spawn } from 'node:child_process';
import { mkdir, mkdtemp, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { Page } from 'playwright-core';
import { ELEMENTS } from '../../services/api/widget/published-scripts';
import type { Tenant } from '../../services/api/tenants/tenant';
import { type ApiProcess, startApiProcess } from '../support/api-process';
import { describeInChromium } from '../support/browsers';
import { type QueueProcess, startQueueProcess } from '../support/queue-process';
import { createTestDatabase, type TestDatabase } from '../support/database';
import { describeWith, isInstalled } from '../support/describe-with';
import { freePorts } from '../support/free-ports';
import { givenDeparture, givenKey, givenTenant, type GivenTour, givenTour } from '../support/given';
import { checkoutOfClient } from '../support/packed-client';
import { useTemporaryFolder } from '../support/temporary-folder';
import { fillContact } from '../element/visit';
import { givenWidgetToken } from '../widget/given-widget';
import { eventually } from '../webhook-queue/queue-fixture';
import { runProgram, snippets } from './guide';

const ROOT = path.resolve(__dirname, '../..');
const FOLDER = useTemporaryFolder();
const [PLATFORM, INSTALL, REGISTER, START, COPY] = snippets('sh', 'sell-on-your-page') as [
  string,
  string,
  string,
  string,
  string,
];
const [SERVER] = snippets('js', 'sell-on-your-page') as [string];
const [PAGE, LISTENER, STYLE, FALLBACK, LIST] = snippets('html', 'sell-on-your-page') as [
  string,
  string,
  string,
  string,
  string,
];

const SECRETS_KEY = 's'.repeat(32);
const TOURCTL = path.join(ROOT, 'cli/tourctl.js');
/** Returns the variables before a command, such as `A=on npm start`. */
const environmentOf = (command: string) =>
  Object.fromEntries([...command.matchAll(/([A-Z_]+)=(\S+)/g)].map(([, name, value]) => [name!, value!]));

/** The lines of code that a newcomer writes. */
const linesOf = (code: string) =>
  code.split('\n').filter((line) => line.trim() !== '' && !/^(\/\/|<!-- )/.test(line));

it('the site of the guide, with its payment and its webhooks, has at most 30 lines of code', () => {
  expect(linesOf(SERVER).length + linesOf(PAGE).length).toBeLessThanOrEqual(30);
});

it('the page of the guide defines each variable that its commands and its server use', () => {
  const defined = (text: string) => [...text.matchAll(/\b([A-Z_]{3,})=/g)].map(([, name]) => name);
  const commands = [PLATFORM, INSTALL, REGISTER, START, COPY];
  const used = commands.flatMap((text) => [...text.matchAll(/\$([A-Z_]+)/g)].map(([, name]) => name));
  const inServer = /const \{ ([^}]+) \} = process\.env/.exec(SERVER)![1]!.split(', ');
  const known = ['PWD', ...commands.flatMap(defined)];
  expect([...used, ...inServer].filter((name) => !known.includes(name))).toEqual([]);
});

describeInChromium('the site of the guide', (browser) => {
  let database: TestDatabase;
  let api: ApiProcess;
  let queue: QueueProcess;
  let tenant: Tenant;
  let tour: GivenTour;
  let folder: string;
  let port: number;
  let site: ChildProcess;
  /** The output of the site. */
  let said = '';
  let page: Page;

  /** Replaces the addresses and names of the guide by those of the test. */
  const ofTest = (text: string) =>
    text
      .replaceAll('http://127.0.0.1:3000', api.baseUrl)
      .replaceAll('ha-long-bay-cruise', tour.slug)
      .replace('4000', `${port}`)
      .replace('webhook add demo', `webhook add ${tenant.slug}`);
  const publish = (name: string, ...blocks: string[]) =>
    writeFile(path.join(folder, 'my-site/public', name), ofTest(blocks.join('\n')));

  beforeAll(async () => {
    database = await createTestDatabase();
    api = await startApiProcess(database.url, { SECRETS_KEY });
    queue = await startQueueProcess(database.url, { SECRETS_KEY, ...environmentOf(PLATFORM) });
    tenant = await givenTenant(database.db, { status: 'trial' });
    tour = await givenTour(database.db, { name: 'A Cruise' });
    await givenDeparture(database.db, tour, { prices: { adult: 50_000, child: 20_000 } });
    [port] = await freePorts();
    folder = await mkdtemp(path.join(FOLDER, 'newcomer-'));
  }, 120_000);
  afterAll(async () => {
    site?.kill('SIGKILL');
    queue?.kill();
    await api.stop();
    await database.drop();
  });
  beforeEach(async () => {
    page = await browser().newPage({ locale: 'en-GB' });
  });
  afterEach(() => page.close());

  it('the commands of the guide install the packages and start the site', async () => {
    const { checkout, packageJson } = await checkoutOfClient(folder);
    await symlink(checkout, path.join(folder, 'tour-platform'));
    // Finds express among the packages of the checkout, because npm reaches no registry here.
    await symlink(path.join(ROOT, 'node_modules'), path.join(folder, 'node_modules'));
    await mkdir(path.join(folder, 'my-site'));
    await writeFile(path.join(folder, 'my-site/package.json'), packageJson);
    const offline = { npm_config_offline: 'true', npm_config_audit: 'false', npm_config_fund: 'false' };
    const install = INSTALL.replace('install express ', 'install ');
    const { code, stderr } = await runProgram('bash', ['--norc', '-euc', install], {
      cwd: folder,
      env: offline,
    });
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });

    await writeFile(path.join(folder, 'my-site/site.mjs'), ofTest(SERVER));
    await publish('index.html', PAGE);
    const register = ofTest(REGISTER).replace('"$CHECKOUT/cli/tourctl.js"', `'${TOURCTL}'`);
    const start = ofTest(START).replace('svc_live_…', await givenKey(database.db, tenant));
    const commands = `${register}\n${start.replace('node site', 'exec node site')}`;
    site = spawn('bash', ['--norc', '-euc', commands], {
      cwd: path.join(folder, 'my-site'),
      env: { ...process.env, DATABASE_URL: database.url, SECRETS_KEY },
    });
    for (const stream of [site.stdout!, site.stderr!])
      stream.on('data', (chunk: Buffer) => (said += chunk.toString()));
    await eventually('the site', () => fetch(`http://127.0.0.1:${port}`).catch(() => undefined));
  }, 120_000);

  const hold = async () => {
    await page.locator('[part=day]:not([aria-disabled=true])').first().click();
    await page.getByRole('button', { name: 'Child: +1' }).click();
    await page.getByRole('button', { name: 'Hold the seats' }).click();
  };
  const book = async () => {
    await fillContact(page);
    await page.getByRole('button', { name: /^Book for/ }).click();
  };

  it('a visitor of the page of the guide books and pays, and the site verifies the webhooks of both', async () => {
    await page.goto(`http://127.0.0.1:${port}`);
    await hold();
    await book();
    await page.waitForURL('**/pay?booking_ref=*');
    const [, reference] = /^Booking (\S+): pending_payment\s+Pay [\d.]+ EUR$/.exec(
      (await page.innerText('body')).trim(),
    )!;
    expect(page.url()).toContain(reference);
    await page.getByRole('button', { name: 'Pay' }).click();
    await page.getByText(`Booking ${reference}: confirmed`).waitFor();
    for (const event of ['booking.created', 'booking.confirmed']) {
      const line = new RegExp(`^Verified msg_\\S+ ${event} ${reference}$`, 'm');
      await eventually(event, () => line.test(said) || undefined);
    }
    const forged = { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: '{}' };
    expect((await fetch(`http://127.0.0.1:${port}/webhooks`, forged)).ok).toBe(false);
  });

  it('a page that listens to tour-booked as in the guide keeps its visitor', async () => {
    await publish('listens.html', PAGE, LISTENER, STYLE);
    const lines: string[] = [];
    page.on('console', (message) => lines.push(message.text()));
    await page.goto(`http://127.0.0.1:${port}/listens.html`);
    await hold();
    const style =
      'getComputedStyle(document.querySelector("tour-booking").shadowRoot.querySelector("[part=button]")).textTransform';
    expect(await page.evaluate(style)).toBe('uppercase');
    await book();
    await page.getByText('Your seats are booked').waitFor();
    expect(lines).toEqual([expect.stringMatching(/^booked \S+-\d+ 700 EUR$/)]);
    expect(page.url()).toContain('/listens.html');
  });

  describeWith(
    'curl openssl',
    'the copy of the guide',
    () => {
      it('the copy of the guide runs by its hash under a policy that allows own scripts only', async () => {
        const commands = ofTest(COPY);
        const { code, stdout, stderr } = await runProgram('bash', ['--norc', '-euc', commands], {
          cwd: path.join(folder, 'my-site'),
        });
        expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
        expect(stdout).toContain(`integrity="${ELEMENTS[0].integrity}"`);
        const policy = `<meta http-equiv="Content-Security-Policy" content="default-src 'none'; script-src 'self'; connect-src 'self'">`;
        await publish('strict.html', '<!doctype html>', policy, stdout, FALLBACK);
        await page.goto(`http://127.0.0.1:${port}/strict.html`);
        await page.getByRole('grid').waitFor();
        expect(await page.getByText('Book by phone').isVisible()).toBe(false);
      });

      it('the content of the tag is shown without JavaScript', async () => {
        const context = await browser().newContext({ javaScriptEnabled: false });
        const plain = await context.newPage();
        await plain.goto(`http://127.0.0.1:${port}/strict.html`);
        expect(await plain.getByText('Book by phone').isVisible()).toBe(true);
        await context.close();
      });
    },
    isInstalled('curl') && isInstalled('openssl'),
  );

  it('a card of the list opens the element on the same page', async () => {
    const origin = `http://localhost:${port}`;
    const { token } = await givenWidgetToken(database.db, tenant, { origins: [origin], dev: true });
    await database
      .db('tenants')
      .where({ id: tenant.id })
      .update({ link_template: `${origin}/list.html#{slug}` });
    await publish('list.html', '<!doctype html>', LIST.replace('svc_widget_…', token));
    await page.goto(`${origin}/list.html`);
    await page.frameLocator('tour-list iframe').getByRole('link', { name: 'A Cruise' }).click();
    await page.waitForURL('**/list.html#*');
    await page.getByRole('grid').waitFor();
    expect(page.url()).toBe(`${origin}/list.html#${tour.slug}`);
  });
});

import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { inTransaction } from '../../services/platform/database/database';
import { addEndpoint } from '../../services/webhook-queue/endpoints/add-endpoint';
import { type ApiProcess, startApiProcess } from '../support/api-process';
import { createTestDatabase, type TestDatabase } from '../support/database';
import { freePorts } from '../support/free-ports';
import {
  daysFromToday,
  givenDeparture,
  givenKey,
  givenTenant,
  type GivenTour,
  givenTour,
} from '../support/given';
import { CLIENT } from '../support/packed-client';
import { type QueueProcess, startQueueProcess } from '../support/queue-process';
import { SHOP_SOURCE, type ShopProcess, startShop } from '../support/shop-process';
import { useTemporaryFolder } from '../support/temporary-folder';
import { VisitorBrowser } from '../client/proxy-fixture';
import { eventually } from '../webhook-queue/queue-fixture';
import { runProgram } from './guide';

const ROOT = path.resolve(__dirname, '../..');
const FOLDER = useTemporaryFolder();
const SECRETS_KEY = 's'.repeat(32);
const CUSTOMER = { name: 'Ana Lima', phone: '+49 30 901820', email: 'ana@example.com' };

let database: TestDatabase;
let api: ApiProcess;
let queue: QueueProcess;
let shop: ShopProcess;
let address: string;
let date: string;
let tour: GivenTour;

/** Starts the platform and the shop like the README of the example. */
beforeAll(async () => {
  database = await createTestDatabase();
  api = await startApiProcess(database.url);
  queue = await startQueueProcess(database.url, { WEBHOOK_ALLOW_PRIVATE_TARGETS: 'on', SECRETS_KEY });
  const [port] = await freePorts();
  address = `http://127.0.0.1:${port}`;
  const tenant = await givenTenant(database.db);
  tour = await givenTour(database.db, { name: 'A <b>Bay</b> & an Isle' });
  date = await givenDeparture(database.db, tour, { date: daysFromToday(30), prices: { adult: 50_000 } });
  const wanted = {
    tenantId: tenant.id,
    url: `${address}/webhooks`,
    allowPrivateTargets: true,
    events: ['booking.created', 'booking.confirmed'],
  };
  const { secret } = await inTransaction(database.db, (trx) => addEndpoint(trx, SECRETS_KEY, wanted));
  const key = await givenKey(database.db, tenant);
  shop = await startShop(FOLDER, { api: api.baseUrl, key, webhookSecret: secret, port });
}, 180_000);
afterAll(async () => {
  await shop.stop();
  queue.kill();
  await api.stop();
  await database.drop();
});

/** Returns a request of a visitor's page, with the cookies of the visitor. */
const visit = (pathname: string, visitor?: VisitorBrowser, init: RequestInit = {}) =>
  fetch(address + pathname, { redirect: 'manual', ...init, headers: { cookie: visitor?.cookie ?? '' } });

/** Holds two seats and books them, as the element does. */
async function buy(): Promise<{ visitor: VisitorBrowser; booking: { booking_ref: string; status: string } }> {
  const visitor = new VisitorBrowser(`${address}/tours`);
  await visitor.send('POST', '/hold', { tour_id: tour.slug, departure_date: date, party: { adult: 2 } });
  const { status, body } = await visitor.send('POST', '/booking', { ...CUSTOMER, expected_total: 1000 });
  expect([status, body.status]).toEqual([201, 'pending_payment']);
  return { visitor, booking: body };
}

const statusOf = async ({ booking_ref }: { booking_ref: string }) =>
  (
    await database
      .db('booking_leads')
      .where({ id: Number(booking_ref.split('-').at(-1)) })
      .first('status')
  ).status;

describe('the example of a tenant’s website', () => {
  it('the example of a tenant’s website has at most 60 lines of source', () => {
    const folder = path.join(SHOP_SOURCE, 'src');
    const lines = readdirSync(folder).map(
      (file) => readFileSync(path.join(folder, file), 'utf8').trimEnd().split('\n').length,
    );
    expect(lines.reduce((sum, count) => sum + count)).toBeLessThanOrEqual(60);
  });

  it('the list of the example links to each tour, and escapes its name', async () => {
    const html = await (await visit('/')).text();
    expect(html).toContain(
      `<a href="/trips/${tour.slug}">A &#60;b&#62;Bay&#60;/b&#62; &#38; an Isle</a> from €500.00`,
    );
  });

  it('the page of a tour has the element, and its policy allows the scripts of the platform only', async () => {
    const response = await visit(`/trips/${tour.slug}`);
    const html = await response.text();
    expect(html).toContain(`<tour-booking tour="${tour.slug}" api="/tours" next="/pay">`);
    expect(html).toContain(`<script type="module" src="${api.baseUrl}/embed/booking.v1.js"></script>`);
    const policy = `default-src 'self'; script-src ${api.baseUrl}; img-src *`;
    expect(response.headers.get('content-security-policy')).toBe(policy);
  });

  it('a visitor books through the proxy, pays once, and the events arrive', async () => {
    const { visitor, booking } = await buy();
    const asked = await visit('/pay', visitor);
    expect(asked.headers.get('cache-control')).toBe('no-store');
    expect(await asked.text()).toMatch(
      new RegExp(`Booking ${booking.booking_ref}.*<button>Pay €1,000\\.00`, 's'),
    );

    const pay = `/pay?ref=${booking.booking_ref}`;
    expect((await visit('/pay?ref=ACME-1', visitor, { method: 'POST' })).status).toBe(303);
    expect(await statusOf(booking)).toBe('pending_payment');
    const paid = await visit(pay, visitor, { method: 'POST' });
    expect([paid.status, paid.headers.get('location')]).toEqual([303, '/pay']);
    expect(await (await visit('/pay', visitor)).text()).toContain('It is confirmed.');
    expect(await statusOf(booking)).toBe('confirmed');
    expect((await visit(pay, visitor, { method: 'POST' })).status).toBe(303);
    for (const type of ['booking.created', 'booking.confirmed']) {
      await eventually(`the event ${type}`, () =>
        Promise.resolve(
          shop.output().includes(`event_type: '${type}'`) && shop.output().includes(booking.booking_ref)
            ? true
            : undefined,
        ),
      );
    }
  });

  it('a visitor without a booking, or with the cookie of another site, sees and pays nothing', async () => {
    const { booking } = await buy();
    expect((await visit('/pay')).headers.get('location')).toBe('/');
    const pay = `/pay?ref=${booking.booking_ref}`;
    expect((await visit(pay, undefined, { method: 'POST' })).headers.get('location')).toBe('/pay');
    const forged = { cookie: `tour_visitor=${booking.booking_ref}.x` } as VisitorBrowser;
    expect((await visit(pay, forged, { method: 'POST' })).headers.get('location')).toBe('/pay');
    expect(await statusOf(booking)).toBe('pending_payment');
  });

  it('a page that does not exist is 404, and no answer has the key or a stack', async () => {
    for (const [pathname, status] of [
      ['/trips/nowhere', 404],
      ['/trips/%E0%A4%A', 400],
      ['/tours/nothing', 404],
    ] as const) {
      const response = await visit(pathname);
      expect(response.status).toBe(status);
      const body = await response.text();
      expect(body).not.toContain(shop.environment.KEY);
      expect(body).not.toMatch(/node_modules|Error/);
    }
    expect(shop.complaints() + shop.output()).not.toContain(shop.environment.KEY);
  });

  it('the receiver refuses a webhook that the platform has not signed, and one without a body', async () => {
    const post = async (init: RequestInit) =>
      (await fetch(`${address}/webhooks`, { method: 'POST', ...init })).status;
    const body = JSON.stringify({ event_type: 'booking.created', booking_ref: 'EVIL-1', external_ref: 'x' });
    expect(await post({ body, headers: { 'Content-Type': 'application/json' } })).toBe(401);
    expect(await post({})).toBe(401);
    expect(shop.output()).not.toContain('EVIL-1');
  });

  it('package.json of the example has the versions of the packages that these tests use', () => {
    const read = (file: string) => JSON.parse(readFileSync(file, 'utf8'));
    const ours = read(path.join(ROOT, 'package.json'));
    const client = read(path.join(CLIENT, 'package.json'));
    const { dependencies, devDependencies } = read(path.join(SHOP_SOURCE, 'package.json'));
    const tested = { ...ours.dependencies, ...ours.devDependencies, [client.name]: client.version };
    expect(tested).toMatchObject({ ...dependencies, ...devDependencies });
    expect(dependencies).toHaveProperty([client.name]);
  });

  it('npm run check of the shop finds no error against the types of the client', async () => {
    const { code, stdout } = await runProgram('npm', ['run', '-s', 'check'], { cwd: shop.folder });
    expect({ code, stdout }).toEqual({ code: 0, stdout: '' });
  }, 60_000);
});

import { type ChildProcess, fork, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { cp, mkdtemp, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { inTransaction } from '../../services/platform/database';
import { addEndpoint } from '../../services/webhook-queue/endpoints/add-endpoint';
import { type ApiProcess, startApiProcess } from '../support/api-process';
import { createTestDatabase, type TestDatabase } from '../support/database';
import { describeWith, isInstalled } from '../support/describe-with';
import { freePorts } from '../support/free-ports';
import { givenDeparture, givenKey, givenTenant, givenTour } from '../support/given';
import { SERVICE_ENTRY } from '../support/service-entry';
import { eventually } from '../webhook-queue/queue-fixture';
import { runProgram } from './guide';

const ROOT = path.resolve(__dirname, '../..');
const EXAMPLE = path.join(ROOT, 'docs/examples/node-tenant');
const SECRETS_KEY = 's'.repeat(32);
const CUSTOMER = { name: 'Ana Lima', phone: '+49 30 901820', email: 'ana@example.com' };

let database: TestDatabase;
let api: ApiProcess;
let queue: ChildProcess;
let shop: ChildProcess;
let folder: string;
let address: string;
let date: string;
let tour: { id: string; slug: string };
let tenantId: string;
let environment: NodeJS.ProcessEnv;
let complaints = '';

/** Follows its README in a copy of the folder, with the packages of the checkout. */
beforeAll(async () => {
  database = await createTestDatabase();
  const [queuePort, port, metricsPort] = await freePorts();
  [api, folder] = await Promise.all([startApiProcess(database.url), copyOfExample()]);
  queue = await startQueue(queuePort, metricsPort);
  address = `http://127.0.0.1:${port}`;
  const tenant = await givenTenant(database.db);
  tenantId = tenant.id;
  tour = await givenTour(database.db);
  date = await givenDeparture(database.db, tour);
  const wanted = { tenantId, url: `${address}/webhooks`, allowPrivateTargets: true };
  const { secret } = await inTransaction(database.db, (trx) => addEndpoint(trx, SECRETS_KEY, wanted));
  environment = {
    API: api.baseUrl,
    KEY: await givenKey(database.db, tenant),
    WEBHOOK_SECRET: secret,
    PORT: `${port}`,
  };
  shop = spawn('npm', ['start'], { cwd: folder, env: { ...process.env, ...environment }, detached: true });
  shop.stderr!.on('data', (chunk: Buffer) => (complaints += chunk.toString()));
  await eventually('the shop', () => fetch(`${address}/tours`).catch(() => undefined));
}, 60_000);
afterAll(async () => {
  process.kill(-shop.pid!, 'SIGKILL');
  queue.kill('SIGKILL');
  await api.stop();
  await database.drop();
});

async function copyOfExample(): Promise<string> {
  const copy = await mkdtemp(path.join(tmpdir(), 'node-tenant-'));
  await cp(EXAMPLE, copy, { recursive: true });
  await symlink(path.join(ROOT, 'node_modules'), path.join(copy, 'node_modules'));
  return copy;
}

async function startQueue(port: number, metricsPort: number): Promise<ChildProcess> {
  const child = fork(SERVICE_ENTRY['webhook-queue'], [], {
    silent: true,
    env: {
      ...process.env,
      DATABASE_URL: database.url,
      WEBHOOK_QUEUE_PORT: `${port}`,
      METRICS_PORT: `${metricsPort}`,
      WEBHOOK_ALLOW_PRIVATE_TARGETS: 'on',
      SECRETS_KEY,
      CURSOR_KEY: 'c'.repeat(32),
      LOG_LEVEL: 'error',
    },
  });
  await once(child, 'message');
  return child;
}

async function ask(pathname: string, body?: object) {
  const headers = { 'Content-Type': 'application/json' };
  const post = body && { method: 'POST', headers, body: JSON.stringify(body) };
  const answer = await fetch(address + pathname, post);
  const isJson = answer.headers.get('content-type')?.includes('json');
  return { status: answer.status, body: isJson ? JSON.parse(await answer.text()) : null };
}

const order = (adults: number, departure_date = date) =>
  ask('/orders', { tour: tour.slug, departure_date, adults });

describe('the example of a tenant’s server', () => {
  it('sells a tour: seats are held, booked and confirmed, and the webhook arrives', async () => {
    const tours = await ask('/tours');
    expect(tours.body).toMatchObject([{ slug: tour.slug, next_departure_date: date }]);
    const { body: detail } = await ask(`/tours/${tour.slug}`);
    expect(detail.departures).toEqual([
      { departure_date: date, seats_available: 10, price: 500, currency: 'EUR' },
    ]);

    const { status, body: held } = await order(2);
    expect({ status, held }).toMatchObject({ status: 201, held: { total: 1000, currency: 'EUR' } });
    expect((await ask(`/orders/${held.id}`)).body).toEqual({
      id: held.id,
      status: 'held',
      booking_ref: null,
    });

    const { body: paid } = await ask(`/orders/${held.id}/pay`, CUSTOMER);
    const booked = await eventually('the webhook', async () => {
      const { body } = await ask(`/orders/${held.id}`);
      return body.status === 'booked' ? body : undefined;
    });
    expect(booked.booking_ref).toBe(paid.booking_ref);
    const leads = await database.db('booking_leads').where({ tenant_id: tenantId });
    expect(leads).toMatchObject([{ bookingRef: paid.booking_ref, status: 'confirmed', adults: 2 }]);
  });

  it('books once where a customer pays twice', async () => {
    const { body: held } = await order(1);
    const both = await Promise.all([1, 2].map(() => ask(`/orders/${held.id}/pay`, CUSTOMER)));
    const refs = both.map(({ body }) => body.booking_ref);
    expect(refs[0]).toMatch(/-\d+$/);
    expect(refs[1]).toBe(refs[0]);
  });

  it('offers a visitor the other departures, and shows nobody the key', async () => {
    const { status, body } = await order(40);
    expect({ status, body }).toMatchObject({ status: 409, body: { code: 'insufficient_seats' } });
    expect(body.seats_available).toBeGreaterThan(0);
    expect((await ask('/tours/nowhere')).body).toEqual({ code: 'tour_not_found' });
    expect((await order(1, 'soon')).body.errors).toMatchObject([{ field: 'departure_date' }]);
    expect(complaints).toMatch(/insufficient_seats: .* \(request [0-9a-f-]{36}\)/);
    expect(complaints).not.toContain(environment.KEY);
  });

  it('refuses a webhook that the platform has not signed', async () => {
    const forged = { event_type: 'booking.created', booking_ref: 'EVIL-1', external_ref: 'x' };
    expect((await ask('/webhooks', forged)).status).toBe(401);
  });

  it('names the versions that these tests ran with', () => {
    const read = (file: string) => JSON.parse(readFileSync(file, 'utf8'));
    const ours = read(path.join(ROOT, 'package.json'));
    const { dependencies, devDependencies } = read(path.join(EXAMPLE, 'package.json'));
    expect({ ...ours.dependencies, ...ours.devDependencies }).toMatchObject({
      ...dependencies,
      ...devDependencies,
    });
  });

  describeWith(
    'curl jq',
    'its README',
    () => {
      it('fetches the types that the API serves, and type-checks against them', async () => {
        for (const script of ['types', 'check']) {
          const { code, stdout } = await runProgram('npm', ['run', '-s', script], {
            cwd: folder,
            env: environment,
          });
          expect({ code, stdout }).toEqual({ code: 0, stdout: '' });
        }
      }, 60_000);

      it('buys a tour', async () => {
        const readme = readFileSync(path.join(EXAMPLE, 'README.md'), 'utf8');
        const [, section] = readme.split('## Buy a tour');
        const script = /```sh\n([^]*?)```/.exec(section!)![1]!.replace('http://127.0.0.1:4000', address);
        const { code, stdout, stderr } = await runProgram('bash', ['--norc', '-euc', script], {
          cwd: folder,
        });
        expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
        expect(stdout).toContain('"status":"booked"');
      });
    },
    isInstalled('curl') && isInstalled('jq'),
  );
});

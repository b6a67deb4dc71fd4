import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import { freePorts } from '../support/free-ports';
import { useTestDatabase } from '../support/database';
import { SERVICE_ENTRY } from '../support/service-entry';
import { add, book, createTenant, eventually, SECRETS_KEY, whenAll } from './queue-fixture';
import { startReceiver } from './receiver';

const database = useTestDatabase();
let child: ChildProcess | undefined;

afterEach(() => child?.kill('SIGKILL'));

describe('the webhook-queue process', () => {
  it('the webhook-queue process reports when it is ready, delivers, answers health checks, and ends on SIGTERM', async () => {
    child = forkMain({ ...(await onFreePorts()), WEBHOOK_ALLOW_PRIVATE_TARGETS: 'on' });
    const [message] = (await once(child, 'message')) as [{ ready: boolean; url: string }];
    expect(message).toEqual({ ready: true, url: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+$/) });
    const ask = async (to: string, method = 'GET') =>
      (await fetch(message.url + to, { method, redirect: 'manual' })).status;
    expect([
      await ask('/healthz'),
      await ask('/readyz'),
      await ask('/healthz', 'POST'),
      await ask('/'),
      await ask('/sign-in'),
      await ask('/nowhere'),
    ]).toEqual([200, 200, 405, 303, 200, 404]);

    const receiver = await startReceiver();
    const tenantId = await createTenant(database.db);
    await add(database.db, tenantId, receiver.url);
    await book(database.db, tenantId);
    await whenAll(database.db, tenantId, 'delivered');
    await receiver.close();

    child.kill('SIGTERM');
    expect(await once(child, 'exit')).toEqual([0, null]);
  });

  it('the webhook-queue process waits for missing migrations, and is not ready until then', async () => {
    await database.db('knex_migrations').where({ name: '0111_webhooks' }).update({ name: '0111_webhooks.' });
    const ports = await onFreePorts();
    child = forkMain(ports);
    const ready = once(child, 'message');
    const answer = await eventually('an answer', () =>
      fetch(`http://127.0.0.1:${ports.WEBHOOK_QUEUE_PORT}/readyz`).then(
        async (response) => ({ status: response.status, body: await response.json() }),
        () => undefined,
      ),
    );
    expect(answer).toMatchObject({ status: 503, body: { status: 'not ready' } });
    const page = await fetch(`http://127.0.0.1:${ports.WEBHOOK_QUEUE_PORT}/`, { redirect: 'manual' });
    expect([page.status, await page.text()]).toEqual([503, expect.stringContaining('Not ready')]);
    await database.db('knex_migrations').where({ name: '0111_webhooks.' }).update({ name: '0111_webhooks' });
    expect(await ready).toMatchObject([{ ready: true }]);
  });

  it('the webhook-queue process exits with 1 and one line that says that its port is taken', async () => {
    const holder = createServer().listen(0, '127.0.0.1');
    await once(holder, 'listening');
    const { port } = holder.address() as AddressInfo;
    const complaint = await complaintOf({ WEBHOOK_QUEUE_PORT: String(port) });
    holder.close();
    expect(complaint).toBe(
      `webhook-queue: Port ${port} is taken: stop the process that uses it, or set WEBHOOK_QUEUE_PORT or METRICS_PORT to another port.\n`,
    );
  });

  it('the webhook-queue process exits with 1 and one line that names HOST if this machine lacks it', async () => {
    for (const host of ['nowhere.invalid', '192.0.2.1'])
      expect(await complaintOf({ HOST: host })).toMatch(
        /^webhook-queue: HOST must be an address or a name of this machine \([^\n]+\)\n$/,
      );
  });

  it('the webhook-queue process exits with 1 and one line that names a wrong variable', async () => {
    expect(await complaintOf({ WEBHOOK_RETRY_SCHEDULE: 'often' })).toMatch(
      /^webhook-queue: WEBHOOK_RETRY_SCHEDULE must be [^\n]+\n$/,
    );
  });
});

/** Starts the queue, expects it to exit with 1, and returns its error output. */
async function complaintOf(env: Record<string, string>): Promise<string> {
  child = forkMain(env);
  let complaint = '';
  child.stderr!.on('data', (chunk: Buffer) => (complaint += chunk.toString()));
  expect(await once(child, 'close')).toEqual([1, null]);
  return complaint;
}

function forkMain(env: Record<string, string>): ChildProcess {
  return fork(SERVICE_ENTRY['webhook-queue'], [], {
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
    env: {
      PATH: process.env.PATH,
      DATABASE_URL: database.url,
      SECRETS_KEY,
      CURSOR_KEY: SECRETS_KEY,
      ...env,
    },
  });
}

async function onFreePorts(): Promise<{ WEBHOOK_QUEUE_PORT: string; METRICS_PORT: string }> {
  const [, queue, metrics] = await freePorts();
  return { WEBHOOK_QUEUE_PORT: String(queue), METRICS_PORT: String(metrics) };
}

import { randomBytes, randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { verifyBackupFile } from '../../services/api/backup/backup-file';
import { SCOPES } from '../../services/api/credentials/credential';
import { openTestTerminal, type TestTerminal } from '../cli/terminal';
import { type ApiProcess, startApiProcess } from '../support/api-process';
import { withAnotherSecret } from '../support/forged-token';
import { freePorts } from '../support/free-ports';
import { givenDeparture, givenTour, PEPPER } from '../support/given';
import { useTemporaryFolder } from '../support/temporary-folder';
import { type Receiver, startReceiver, status } from '../webhook-queue/receiver';
import { type Instance, startInstance } from '../stack/service';

const folder = useTemporaryFolder();
const SECRETS = {
  SECRETS_KEY: randomBytes(16).toString('hex'),
  CURSOR_KEY: randomBytes(16).toString('hex'),
  KEY_PEPPER: PEPPER,
};
const MARK = randomBytes(4).toString('hex');
const PERSON = {
  name: `Xaver Quill${MARK}`,
  phone: '+4930918273645',
  email: `x.${MARK}@example.com`,
  notes: `Quill${MARK} is vegan`,
};
const PEOPLE = [`Quill${MARK}`, PERSON.phone, PERSON.email];
/** The tables that store customers. */
const OF_CUSTOMERS = ['booking_leads', 'idempotency_keys', 'octo_bookings', 'seat_holds', 'webhook_events'];

let terminal: TestTerminal;
let api: ApiProcess;
let queue: Instance;
let receiver: Receiver;
let queueMetrics: string;

beforeAll(async () => {
  terminal = await openTestTerminal({ ...SECRETS, WEBHOOK_ALLOW_PRIVATE_TARGETS: '1' });
  const env = { ...SECRETS, LOG_LEVEL: 'trace', WEBHOOK_ALLOW_PRIVATE_TARGETS: '1' };
  api = await startApiProcess(terminal.url, env);
  const [, port, metrics] = await freePorts();
  queueMetrics = `http://127.0.0.1:${metrics}/metrics`;
  const more = {
    DATABASE_URL: terminal.url,
    QUEUE_METRICS_PORT: `${metrics}`,
    METRICS_PORT: `${metrics - 1}`,
  };
  queue = await startInstance('webhook-queue', folder, port, { ...env, ...more });
  receiver = await startReceiver();
});
afterAll(async () => {
  await queue.stop();
  await receiver.close();
  await terminal.drop();
});

/** Issues a key, a widget token and webhook secrets in the terminal. */
async function issueSecrets(): Promise<{ key: string; token: string; secrets: string[] }> {
  await terminal.tourctl('tenant create --slug acme --name Acme');
  const first = await terminal.json(`key issue acme --scope ${SCOPES.join(',')}`);
  const rotated = await terminal.json(`key rotate ${first.id}`);
  const { token } = await terminal.json('widget issue acme');
  const hook = await terminal.json(`webhook add acme ${receiver.url}`);
  const renewed = await terminal.json(`webhook rotate-secret ${hook.id}`);
  return {
    key: rotated.key,
    token,
    secrets: [first.key, rotated.key, token, hook.secret, renewed.secret],
  };
}

async function send(method: string, target: string, key?: string, body?: unknown): Promise<Response> {
  const headers = {
    ...(key && { authorization: `Bearer ${key}` }),
    ...(body !== undefined && { 'content-type': 'application/json', 'idempotency-key': randomUUID() }),
  };
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  const answer = await fetch(api.baseUrl + target, { method, headers, body: text });
  return new Response(await answer.text(), { status: answer.status });
}

/**
 * Sends requests, of which the API accepts some and refuses others. Each field, header or address that a client can fill contains a
 * secret or personal data.
 */
async function sellAndFail(key: string, token: string): Promise<void> {
  const tour = await givenTour(terminal.db);
  const date = await givenDeparture(terminal.db, tour);
  const order = { tour_id: tour.slug, departure_date: date, adults: 1, ...PERSON };
  const hold = { departure_date: date, quantity: 1, external_ref: 'cart', customer: PERSON };
  const { notes: _, ...customer } = PERSON;
  const target = `/api/gateway/tours/${tour.slug}/hold`;
  const created = await send('POST', '/api/tenant/bookings', key, order);
  const { booking_ref } = (await created.json()) as { booking_ref: string };
  const statuses = [created.status];
  for (const [method, to, sender, body] of [
    ['POST', target, key, { ...hold, customer }],
    ['POST', target, key, hold],
    ['POST', '/api/tenant/bookings', key, { ...order, adults: PERSON.name }],
    ['POST', '/api/tenant/bookings', key, JSON.stringify(order).slice(0, -1)],
    ['POST', '/api/tenant/bookings', withAnotherSecret(key), order],
    ['POST', '/api/tenant/bookings', token, order],
    ['PATCH', `/api/tenant/bookings/${booking_ref}`, key, { notes: `${PERSON.notes} again` }],
    ['GET', `/api/tenant/bookings/${booking_ref}`, key, undefined],
    ['GET', `/api/tenant/catalog?api_key=${key}&q=${encodeURIComponent(PERSON.name)}`, undefined, undefined],
    ['GET', `/api/tenant/catalog?api_key=${withAnotherSecret(key)}`, undefined, undefined],
    ['GET', `/api/widget/tours?token=${token}`, undefined, undefined],
    ['GET', `/api/widget/tours?token=${withAnotherSecret(token)}`, undefined, undefined],
    ['GET', `/embed/tours?token=${token}`, undefined, undefined],
    ['GET', `/${key}/${PERSON.email}`, undefined, undefined],
  ] as const)
    statuses.push((await send(method, to, sender, body)).status);
  expect(statuses).toEqual([201, 201, 400, 400, 400, 401, 401, 200, 200, 200, 401, 200, 401, 200, 404]);
  await terminal.tourctl(`booking cancel ${booking_ref} --yes --reason "asked by Quill${MARK}"`);
}

/** Returns the tables that have the text in a row. Leaves out the names of partitions. */
async function tablesWith(text: string): Promise<string[]> {
  const { rows } = await terminal.db.raw<{ rows: { name: string }[] }>(
    `select c.oid::regclass::text as name from pg_class c where relnamespace = 'public'::regnamespace and relkind = 'r'`,
  );
  const found = new Set<string>();
  for (const { name } of rows) {
    const query = `select from ${name} t where position(lower(?) in lower(row_to_json(t)::text)) > 0 limit 1`;
    const matching = await terminal.db.raw<{ rows: object[] }>(query, [text]);
    if (matching.rows.length > 0) found.add(name.replace(/_\d{4}_\d\d$|_default$/, ''));
  }
  return [...found].sort();
}

/** Returns the whole log of the PostgreSQL server, which also has lines from other test files. */
async function serverLog(): Promise<string> {
  const { rows } = await terminal.db.raw<{ rows: [{ directory: string }] }>(
    `select current_setting('data_directory') as directory`,
  );
  return readFileSync(path.join(rows[0].directory, 'server.log'), 'utf8');
}

describe('the secrets and the people of an installation', () => {
  it('secrets appear in no output and no table, and personal data only in tables that may hold it', async () => {
    const { key, token, secrets } = await issueSecrets();
    receiver.react(status(500, 204));
    await sellAndFail(key, token);
    const isDelivered = () => receiver.received.length > 1;
    for (const until = Date.now() + 20_000; !isDelivered() && Date.now() < until;)
      await new Promise((resolve) => setTimeout(resolve, 50));
    expect(isDelivered()).toBe(true);
    // Refuses a row, whose values PostgreSQL would log.
    await expect(
      terminal.db('booking_leads').update({ customer_phone: PERSON.phone, seats: -1 }),
    ).rejects.toMatchObject({ code: '23514' });
    const backup = path.join(folder, 'whole.backup');
    await terminal.tourctl(`backup --out ${backup} --yes`);

    const metrics = [await api.metrics(), await fetch(queueMetrics).then((answer) => answer.text())];
    await api.stop();
    const outputs = {
      api: api.log(),
      queue: queue.child().log(),
      metrics: metrics.join('\n'),
      audit: JSON.stringify(await terminal.json('audit list --limit 100')),
      postgres: await serverLog(),
      backup: JSON.stringify(await verifyBackupFile(backup)),
    };
    for (const [name, text] of Object.entries(outputs)) {
      expect([name, text.length > 100]).toEqual([name, true]);
      for (const needle of [...secrets, ...PEOPLE, SECRETS.SECRETS_KEY, SECRETS.CURSOR_KEY, PEPPER])
        expect([name, needle, text.includes(needle)]).toEqual([name, needle, false]);
    }
    for (const secret of [...secrets, SECRETS.SECRETS_KEY, SECRETS.CURSOR_KEY, PEPPER])
      expect([secret, await tablesWith(secret)]).toEqual([secret, []]);
    for (const needle of PEOPLE)
      for (const table of await tablesWith(needle)) expect(OF_CUSTOMERS).toContain(table);
  });
});

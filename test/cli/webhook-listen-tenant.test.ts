import { type ChildProcess, spawn } from 'node:child_process';
import { Webhook } from 'standardwebhooks';
import { enqueueDelivery } from '../../services/webhook-queue/enqueue-delivery';
import { inTransaction } from '../../services/platform/database/database';
import { givenTenant } from '../support/given';
import { type Received, startReceiver } from '../webhook-queue/receiver';
import { TOURCTL, useTestTerminal } from './terminal';

const terminal = useTestTerminal();
const tenants = { sandbox: '', other: '' };
beforeAll(async () => {
  tenants.sandbox = (await givenTenant(terminal.db, { slug: 'acme-test', sandbox: true })).id;
  tenants.other = (await givenTenant(terminal.db, { slug: 'other-test', sandbox: true })).id;
  await givenTenant(terminal.db, { slug: 'acme' });
});

const running = new Set<ChildProcess>();
afterEach(() => running.forEach((child) => child.kill('SIGKILL')));

interface Listener {
  child: ChildProcess;
  stdout: string;
  ended: Promise<number | null>;
}

function listen(...flags: string[]): Listener {
  const child = spawn(TOURCTL, ['webhook', 'listen', 'acme-test', ...flags], {
    env: { ...process.env, ...terminal.env },
  });
  running.add(child);
  const ended = new Promise<number | null>((resolve) => child.once('close', resolve));
  const listener = { child, stdout: '', ended };
  child.stdout.on('data', (chunk: Buffer) => (listener.stdout += chunk.toString()));
  return listener;
}

async function until(holds: () => boolean): Promise<void> {
  for (let tries = 0; !holds(); tries++) {
    if (tries > 400) throw new Error('it never happened');
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

const book = (tenantId: string, ref: string) =>
  inTransaction(terminal.db, (trx) =>
    enqueueDelivery(trx, {
      tenantId,
      type: 'booking.created',
      bookingRef: ref,
      body: { event_type: 'booking.created', booking_ref: ref },
    }),
  );

const linesOf = ({ stdout }: Listener) =>
  stdout
    .trim()
    .split('\n')
    .filter(Boolean)

    .map((line) => JSON.parse(line));

describe('tourctl webhook listen <slug>', () => {
  it('tourctl webhook listen <slug> forwards the events, signed, and leaves them waiting for an endpoint', async () => {
    const receiver = await startReceiver();
    const listening = listen('--json', '--forward-to', receiver.url);
    await until(() => listening.stdout.includes('\n'));
    await new Promise((resolve) => setTimeout(resolve, 1500));
    await book(tenants.other, 'OTHER-TEST-1');
    await book(tenants.sandbox, 'ACME-TEST-1');
    await book(tenants.sandbox, 'ACME-TEST-2');
    await until(() => linesOf(listening).length === 3);
    listening.child.kill('SIGINT');
    expect(await listening.ended).toBe(0);
    await receiver.close();

    const [first, ...events] = linesOf(listening);
    expect(first).toEqual({
      tenant: 'acme-test',
      forward_to: receiver.url,
      secret: expect.stringMatching(/^whsec_/),
    });
    expect(events[0]).toEqual({
      created_at: expect.any(String),
      event_type: 'booking.created',
      webhook_id: expect.stringMatching(/^msg_[0-9a-f]{32}$/),
      body: '{"event_type":"booking.created","booking_ref":"ACME-TEST-1"}',
      forwarded: { to: receiver.url, status: 204, body: '', error: null },
    });
    expect(receiver.received.map(({ body }) => JSON.parse(body).booking_ref)).toEqual([
      'ACME-TEST-1',
      'ACME-TEST-2',
    ]);
    const verify = ({ headers, body }: Received) =>
      new Webhook(first.secret).verify(body, headers as Record<string, string>);
    expect(receiver.received.map(verify)).toHaveLength(2);

    const { items } = await terminal.json('delivery list --tenant acme-test');
    expect(items).toHaveLength(2);
    for (const item of items) expect(item).toMatchObject({ status: 'pending', endpoint: null, attempts: 0 });
    await terminal.tourctl('webhook add acme-test https://acme.example/hooks');
    const adopted = await terminal.json('delivery list --tenant acme-test');
    expect(adopted.items.map(({ endpoint }: { endpoint: string | null }) => endpoint)).not.toContain(null);
  });

  it('tourctl webhook listen <slug> refuses a real tenant, an unknown tenant, and a port', async () => {
    expect(await terminal.refusal('webhook listen acme')).toBe('1 real_tenant');
    expect(await terminal.refusal('webhook listen nobody')).toBe('1 tenant_not_found');
    expect(await terminal.refusal('webhook listen acme-test --port 4000')).toBe('2 usage_error');
  });
});

import { EVENT_SCHEMAS, WEBHOOK_EVENTS } from '../../services/api/docs/webhook-events';
import { inTransaction } from '../../services/platform/database/database';
import { EVENT_TYPES } from '../../services/webhook-queue/deliveries/delivery';
import { enqueueDelivery } from '../../services/webhook-queue/enqueue-delivery';
import { useTestTerminal } from './terminal';

const terminal = useTestTerminal();

let tenants = 0;
const givenEndpoint = async () => {
  const slug = `tenant-${++tenants}`;
  const tenant = await terminal.json(`tenant create --slug ${slug} --name T`);
  const { id } = await terminal.json(`webhook add ${slug} https://${slug}.example/hook`);
  return { id: id as string, slug, tenantId: tenant.id as string };
};
const enqueue = (tenantId: string, type: 'booking.created' | 'booking.cancelled') =>
  inTransaction(terminal.db, (trx) =>
    enqueueDelivery(trx, { tenantId, type, bookingRef: 'T-1', body: { event_type: type } }),
  );
const lastAudit = async () => (await terminal.json('audit list --limit 1')).items[0];
const secretsOf = (id: string) => terminal.db('webhook_secrets').where({ endpoint_id: id });

describe('tourctl webhook set', () => {
  it('tourctl webhook set changes the address, the events and the format, keeps the secret, and leaves one audit row', async () => {
    const { id, slug } = await givenEndpoint();
    const secrets = await secretsOf(id);
    const url = `https://${slug}.example/new`;
    const { json } = await terminal.tourctl(
      `webhook set ${id} --url ${url} --event booking.cancelled,booking.created --format thin --json`,
    );
    expect(json).toMatchObject({
      id,
      tenant: slug,
      url,
      format: 'thin',
      status: 'active',
      events: ['booking.cancelled', 'booking.created'],
    });
    expect(await secretsOf(id)).toEqual(secrets);
    expect(await lastAudit()).toMatchObject({
      action: 'webhook.set',
      tenant: slug,
      subject: id,
      before: { format: 'spec' },
      after: { url, format: 'thin' },
    });
  });

  it('tourctl webhook set keeps settings that are not given, and leaves no audit row if nothing changes', async () => {
    const { id, slug } = await givenEndpoint();
    const before = await lastAudit();
    const { stdout, stderr } = await terminal.tourctl(`webhook set ${id} --format spec`);
    expect(stdout).toBe(
      `Endpoint ${id} of ${slug}: booking.created to https://${slug}.example/hook (spec)\n`,
    );
    expect(stderr).toBe('The signing secret is the same.\n');
    expect(await lastAudit()).toEqual(before);
  });

  it('a new address closes the breaker, and a new event makes waiting deliveries due', async () => {
    const { id, slug, tenantId } = await givenEndpoint();
    await terminal.tourctl(`webhook set ${id} --event booking.cancelled`);
    await enqueue(tenantId, 'booking.created');
    await terminal
      .db('webhook_health')
      .insert({ endpoint_id: id, failures: 9, failing_since: new Date(), blocked_until: new Date() });
    const { stderr } = await terminal.tourctl(
      `webhook set ${id} --event booking.created --url https://${slug}.example/b`,
    );
    expect(stderr).toContain('1 waiting delivery is due now\n');
    expect(await terminal.db('webhook_health').where({ endpoint_id: id })).toEqual([]);
  });

  it('tourctl webhook set warns of another endpoint with the same address', async () => {
    const { id, slug } = await givenEndpoint();
    const other = await terminal.json(`webhook add ${slug} https://${slug}.example/b`);
    const { stderr } = await terminal.tourctl(`webhook set ${id} --url https://${slug}.example/b`);
    expect(stderr).toContain(`warning: ${slug} has this address already (${other.id})`);
  });

  it.each([
    ['', '2 usage_error'],
    ['--event booking.moved', '2 usage_error'],
    ['--event booking.created,booking.moved', '2 usage_error'],
    ['--event booking.created,', '2 usage_error'],
    ['--url https://127.0.0.1/hook', '2 invalid_webhook_url'],
  ])('tourctl webhook set refuses the flags "%s"', async (flags, refused) => {
    const { id } = await givenEndpoint();
    expect(await terminal.refusal(`webhook set ${id} ${flags}`.trim())).toBe(refused);
  });
});

describe('tourctl webhook trigger', () => {
  it.each(EVENT_TYPES)(
    'tourctl webhook trigger queues a test event with the fields of its type, marked as a test: %s',
    async (type) => {
      const { id, slug } = await givenEndpoint();
      const { json } = await terminal.tourctl(`webhook trigger ${id} --event ${type} --json`);
      const unanswered = { outcome: null, status_code: null, reason: null, duration_ms: null };
      expect(json).toEqual({ id, event: type, delivery: expect.any(String), ...unanswered });
      const shown = await terminal.json(`delivery show ${json.delivery} --reveal`);
      expect(shown).toMatchObject({ tenant: slug, event_type: type, booking_ref: null, status: 'pending' });
      const body = JSON.parse(shown.body);
      expect(Object.keys(body)).toEqual(EVENT_SCHEMAS[WEBHOOK_EVENTS[type].schema].required);
      expect(shown.body).toMatch(/test/i);
    },
  );

  it.each(['webhook trigger ID --event booking.created', 'webhook ping ID'])(
    'tourctl does not wait for an answer while no webhook queue runs, and warns that nobody sends the event: %s',
    async (line) => {
      const { id } = await givenEndpoint();
      const { code, stderr } = await terminal.tourctl(line.replace('ID', id));
      expect(stderr).toContain(
        'warning: No webhook queue runs, so nobody sends it: start the webhook queue (docs/',
      );
      expect(code).toBe(0);
    },
  );

  it('tourctl webhook trigger leaves an audit row for an active endpoint, and refuses a paused endpoint', async () => {
    const { id, slug } = await givenEndpoint();
    const { stderr } = await terminal.tourctl(`webhook trigger ${id} --event booking.created`);
    expect(stderr).toContain(`A test booking.created is queued for https://${slug}.example/hook`);
    expect(await lastAudit()).toMatchObject({
      action: 'webhook.trigger',
      after: { event: 'booking.created' },
    });
    await terminal.tourctl(`webhook pause ${id}`);
    expect(await terminal.refusal(`webhook trigger ${id} --event booking.created`)).toMatch(/^1 /);
    expect(await terminal.refusal(`webhook trigger ${id}`)).toBe('2 usage_error');
  });
});

describe('tourctl delivery replay --event', () => {
  it('tourctl delivery replay --event replays only the deliveries of the given event', async () => {
    const { id, slug, tenantId } = await givenEndpoint();
    await terminal.tourctl(`webhook set ${id} --event booking.created --event booking.cancelled`);
    await enqueue(tenantId, 'booking.created');
    await enqueue(tenantId, 'booking.cancelled');
    await terminal.db('webhook_queue').where({ endpoint_id: id }).delete();
    await terminal
      .db('webhook_deliveries')
      .where({ endpoint_id: id })
      .update({ status: 'dead', finished_at: new Date(Date.now() - 1000) });
    const line = `delivery replay --tenant ${slug} --event booking.cancelled`;
    expect((await terminal.tourctl(`${line} --dry-run`)).stdout).toBe('1 delivery would be sent again\n');
    expect((await terminal.tourctl(line)).stdout).toBe('1 delivery is queued again\n');
    const { items } = await terminal.json(`delivery list --tenant ${slug} --status pending`);
    expect(items.map((item: { event_type: string }) => item.event_type)).toEqual(['booking.cancelled']);
  });
});

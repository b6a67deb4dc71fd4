import { randomUUID } from 'node:crypto';
import { enqueueDelivery } from '../../services/webhook-queue/enqueue-delivery';
import { inTransaction } from '../../services/platform/database';
import { openTestTerminal, type TestTerminal } from './terminal';

let terminal: TestTerminal;
beforeAll(async () => (terminal = await openTestTerminal()));
afterAll(async () => terminal.drop());

let tenants = 0;
const givenTenant = async () => {
  const slug = `tenant-${++tenants}`;
  const { id } = (await terminal.tourctl(`tenant create --slug ${slug} --name T --json`)).json;
  return { id, slug };
};
const add = async (slug: string, flags = '') =>
  (await terminal.tourctl(`webhook add ${slug} https://${slug}.example/hook --json ${flags}`.trim())).json;
const givenDelivery = (tenantId: string) =>
  inTransaction(terminal.db, (trx) =>
    enqueueDelivery(trx, { tenantId, type: 'booking.created', bookingRef: 'T-1', body: { customer: 'Ada' } }),
  );
const deliveries = async (flags: string) =>
  (await terminal.tourctl(`delivery list --json ${flags}`)).json.items;

describe('tourctl webhook', () => {
  it('adds an endpoint and shows its secret this once', async () => {
    const { slug } = await givenTenant();
    const added = await add(slug, '--event booking.created --event booking.cancelled');
    expect(added).toEqual({
      id: expect.any(String),
      tenant: slug,
      url: `https://${slug}.example/hook`,
      secret: expect.stringMatching(/^whsec_/),
      format: 'spec',
      events: ['booking.created', 'booking.cancelled'],
      status: 'active',
    });
    const { json, stdout } = await terminal.tourctl(`webhook list ${slug} --json`);
    expect(json.items).toEqual([expect.objectContaining({ id: added.id, status: 'active' })]);
    expect(stdout).not.toContain('whsec_');
  });

  it('refuses an address that is not public, and an event that does not exist', async () => {
    const { slug } = await givenTenant();
    const inside = await terminal.tourctl(`webhook add ${slug} https://127.0.0.1/hook --json`);
    expect([inside.code, inside.error.code]).toEqual([1, 'invalid_webhook_url']);
    expect((await terminal.tourctl(`webhook add ${slug} nonsense`)).code).toBe(2);
    const event = await terminal.tourctl(
      `webhook add ${slug} https://a.example --event booking.moved --json`,
    );
    expect([event.code, event.error.message]).toEqual([2, expect.stringContaining('--event must be one of')]);
  });

  it('pauses, resumes, pings and removes', async () => {
    const { slug } = await givenTenant();
    const { id } = await add(slug);
    expect((await terminal.tourctl(`webhook pause ${id} --json`)).json.status).toBe('paused');
    expect((await terminal.tourctl(`webhook resume ${id} --json`)).json.status).toBe('active');
    const { delivery } = (await terminal.tourctl(`webhook ping ${id} --json`)).json;
    expect((await terminal.tourctl(`delivery show ${delivery} --json`)).json).toMatchObject({
      event_type: 'ping',
      endpoint: id,
    });
    expect((await terminal.tourctl(`webhook remove ${id} --json`)).code).toBe(2);
    expect((await terminal.tourctl(`webhook remove ${id} --yes --json`)).json.status).toBe('removed');
    const gone = await terminal.tourctl(`webhook pause ${id} --json`);
    expect([gone.code, gone.error.code]).toEqual([1, 'endpoint_not_found']);
  });

  it('rotates the secret', async () => {
    const { slug } = await givenTenant();
    const added = await add(slug);
    const { json } = await terminal.tourctl(`webhook rotate-secret ${added.id} --json`);
    expect(json).toEqual({ ...added, secret: expect.stringMatching(/^whsec_/) });
    expect(json.secret).not.toBe(added.secret);
    expect((await terminal.tourctl(`webhook rotate-secret ${added.id} --grace 0`)).code).toBe(2);
  });

  it('an id that is none is refused with exit 1', async () => {
    for (const id of [randomUUID(), 'nonsense']) {
      for (const verb of ['pause', 'ping', 'rotate-secret']) {
        const { code, error } = await terminal.tourctl(`webhook ${verb} ${id} --json`);
        expect([code, error.code]).toEqual([1, 'endpoint_not_found']);
      }
    }
  });
});

describe('tourctl delivery', () => {
  it('lists what waits for an endpoint, and what is due once there is one', async () => {
    const { id, slug } = await givenTenant();
    await givenDelivery(id);
    const [waiting] = await deliveries(`--tenant ${slug}`);
    expect(waiting).toMatchObject({
      tenant: slug,
      event_type: 'booking.created',
      booking_ref: 'T-1',
      endpoint: null,
    });
    expect(waiting).toMatchObject({
      status: 'pending',
      attempts: 0,
      last_status_code: null,
      last_error: null,
    });
    const endpoint = await add(slug);
    expect(await deliveries(`--endpoint ${endpoint.id} --status pending --since 1h`)).toHaveLength(1);
    expect(await deliveries(`--tenant ${slug} --status dead`)).toEqual([]);
    expect((await terminal.tourctl('delivery list --status lost')).code).toBe(2);
  });

  it('shows the body only where it is asked for, and leaves a row that it was', async () => {
    const { id, slug } = await givenTenant();
    await givenDelivery(id);
    const [{ id: delivery }] = await deliveries(`--tenant ${slug}`);
    const hidden = await terminal.tourctl(`delivery show ${delivery} --json`);
    expect(hidden.json.body).toBeNull();
    expect(hidden.stdout).not.toContain('Ada');
    const shown = await terminal.tourctl(`delivery show ${delivery} --reveal --json`);
    expect(JSON.parse(shown.json.body)).toEqual({ customer: 'Ada' });
    expect(
      await terminal.db('audit_log').where({ action: 'delivery.reveal', subject: delivery }),
    ).toHaveLength(1);
  });

  it('is not retried without an endpoint, and is with one', async () => {
    const { id, slug } = await givenTenant();
    await givenDelivery(id);
    const [{ id: delivery }] = await deliveries(`--tenant ${slug}`);
    const refused = await terminal.tourctl(`delivery retry ${delivery} --json`);
    expect([refused.code, refused.error.code]).toEqual([1, 'delivery_state_conflict']);
    await add(slug);
    expect((await terminal.tourctl(`delivery retry ${delivery} --json`)).json).toMatchObject({
      id: delivery,
      tenant: slug,
    });
    expect((await terminal.tourctl(`delivery retry ${randomUUID()} --json`)).error.code).toBe(
      'delivery_not_found',
    );
  });

  it('replays what is finished, after counting it', async () => {
    const { id, slug } = await givenTenant();
    await add(slug);
    await givenDelivery(id);
    await terminal.db('webhook_queue').delete();
    await terminal
      .db('webhook_deliveries')
      .where({ tenant_id: id })
      .update({ status: 'dead', finished_at: new Date() });
    expect((await terminal.tourctl(`delivery replay --tenant ${slug} --dry-run --json`)).json).toEqual({
      matching: 1,
    });
    expect((await terminal.tourctl(`delivery replay --tenant ${slug} --json`)).json).toEqual({ replayed: 1 });
    expect(await deliveries(`--tenant ${slug} --status pending`)).toHaveLength(1);
    expect((await terminal.tourctl('delivery replay')).code).toBe(2);
  });
});

import { randomUUID } from 'node:crypto';
import { enqueueDelivery } from '../../services/webhook-queue/enqueue-delivery';
import { inTransaction } from '../../services/platform/database/database';
import { changeEndpoint } from '../../services/webhook-queue/endpoints/change-endpoint-state';
import { rotateSecret } from '../../services/webhook-queue/endpoints/endpoint-secrets';
import { untilTransactionWaits } from '../support/lock-wait';
import { useTestTerminal } from './terminal';

const terminal = useTestTerminal();
const MALFORMED = 'must be a UUID, or at least the first 4 characters of one';

let tenants = 0;
const givenTenant = async () => {
  const slug = `tenant-${++tenants}`;
  const { id } = await terminal.json(`tenant create --slug ${slug} --name T`);
  return { id, slug };
};
const add = async (slug: string, flags = '') =>
  (await terminal.tourctl(`webhook add ${slug} https://${slug}.example/hook --json ${flags}`.trim())).json;
const givenDelivery = (tenantId: string) =>
  inTransaction(terminal.db, (trx) =>
    enqueueDelivery(trx, { tenantId, type: 'booking.created', bookingRef: 'T-1', body: { customer: 'Ada' } }),
  );
/** Finishes all deliveries of the tenant as dead. */
const finishDeliveries = async (tenantId: string) => {
  await terminal.db('webhook_queue').delete();
  const fate = { status: 'dead', finished_at: new Date() };
  await terminal.db('webhook_deliveries').where({ tenant_id: tenantId }).update(fate);
};
const deliveries = async (flags: string) => (await terminal.json(`delivery list ${flags}`)).items;

describe('tourctl webhook', () => {
  it('tourctl webhook adds an endpoint and shows its secret once', async () => {
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

  it('tourctl webhook refuses an address that is not public, and an event that does not exist', async () => {
    const { slug } = await givenTenant();
    expect(await terminal.refusal(`webhook add ${slug} https://127.0.0.1/hook`)).toBe(
      '2 invalid_webhook_url',
    );
    for (const url of [
      'http://a.example/',
      'https://a.example:22/',
      'https://a.example:6379/',
      'https://db/',
    ]) {
      const refusal = await terminal.refusal(`webhook add ${slug} ${url}`);
      expect([url, refusal]).toEqual([url, '2 invalid_webhook_url']);
    }
    expect((await terminal.tourctl(`webhook add ${slug} nonsense`)).code).toBe(2);
    const event = await terminal.tourctl(
      `webhook add ${slug} https://a.example --event booking.moved --json`,
    );
    expect([event.code, event.error.message]).toEqual([2, expect.stringContaining('--event must be one of')]);
  });

  it('tourctl webhook accepts an address whose name does not resolve', async () => {
    const { slug } = await givenTenant();
    expect((await terminal.tourctl(`webhook add ${slug} https://nothing.invalid/hook`)).code).toBe(0);
  });

  it('the audit row of a resume records the status that a concurrent pause has set', async () => {
    const { id } = await add((await givenTenant()).slug);
    const resuming = await terminal.db.transaction(async (trx) => {
      await changeEndpoint(trx, 'pause', id);
      const waiting = terminal.tourctl(`webhook resume ${id} --json`);
      await untilTransactionWaits(terminal.db);
      return { waiting };
    });
    expect((await resuming.waiting).json.status).toBe('active');
    const [row] = await terminal.db('audit_log').where({ subject: id, action: 'webhook.resume' });
    expect(row).toMatchObject({ before: { status: 'paused' }, after: { status: 'active' } });
  });

  it('the audit row of a secret rotation counts the secret of a concurrent rotation', async () => {
    const { id } = await add((await givenTenant()).slug);
    const second = await terminal.db.transaction(async (trx) => {
      await rotateSecret(trx, terminal.env.SECRETS_KEY!, id);
      const waiting = terminal.tourctl(`webhook rotate-secret ${id} --json`);
      await untilTransactionWaits(terminal.db);
      return { waiting };
    });
    expect((await second.waiting).code).toBe(0);
    const [row] = await terminal.db('audit_log').where({ subject: id, action: 'webhook.rotate-secret' });
    expect([row.before.secrets.length, row.after.secrets.length]).toEqual([2, 3]);
  });

  it('tourctl webhook pauses, resumes, pings and removes an endpoint', async () => {
    const { slug } = await givenTenant();
    const { id } = await add(slug);
    expect((await terminal.json(`webhook pause ${id}`)).status).toBe('paused');
    expect((await terminal.json(`webhook resume ${id}`)).status).toBe('active');
    const { delivery } = await terminal.json(`webhook ping ${id}`);
    expect(await terminal.json(`delivery show ${delivery}`)).toMatchObject({
      event_type: 'ping',
      endpoint: id,
    });
    expect((await terminal.tourctl(`webhook remove ${id} --json`)).code).toBe(2);
    expect((await terminal.json(`webhook remove ${id} --yes`)).status).toBe('removed');
    expect(await terminal.refusal(`webhook pause ${id}`)).toBe('1 endpoint_not_found');
  });

  it('tourctl webhook rotates the secret of an endpoint', async () => {
    const { slug } = await givenTenant();
    const added = await add(slug);
    const json = await terminal.json(`webhook rotate-secret ${added.id}`);
    expect(json).toEqual({ ...added, secret: expect.stringMatching(/^whsec_/) });
    expect(json.secret).not.toBe(added.secret);
    expect((await terminal.tourctl(`webhook rotate-secret ${added.id} --grace 0`)).code).toBe(2);
  });

  it('tourctl webhook shows an endpoint with the expiry of its secrets and its recent deliveries', async () => {
    const { id: tenantId, slug } = await givenTenant();
    const { id } = await add(slug);
    await terminal.tourctl(`webhook rotate-secret ${id} --grace 24h`);
    for (let i = 0; i < 3; i++) await givenDelivery(tenantId);
    const [last] = await deliveries(`--endpoint ${id} --limit 1`);
    await terminal.db('webhook_queue').where({ delivery_id: last.id }).delete();
    const fate = {
      status: 'dead',
      finished_at: new Date(),
      last_status_code: 500,
      last_error: 'It said 500.',
    };
    await terminal.db('webhook_deliveries').where({ id: last.id }).update(fate);

    const { json, stdout } = await terminal.tourctl(`webhook show ${id.toUpperCase()} --json`);
    expect(json).toMatchObject({
      id,
      tenant: slug,
      events: ['booking.created'],
      status: 'active',
      waiting: 2,
    });
    expect(json.secrets).toEqual([
      { created_at: expect.any(String), expires_at: null },
      { created_at: expect.any(String), expires_at: expect.any(String) },
    ]);
    const hours = (Date.parse(json.secrets[1].expires_at) - Date.now()) / 3_600_000;
    expect(hours).toBeCloseTo(24, 0);
    expect(json.recent_deliveries).toMatchObject({ counted: 3, pending: 2, dead: 1, delivered: 0 });
    expect(json.last_failure).toEqual({
      delivery: last.id,
      status: 'dead',
      status_code: 500,
      error: 'It said 500.',
    });
    expect(stdout).not.toMatch(/whsec_|ciphertext|nonce/);
    const text = (await terminal.tourctl(`webhook show ${id}`)).stdout;
    expect(text).toMatch(/secrets +2 secrets in use, one until 20/);
    expect(text).toMatch(/recent +of the last 3: 2 pending, 1 dead\n/);
  });

  it('tourctl webhook shows an endpoint without deliveries', async () => {
    const { id } = await add((await givenTenant()).slug);
    const { stdout } = await terminal.tourctl(`webhook show ${id}`);
    expect(stdout).toMatch(/secrets +1 secret in use\nrecent +-\nlast_failure +-\n/);
  });

  it('tourctl webhook disables and enables an endpoint, notifies subscribers, and leaves an audit row for each', async () => {
    const { slug } = await givenTenant();
    const { id } = await add(slug);
    const watcher = await terminal.tourctl(
      `webhook add ${slug} https://watch.example/ --event endpoint.disabled --json`,
    );
    for (let i = 0; i < 2; i++) {
      expect(await terminal.json(`webhook disable ${id}`)).toMatchObject({
        status: 'disabled',
        status_reason: 'An operator disabled it.',
      });
    }
    expect(await deliveries(`--endpoint ${watcher.json.id}`)).toMatchObject([
      { event_type: 'endpoint.disabled' },
    ]);
    expect((await terminal.tourctl(`webhook ping ${id}`)).stderr).toContain('enable it first');
    expect(await terminal.json(`webhook enable ${id}`)).toMatchObject({
      status: 'active',
      status_reason: null,
    });
    const rows = await terminal.db('audit_log').where({ subject: id }).orderBy('id').pluck('action');
    expect(rows).toEqual(['webhook.add', 'webhook.disable', 'webhook.enable']);
  });

  it.each([
    ['pause', 'enable', 'The endpoint is paused, not disabled: resume it.'],
    ['disable', 'resume', 'The endpoint is disabled, not paused: enable it.'],
    ['disable', 'pause', 'The endpoint is disabled: nothing is sent to it already.'],
  ])('after tourctl webhook %s, tourctl webhook %s is refused', async (first, second, message) => {
    const { id } = await add((await givenTenant()).slug);
    await terminal.tourctl(`webhook ${first} ${id}`);
    const { code, error } = await terminal.tourctl(`webhook ${second} ${id} --json`);
    expect([code, error]).toEqual([1, { code: 'endpoint_state_conflict', message }]);
  });

  it('tourctl webhook adds the same address a second time with a warning', async () => {
    const { slug } = await givenTenant();
    const first = await add(slug);
    const line = `webhook add ${slug} https://${slug.toUpperCase()}.example:443/hook --json`;
    const second = await terminal.tourctl(line);
    expect([second.code, second.json.url]).toEqual([0, first.url]);
    expect(JSON.parse(second.stderr).warning.message).toContain(first.id);
    await terminal.tourctl(`webhook remove ${first.id} --yes`);
    await terminal.tourctl(`webhook remove ${second.json.id} --yes`);
    expect((await terminal.tourctl(line)).stderr).toBe('');
    const other = await givenTenant();
    expect((await terminal.tourctl(line.replace(slug, other.slug))).stderr).toBe('');
  });

  it('tourctl webhook refuses an unknown id with 1, and a malformed id with 2', async () => {
    const verbs = ['show', 'pause', 'resume', 'disable', 'enable', 'ping', 'rotate-secret', 'remove --yes'];
    for (const verb of verbs) {
      expect(await terminal.refusal(`webhook ${verb} ${randomUUID()}`)).toBe('1 endpoint_not_found');
      const malformed = await terminal.tourctl(`webhook ${verb} nonsense --json`);
      expect([malformed.code, malformed.error.message]).toEqual([2, `<id> ${MALFORMED}`]);
    }
  });
});

describe('tourctl delivery', () => {
  it('tourctl delivery lists a delivery without an endpoint, and lists it under the first endpoint that is added', async () => {
    const { id, slug } = await givenTenant();
    await givenDelivery(id);
    const [waiting] = await deliveries(`--tenant ${slug}`);
    expect(waiting).toMatchObject({
      tenant: slug,
      event_type: 'booking.created',
      booking_ref: 'T-1',
      endpoint: null,
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

  it('tourctl delivery shows the body only with --reveal, which leaves an audit row', async () => {
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

  it('tourctl delivery retry fails until the delivery has an endpoint', async () => {
    const { id, slug } = await givenTenant();
    await givenDelivery(id);
    const [{ id: delivery }] = await deliveries(`--tenant ${slug}`);
    expect(await terminal.refusal(`delivery retry ${delivery}`)).toBe('1 delivery_state_conflict');
    await add(slug);
    expect(await terminal.json(`delivery retry ${delivery}`)).toMatchObject({
      id: delivery,
      tenant: slug,
    });
    expect(await terminal.refusal(`delivery retry ${randomUUID()}`)).toBe('1 delivery_not_found');
  });

  it('tourctl delivery replays finished deliveries, and only counts them with --dry-run', async () => {
    const { id, slug } = await givenTenant();
    await add(slug);
    await givenDelivery(id);
    await finishDeliveries(id);
    expect(await terminal.json(`delivery replay --tenant ${slug} --dry-run`)).toEqual({
      matching: 1,
      held_back: { paused: 0, disabled: 0 },
    });
    expect(await terminal.json(`delivery replay --tenant ${slug}`)).toEqual({
      replayed: 1,
    });
    expect(await deliveries(`--tenant ${slug} --status pending`)).toHaveLength(1);
    expect((await terminal.tourctl('delivery replay')).code).toBe(2);
  });

  it('tourctl delivery reports before a replay how many deliveries belong to paused and disabled endpoints', async () => {
    const { id, slug } = await givenTenant();
    const paused = await add(slug);
    const disabled = await terminal.json(`webhook add ${slug} https://two.example/`);
    await givenDelivery(id);
    await givenDelivery(id);
    await finishDeliveries(id);
    await terminal.tourctl(`webhook pause ${paused.id}`);
    const preview = (flags: string) => terminal.tourctl(`delivery replay ${flags} --dry-run --json`);
    expect((await preview(`--tenant ${slug}`)).json).toEqual({
      matching: 2,
      held_back: { paused: 2, disabled: 0 },
    });
    await terminal.tourctl(`webhook disable ${disabled.id}`);
    const { json, stderr } = await preview(`--tenant ${slug}`);
    expect(json).toEqual({ matching: 0, held_back: { paused: 2, disabled: 2 } });
    expect(stderr).toContain('2 more of paused endpoints');
    expect(stderr).toContain('2 more of disabled endpoints');
    expect((await preview(`--endpoint ${paused.id}`)).json.held_back).toEqual({ paused: 2, disabled: 0 });
    const replay = await terminal.tourctl(`delivery replay --tenant ${slug}`);
    expect(replay.stdout).toContain('0 deliveries');
    expect(replay.stderr).toContain('enable those, then replay');
  });

  it('tourctl delivery refuses an unknown id with 1, and a malformed id with 2', async () => {
    for (const verb of ['show', 'retry']) {
      expect(await terminal.refusal(`delivery ${verb} ${randomUUID()}`)).toBe('1 delivery_not_found');
      const malformed = await terminal.tourctl(`delivery ${verb} nonsense --json`);
      expect([malformed.code, malformed.error.message]).toEqual([2, `<id> ${MALFORMED}`]);
    }
    for (const verb of ['list', 'replay']) {
      const { code, error } = await terminal.tourctl(`delivery ${verb} --endpoint nonsense --json`);
      expect([code, error.message]).toEqual([2, `--endpoint ${MALFORMED}`]);
    }
  });
});

import { randomUUID } from 'node:crypto';
import { inTransaction } from '../../services/platform/database/database';
import { removeEndpoint } from '../../services/webhook-queue/endpoints/change-endpoint-state';
import { auditRows, cookieOf, OPERATOR, setCookies, type Browser, useTestMonitor } from './monitor-fixture';
import { add, book, createTenant, deliveriesOf } from './queue-fixture';

const monitor = useTestMonitor();
let browser: Browser;
let tenantId: string;
let endpoint: string;
beforeAll(async () => {
  browser = await monitor.signIn();
});
beforeEach(async () => {
  await monitor.db('audit_log').delete();
  tenantId = await createTenant(monitor.db);
  endpoint = (await add(monitor.db, tenantId, 'http://127.0.0.1:20009/hook')).id;
});

const statusOf = async (id: string) =>
  (await monitor.db('webhook_endpoints').where({ id }).first<{ status: string }>('status')).status;
const setStatus = (status: string) =>
  monitor.db('webhook_endpoints').where({ id: endpoint }).update({ status });
const firstDelivery = async () => (await deliveriesOf(monitor.db, tenantId))[0]!.id;
const kill = async () => {
  await monitor.db('webhook_queue').delete();
  await monitor
    .db('webhook_deliveries')
    .where({ tenant_id: tenantId })
    .update({ status: 'dead', finished_at: new Date() });
};

/** Posts a form, and follows the redirect as a browser does. Only the first page after the form shows the notice. */
async function act(path: string, fields?: Record<string, string>, referer?: string) {
  const request = browser.post(path, fields);
  const answer = await (referer === undefined ? request : request.set('Referer', monitor.url + referer));
  expect(answer.status).toBe(303);
  const to = answer.headers.location!;
  const page = await browser
    .get(to)
    .set('Cookie', `${browser.cookie}; ${cookieOf(answer, 'monitor_notice')}`);
  expect(page.status).toBe(200);
  expect(setCookies(page)).toEqual([expect.stringMatching(/^monitor_notice=;/)]);
  return { to, text: page.text };
}

describe('an action of an operator on an endpoint', () => {
  it.each([
    ['pause', 'active', 'paused', 'Paused.'],
    ['disable', 'active', 'disabled', 'Disabled.'],
    ['resume', 'paused', 'active', 'Resumed.'],
    ['enable', 'disabled', 'active', 'Enabled.'],
  ])(
    'the action %s of the monitor changes the status of an endpoint, confirms the change, and leaves one audit row',
    async (verb, from, to, text) => {
      await setStatus(from);
      const page = await act(`/endpoints/${endpoint}/${verb}`);
      expect([page.to, page.text]).toEqual([`/endpoints/${endpoint}`, expect.stringContaining(text)]);
      expect(await statusOf(endpoint)).toBe(to);
      expect(await auditRows(monitor.db)).toEqual([
        expect.objectContaining({
          actor: OPERATOR.operator,
          host: OPERATOR.host,
          action: `webhook.${verb}`,
          tenantId,
          subject: endpoint,
          before: expect.objectContaining({ id: endpoint, status: from }),
          after: expect.objectContaining({ id: endpoint, status: to }),
        }),
      ]);
    },
  );

  it.each([
    ['pause', 'paused'],
    ['resume', 'active'],
  ])(
    'the action %s on an endpoint that is already %s changes nothing, and leaves no audit row',
    async (verb, status) => {
      await setStatus(status);
      expect((await act(`/endpoints/${endpoint}/${verb}`)).text).toContain(
        `The endpoint was ${status} already`,
      );
      expect(await auditRows(monitor.db)).toEqual([]);
    },
  );

  it.each([
    ['pause', 'disabled', 'The endpoint is disabled: nothing is sent to it already.'],
    ['resume', 'disabled', 'The endpoint is disabled, not paused: enable it.'],
    ['enable', 'paused', 'The endpoint is paused, not disabled: resume it.'],
    ['ping', 'paused', 'The endpoint is paused: resume it first.'],
    ['retry', 'paused', 'The endpoint is paused: resume it first.'],
  ])(
    'the monitor refuses %s of an endpoint that is %s with the reason, and leaves no audit row',
    async (verb, status, text) => {
      await setStatus(status);
      const page = await act(`/endpoints/${endpoint}/${verb}`);
      expect(page.text).toContain(text);
      expect(await statusOf(endpoint)).toBe(status);
      expect(await auditRows(monitor.db)).toEqual([]);
    },
  );

  it('a ping in the monitor queues one event for the endpoint', async () => {
    expect((await act(`/endpoints/${endpoint}/ping`)).text).toContain('ping is queued');
    expect(await deliveriesOf(monitor.db, tenantId)).toMatchObject([{ eventType: 'ping', endpoint }]);
    expect(await auditRows(monitor.db)).toMatchObject([
      { action: 'webhook.ping', subject: endpoint, tenantId },
    ]);
  });

  it('a retry makes the delivery with the earliest next attempt due, even while sending is paused', async () => {
    expect((await act(`/endpoints/${endpoint}/retry`)).text).toContain('No delivery waits for the endpoint');
    await book(monitor.db, tenantId);
    await book(monitor.db, tenantId);
    const [later, next] = await deliveriesOf(monitor.db, tenantId);
    const inHours = (id: string, hours: number) =>
      monitor
        .db('webhook_queue')
        .where({ delivery_id: id })
        .update({ next_at: monitor.db.raw(`now() + interval '${hours} hours'`) });
    await inHours(later!.id, 2);
    await inHours(next!.id, 1);
    const page = await act(`/endpoints/${endpoint}/retry`, {}, '/');
    expect(page).toEqual({ to: '/', text: expect.stringContaining('The next delivery is due now.') });
    const queued = await monitor
      .db('webhook_queue')
      .where({ endpoint_id: endpoint })
      .where('next_at', '<=', monitor.db.fn.now())
      .select('delivery_id', 'asked');
    expect(queued).toEqual([{ deliveryId: next!.id, asked: true }]);
    expect(await auditRows(monitor.db)).toMatchObject([
      { action: 'delivery.retry', subject: next!.id, tenantId },
    ]);
  });

  it('the monitor refuses an action while another transaction changes the endpoint', async () => {
    await inTransaction(monitor.db, async (trx) => {
      await trx('webhook_endpoints').where({ id: endpoint }).forUpdate();
      expect((await act(`/endpoints/${endpoint}/pause`)).text).toContain('Another operator is changing this');
    });
    expect(await auditRows(monitor.db)).toEqual([]);
  });

  it.each(['pause', 'resume', 'enable', 'disable', 'ping', 'retry', 'rotate-secret'])(
    'the action %s on an unknown or removed endpoint answers 404',
    async (verb) => {
      await inTransaction(monitor.db, (trx) => removeEndpoint(trx, endpoint));
      for (const id of [randomUUID(), 'x', endpoint])
        expect([id, (await browser.post(`/endpoints/${id}/${verb}`)).status]).toEqual([id, 404]);
      expect(await auditRows(monitor.db)).toEqual([]);
    },
  );
});

describe('the rotation of a secret', () => {
  const secrets = () => monitor.db('webhook_secrets').where({ endpoint_id: endpoint }).orderBy('created_at');

  it('the rotation of a secret shows the new secret once, in no header and no cookie', async () => {
    const answer = await browser.post(`/endpoints/${endpoint}/rotate-secret`).expect(200);
    const secret = /whsec_[\w+/=]+/.exec(answer.text.replace(/&#x?\w+;/g, ''))?.[0];
    expect(secret).toBeDefined();
    expect(answer.headers['cache-control']).toBe('no-store');
    expect(JSON.stringify(answer.headers)).not.toContain('whsec_');
    expect(setCookies(answer)).toEqual([]);
    const again = await browser.get(`/endpoints/${endpoint}`).expect(200);
    expect(again.text).not.toContain('whsec_');
    const rows = await auditRows(monitor.db);
    expect(rows).toMatchObject([
      { action: 'webhook.rotate-secret', subject: endpoint, tenantId, before: null, after: null },
    ]);
    expect(monitor.logged()).not.toContain('whsec_');
  });

  it.each([
    ['24', 24],
    ['0', 0],
    ['168', 168],
    [undefined, 24],
  ])('grace_hours %s keeps the old secret valid for %i hours', async (given, hours) => {
    const fields: Record<string, string> = given === undefined ? {} : { grace_hours: given };
    await browser.post(`/endpoints/${endpoint}/rotate-secret`, fields).expect(200);
    const [old, fresh] = await secrets();
    expect(fresh.expiresAt).toBeNull();
    const left = (old.expiresAt.getTime() - Date.now()) / 3_600_000;
    expect(left).toBeCloseTo(hours, 1);
  });

  it.each(['169', '-1', 'x', '1.5', '99999'])('the monitor refuses grace_hours %s', async (given) => {
    const page = await act(`/endpoints/${endpoint}/rotate-secret`, { grace_hours: given });
    expect(page.text).toContain('0 seconds to 7 days');
    expect(await secrets()).toHaveLength(1);
    expect(await auditRows(monitor.db)).toEqual([]);
  });
});

describe('an action of an operator on deliveries', () => {
  it('a retry in the monitor makes a delivery due', async () => {
    await book(monitor.db, tenantId);
    await kill();
    const id = await firstDelivery();
    const page = await act(`/deliveries/${id}/retry`);
    expect([page.to, page.text]).toEqual([
      `/deliveries/${id}`,
      expect.stringContaining('The delivery is due now.'),
    ]);
    expect(await deliveriesOf(monitor.db, tenantId)).toMatchObject([{ id, status: 'pending' }]);
    expect(await auditRows(monitor.db)).toMatchObject([{ action: 'delivery.retry', subject: id, tenantId }]);
  });

  it('the monitor refuses a retry with the reason where the endpoint is not active', async () => {
    await book(monitor.db, tenantId);
    await setStatus('paused');
    const id = await firstDelivery();
    expect((await act(`/deliveries/${id}/retry`)).text).toContain('Its endpoint is paused.');
    expect(await auditRows(monitor.db)).toEqual([]);
  });

  it('the action reveal of the monitor shows personal data, and leaves an audit row', async () => {
    await book(monitor.db, tenantId);
    const id = await firstDelivery();
    const masked = await browser.get(`/deliveries/${id}`).expect(200);
    expect(masked.text).not.toMatch(/zoe@example|37120000000/);
    expect(await auditRows(monitor.db)).toEqual([]);
    const shown = await browser.post(`/deliveries/${id}/reveal`).expect(200);
    expect(shown.text).toContain('zoe@example.com');
    expect(shown.headers['cache-control']).toBe('no-store');
    expect(await auditRows(monitor.db)).toMatchObject([{ action: 'delivery.reveal', subject: id, tenantId }]);
    expect(monitor.logged()).not.toContain('zoe@');
  });

  it.each(['retry', 'reveal'])('the action %s on an unknown delivery answers 404', async (verb) => {
    for (const id of [randomUUID(), 'x']) await browser.post(`/deliveries/${id}/${verb}`).expect(404);
    expect(await auditRows(monitor.db)).toEqual([]);
  });

  it('a replay in the monitor queues the deliveries that match its filter, and names the number held back by paused endpoints', async () => {
    await book(monitor.db, tenantId);
    await kill();
    const page = await act('/replay', { endpoint, status: 'dead' });
    expect(page.text).toContain('1 delivery is queued again.');
    expect(await deliveriesOf(monitor.db, tenantId)).toMatchObject([{ status: 'pending' }]);
    expect(await auditRows(monitor.db)).toMatchObject([
      {
        action: 'delivery.replay',
        subject: endpoint,
        after: { status: 'dead', endpointId: endpoint, replayed: 1 },
      },
    ]);
    await kill();
    await setStatus('paused');
    expect((await act('/replay', { endpoint, status: 'dead' })).text).toContain(
      '1 more is held back by paused or disabled endpoints.',
    );
  });

  it.each([
    [{ status: 'dead' }, 'all deliveries would be sent again'],
    [{ status: 'dead', tenant: 'nobody-has-this' }, 'no tenant has this slug'],
    [{ status: 'dead', since: 'yesterday' }, 'a field is invalid'],
    [{ status: 'lost', tenant: 'x' }, 'a field is invalid'],
  ])('the monitor refuses a replay of %j, and sends nothing', async (fields, text) => {
    await book(monitor.db, tenantId);
    await kill();
    const answer = await browser.post('/replay', fields as Record<string, string>).expect(400);
    expect(answer.text).toContain(text);
    expect(await deliveriesOf(monitor.db, tenantId)).toMatchObject([{ status: 'dead' }]);
    expect(await auditRows(monitor.db)).toEqual([]);
  });
});

describe('the response to an action', () => {
  it.each([
    ['/endpoints?tenant=acme&status=active', '/endpoints?tenant=acme&status=active'],
    ['/?range=7d', '/?range=7d'],
    ['//elsewhere.example/endpoints', undefined],
    ['/sign-in', undefined],
    ['/live', undefined],
    [`/deliveries/${randomUUID()}/reveal`, undefined],
  ])(
    'the response to an action redirects a browser that came from %s to a page of the monitor',
    async (from, to) => {
      const page = await act(`/endpoints/${endpoint}/pause`, {}, from);
      expect(page.to).toBe(to ?? `/endpoints/${endpoint}`);
    },
  );

  it('the response to an action redirects a browser with a foreign or invalid Referer to the page of the endpoint', async () => {
    for (const referer of ['https://elsewhere.example/endpoints', 'javascript:alert(1)', 'x']) {
      const answer = await browser.post(`/endpoints/${endpoint}/pause`).set('Referer', referer);
      expect(answer.headers.location).toBe(`/endpoints/${endpoint}`);
    }
  });

  it('the response to an action sets the notice as a signed cookie for one minute', async () => {
    const answer = await browser.post(`/endpoints/${endpoint}/pause`);
    expect(setCookies(answer)).toEqual([
      expect.stringMatching(
        /^monitor_notice=[\w-]+\.[\w-]{43}; Max-Age=60; Path=\/; .*HttpOnly; SameSite=Strict$/,
      ),
    ]);
    const forged = Buffer.from('{"kind":"done","text":"Send money"}').toString('base64url');
    for (const value of [`${forged}.${'A'.repeat(43)}`, forged, '.', 'x.y', '%ff.%ff']) {
      const page = await browser.get('/').set('Cookie', `${browser.cookie}; monitor_notice=${value}`);
      expect([page.status, page.text.includes('Send money'), setCookies(page)]).toEqual([200, false, []]);
    }
  });

  it('an action writes no secret, token or query to the log', async () => {
    const link = await monitor.newLink();
    await monitor.http.get(`/sign-in/${link}`);
    await monitor.http.post(`/sign-in/${link}`);
    await browser.get('/deliveries?booking_ref=ACME-77&tenant=secret-tenant');
    const logged = monitor.logged();
    const token = browser.cookie.split('=')[1]!;
    for (const secret of [link, token, browser.csrf, 'ACME-77', 'secret-tenant', 'whsec_'])
      expect(logged).not.toContain(secret);
    expect(logged).toContain('"route":"/sign-in/:token"');
  });
});

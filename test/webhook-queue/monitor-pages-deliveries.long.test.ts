import { runInNewContext } from 'node:vm';
import { Webhook } from 'standardwebhooks';
import { inTransaction } from '../../services/platform/database/database';
import { findDeliveriesWithin } from '../../services/webhook-queue/deliveries/find-deliveries';
import { type DeliverySearch } from '../../services/webhook-queue/deliveries/delivery-search.repository';
import { type Params } from '../../services/webhook-queue/monitor/queries/read-query';
import { pauseEndpoint } from '../../services/webhook-queue/endpoints/change-endpoint-state';
import { deliveryPage } from '../../services/webhook-queue/monitor/pages/delivery-page';
import { signPayload, webhookId } from '../../services/webhook-queue/signing/sign-payload';
import { add, book, createTenant, deliveriesOf, startFastWorker, whenAll } from './queue-fixture';
import {
  become,
  booked,
  db,
  deliveries,
  EVIL,
  logAttempt,
  replay,
  slugOf,
  textOf,
  useEmptyQueue,
  delivery,
  endpoint,
  endpoints,
  overview,
  VIEWER,
} from './monitor-pages-fixture';
import { startReceiver } from './receiver';

useEmptyQueue();

/** Returns the ids of the deliveries that the page links to. */
const idsIn = (page: string) =>
  new Set([...page.matchAll(/href="\/deliveries\/([0-9a-f-]{36})"/g)].map(([, id]) => id!));

describe('the page of deliveries', () => {
  it('the page of a new installation explains where deliveries come from', async () => {
    expect(textOf(await deliveries())).toContain('No delivery yet. Each booking creates one.');
    expect(textOf(await deliveries({ status: 'dead' }))).toContain('No delivery matches.');
  });

  it('the page of deliveries names two endpoints of one host by the ends of their paths', async () => {
    await booked('https://hooks.example/tours/prod?key=s3cret');
    await booked('https://hooks.example/tours/staging?key=s3cret');
    await booked('https://alone.example/tours/in');
    const page = await deliveries();
    const table = textOf(page.slice(page.indexOf('<table')));
    for (const name of ['hooks.example/…/prod', 'hooks.example/…/staging', 'alone.example '])
      expect(table).toContain(name);
    expect(page.slice(page.indexOf('<table'))).not.toContain('s3cret');
  });

  it('the page of deliveries finds deliveries by each filter', async () => {
    const dead = await booked('https://dead.example/');
    await logAttempt(dead.id, { outcome: 'timeout', status_code: null });
    await become(dead.id, 'dead', { last_error: 'No answer within 15 s.' });
    const retrying = await booked('https://retrying.example/');
    await logAttempt(retrying.id);
    await become(retrying.id, 'retrying', { last_status_code: 503 });
    const fine = await booked('https://fine.example/', ['booking.created', 'booking.confirmed']);
    await become(fine.id, 'delivered', { last_status_code: 200 });
    await book(db, fine.tenantId, 'booking.confirmed');
    const lonely = await createTenant(db);
    await book(db, lonely);
    const count = async (params: Params) => idsIn(await deliveries(params)).size;
    const only = async (params: Params) => {
      const page = await deliveries(params);
      return [dead, retrying, fine].filter(({ id }) => page.includes(`/deliveries/${id}`));
    };
    expect(await count({})).toBe(5);
    expect(await only({ booking_ref: retrying.bookingRef })).toEqual([retrying]);
    expect(await count({ booking_ref: retrying.bookingRef.slice(0, -1) })).toBe(0);
    expect(await only({ tenant: dead.slug })).toEqual([dead]);
    expect(await count({ tenant: 'nobody' })).toBe(0);
    expect(await only({ endpoint: fine.endpoint.id })).toEqual([fine]);
    expect(await count({ endpoint: 'none' })).toBe(1);
    expect(await only({ status: 'retrying' })).toEqual([retrying]);
    expect(await only({ status: 'delivered' })).toEqual([fine]);
    expect(await count({ type: 'booking.confirmed' })).toBe(1);
    expect(await only({ outcome: 'timeout' })).toEqual([dead]);
    expect(await count({ outcome: 'dns' })).toBe(0);
    expect(await only({ code: '5xx' })).toEqual([retrying]);
    expect(await only({ code: '200' })).toEqual([fine]);
    expect(await count({ since: '2100-01-01' })).toBe(0);
    expect(await count({ until: '2100-01-01', since: '2020-01-01' })).toBe(5);
    expect(await count({ until: '2020-01-01' })).toBe(0);
    expect(await only({ status: 'dead', tenant: dead.slug, outcome: 'timeout' })).toEqual([dead]);
  });

  it('the page of deliveries finds deliveries in flight only with the status delivering', async () => {
    const { id } = await booked();
    await db('webhook_queue')
      .where({ delivery_id: id })
      .update({ worker: 'w', claimed_at: db.fn.now(), lease_until: db.raw("now() + interval '45 seconds'") });
    expect(await deliveries({ status: 'delivering' })).toContain(`/deliveries/${id}`);
    expect(await deliveries({ status: 'pending' })).not.toContain(`/deliveries/${id}`);
    expect(textOf(await deliveries())).toContain('delivering being sent');
  });

  it('a page lists fifty deliveries, and the next page keeps the filter', async () => {
    const tenantId = await createTenant(db);
    await add(db, tenantId, 'https://hooks.example/');
    for (let n = 0; n < 60; n++) await book(db, tenantId);
    const tenant = await slugOf(tenantId);
    const first = await deliveries({ tenant });
    const [, link] = /href="\/deliveries\?([^"]*before=[^"]*)"/.exec(first)!;
    const params = Object.fromEntries(new URLSearchParams(link!.replaceAll('&amp;', '&')));
    expect(params.tenant).toBe(tenant);
    const second = await deliveries(params);
    expect([idsIn(first).size, idsIn(second).size]).toEqual([50, 10]);
    expect(new Set([...idsIn(first), ...idsIn(second)]).size).toBe(60);
  });

  it('the page of deliveries searches a bounded number of deliveries, and says where the search ended', async () => {
    const tenantId = await createTenant(db);
    for (let n = 0; n < 5; n++) await book(db, tenantId, 'booking.created');
    const newest = (await deliveriesOf(db, tenantId)).map(({ id }) => id);
    const look = (search: DeliverySearch, window: number) =>
      findDeliveriesWithin(db, { tenantId, ...search }, { limit: 3, window });
    expect((await look({}, 4)).items.map(({ id }) => id)).toEqual(newest.slice(0, 3));
    expect(await look({ type: 'ping' }, 2)).toEqual({
      items: [],
      stoppedAt: { id: newest[1], createdAt: expect.any(Date) },
    });
    expect(await look({ type: 'ping', before: newest[3] }, 2)).toEqual({ items: [], stoppedAt: null });
  });

  it('the page of deliveries shows each filter in use, and offers tenants and endpoints to choose from', async () => {
    const { slug, endpoint } = await booked();
    const other = await booked('https://other.example/');
    const page = await deliveries({ tenant: slug, endpoint: endpoint.id, status: 'dead' });
    const chips = page.slice(page.indexOf('class="chips"'), page.indexOf('<details'));
    expect(textOf(chips)).toMatch(
      /Status: dead × .*Tenant: \S+ × .*Endpoint: \S+: hooks[.]example\/in × .*Show all/,
    );
    expect(chips).toContain(`href="/deliveries?tenant=${slug}&amp;endpoint=${endpoint.id}"`);
    expect(page).toMatch(new RegExp(`<option value="${endpoint.id}" selected`));
    expect(page).toContain(`<option value="${other.slug}"`);
    expect(page).not.toContain(`<option value="${other.endpoint.id}"`);
    expect(await deliveries()).toContain(`<option value="${other.endpoint.id}"`);
  });

  it('the page of deliveries suggests endpoints while a select would be too long', async () => {
    const { tenantId, endpoint } = await booked();
    await db.raw(
      `insert into webhook_endpoints (tenant_id, url) select ?, 'https://e' || n || '.example/' from generate_series(1, 200) n`,
      [tenantId],
    );
    const page = await deliveries({ endpoint: endpoint.id });
    expect(page).toMatch(
      new RegExp(`id="f-endpoint"[^>]*value="${endpoint.id}"[^>]*list="endpoint-choices"`),
    );
  });

  it('the page of deliveries shows an invalid filter beside its field', async () => {
    const { id } = await booked();
    const page = await deliveries({ code: 'teapot', since: EVIL });
    expect(page).toContain(`/deliveries/${id}`);
    expect(textOf(page)).toContain('“teapot” is ignored. Use a status code from 100 to 599');
    expect(page).toContain('aria-invalid="true" aria-describedby="c-code"');
    expect(page).not.toContain(EVIL);
  });
});

describe('a replay', () => {
  it('the page of a replay counts, before the start, the deliveries to send again and those held back', async () => {
    const dead = await booked();
    await become(dead.id, 'dead');
    const held = await booked();
    await become(held.id, 'dead');
    await inTransaction(db, (trx) => pauseEndpoint(trx, held.endpoint.id));
    const wide = await replay({ status: 'dead' });
    expect(textOf(wide)).toContain('1 delivery would be sent again.');
    expect(textOf(wide)).toContain(
      '1 more of paused endpoints are not included: resume these endpoints first.',
    );
    expect(textOf(wide)).toContain('Name a tenant, an endpoint or a time above');
    expect(wide).not.toContain('action="/replay" method="post"');
    expect(textOf(wide)).toContain(`hooks.example/in ${dead.slug} 1 `);
    expect(textOf(wide)).not.toContain(`hooks.example/in ${held.slug} 1 `);
    const narrow = await replay({ status: 'dead', tenant: dead.slug, since: '2020-01-01' });
    expect(narrow).toMatch(/<form method="post" action="\/replay">/);
    expect(narrow).toContain(`name="tenant" value="${dead.slug}"`);
    expect(narrow).toContain('name="since" value="2020-01-01T00:00:00.000Z"');
    expect(textOf(await replay({ tenant: dead.slug, status: 'delivered' }))).toContain(
      'No delivered delivery',
    );
  });

  it('the page offers no replay for an invalid field', async () => {
    const { id, slug } = await booked();
    await become(id, 'dead');
    const page = await replay({ tenant: slug, since: 'tuesday' });
    expect(page).not.toMatch(/<form method="post" action="\/replay">/);
    expect(textOf(page)).toContain('“tuesday” is ignored.');
    expect(textOf(await replay({ tenant: 'nobody' }))).toContain('There is no tenant nobody');
  });
});

describe('the page of a delivery', () => {
  const signature = (id: string, body: string, secret: Buffer) =>
    signPayload({ id, sentAt: new Date('2026-11-20T12:00:00.700Z'), body }, [secret])['webhook-signature']!;

  it('deliveryPage returns undefined for an unknown id', async () => {
    expect(await deliveryPage(db, 'nonsense', { revealed: true }, VIEWER)).toBeUndefined();
    expect(
      await deliveryPage(db, '01a1f90c-2e58-71b1-ad4e-06a6c9cd238c', { revealed: true }, VIEWER),
    ).toBeUndefined();
  });

  it('the page of a delivery masks personal data in request and response until it is revealed', async () => {
    const { id } = await booked();
    await logAttempt(id, {
      response_headers: { 'x-customer': 'Zoë' },
      response_body: 'No seat for zoe@example.com',
    });
    const personal = ['Müller', '+37120000000', 'zoe@example.com', 'x-customer'];
    const masked = textOf(await delivery(id));
    expect(personal.filter((text) => masked.includes(text))).toEqual([]);
    expect(masked).toContain('"name": "Z… “… M…", "phone": "+37…00", "email": "z…@e….com"');
    expect(masked).toContain('27 bytes of body are hidden');
    const revealed = textOf(await delivery(id, true));
    expect(personal.filter((text) => revealed.includes(text))).toEqual(personal);
    const { rows } = await db.raw<{ rows: [{ body: string }] }>('select body from webhook_events');
    expect(revealed).toContain(rows[0].body);
    expect(revealed).toContain('No seat for zoe@example.com');
  });

  it('the page of a delivery opens only the last failed response, and indents its JSON', async () => {
    const { id } = await booked();
    await logAttempt(id, { response_body: 'older' });
    await logAttempt(id, { number: 2, response_body: '{"error":{"code":"db_down"}}' });
    await logAttempt(id, { number: 3, outcome: 'delivered', status_code: 200, reason: null });
    const page = await delivery(id, true);
    expect([...page.matchAll(/id="attempt-(\d)-received"\s+open/g)].map(([, number]) => number)).toEqual([
      '2',
    ]);
    expect(textOf(page.replaceAll('\n', '⏎'))).toContain('{⏎ "error": {⏎ "code": "db_down"⏎ }⏎}');
  });

  it('the page of a delivery does not refresh itself after personal data is revealed', async () => {
    const { id } = await booked();
    expect(await delivery(id)).toMatch(/<body\s+data-refresh/);
    expect(await delivery(id, true)).not.toContain('data-refresh');
  });

  it('each page escapes text that others wrote', async () => {
    const { id, endpoint: target } = await booked(`https://hooks.example/in?q=%3Cb%3E`);
    await db('webhook_endpoints').update({ url: `https://hooks.example/?${EVIL}`, status_reason: EVIL });
    await logAttempt(id, {
      reason: EVIL,
      peer: EVIL,
      worker: EVIL,
      signature: EVIL,
      response_headers: { [EVIL]: EVIL },
      response_body: EVIL,
    });
    await become(id, 'retrying', { last_error: EVIL });
    await db('webhook_events').update({
      booking_ref: EVIL,
      body: JSON.stringify({ customer: { name: EVIL } }),
    });
    const shown = [
      await delivery(id, true),
      await delivery(id),
      await deliveries(),
      await endpoint(target.id),
      await endpoints(),
      await overview(),
      await replay({ tenant: EVIL, since: EVIL }),
    ];
    for (const page of shown) {
      expect(page).not.toContain('<script>');
      expect(page).not.toMatch(/ style="/);
    }
    expect(shown[0]).toContain('&lt;script&gt;alert(1)&lt;/script&gt;');
  });

  it('the page of a delivery shows each attempt with its phases, the sent headers, and the reason', async () => {
    const { id } = await booked();
    const { eventId } = await db('webhook_deliveries').first<{ eventId: string }>('event_id');
    const phases = { dns: 3, connect: 11, tls: 24, first_byte: 61, body: 2 };
    await logAttempt(id, { phases, peer: '203.0.113.9:443', signature: 'v1,c2lnbmVk' });
    await logAttempt(id, {
      number: 2,
      outcome: 'timeout',
      status_code: null,
      duration_ms: 15_000,
      phases: { dns: 2 },
    });
    const text = textOf(await delivery(id));
    expect(text).toMatch(/Attempt 2 timeout .* Attempt 1 error answer 503 /);
    expect(text).toContain('DNS 3 ms connect 11 ms TLS 24 ms first byte 61 ms body 2 ms');
    expect(text).toContain('DNS 2 ms no answer 15 s');
    expect(text).toContain(
      `content-type application/json user-agent tour-platform-webhooks/1 webhook-id ${webhookId(eventId)} ` +
        'webhook-timestamp 1795176000 webhook-signature v1,c2lnbmVk',
    );
    expect(text).toContain('The receiver answered 503.');
    expect(text).toContain('203.0.113.9:443');
  });

  it('the page of a delivery shows the exact bytes that the receiver got', async () => {
    const receiver = await startReceiver();
    receiver.react((response) => response.writeHead(200, { 'x-request': 'r-1' }).end('thanks'));
    const worker = startFastWorker(db);
    const tenantId = await createTenant(db);
    await add(db, tenantId, receiver.url);
    await book(db, tenantId);
    const [done] = await whenAll(db, tenantId, 'delivered');
    await Promise.all([worker.stop(), receiver.close()]);
    const text = textOf(await delivery(done!.id, true));
    const { headers, body } = receiver.received[0]!;
    for (const name of ['content-type', 'user-agent', 'webhook-id', 'webhook-timestamp', 'webhook-signature'])
      expect(text).toContain(`${name} ${String(headers[name])}`);
    expect(text).toContain(body);
    expect(text).toContain('x-request r-1');
    expect(text).toContain('thanks');
    expect(text).toMatch(/connect (< )?\d+ ms .*first byte (< )?\d+ ms/);
    expect(text).toMatch(/Delivered with the first attempt, [\d.< ]+(ms|s) after its event[.]/);
  });

  it('the page of a delivery contains a program that verifies the signature of the attempt', async () => {
    const { id } = await booked();
    const { eventId } = await db('webhook_deliveries').first<{ eventId: string }>('event_id');
    const { body } = await db('webhook_events').first<{ body: string }>('body');
    const secret = Buffer.alloc(32, 7);
    await logAttempt(id, { signature: signature(webhookId(eventId), body, secret) });
    const page = await delivery(id, true);
    const program = textOf(
      /<pre id="snippet-this-attempt"[^>]*>(.*?)<\/pre>/s.exec(page)![1]!.replaceAll('&#39;', "'"),
    );
    const lines: string[] = [];
    runInNewContext(program.replace(/^.*?node verify.cjs/s, ''), {
      Date,
      require: () => ({ Webhook }),
      process: { env: { WEBHOOK_SECRET: `whsec_${secret.toString('base64')}` } },
      console: { log: (line: string) => lines.push(line) },
    });
    expect(lines).toEqual(['genuine']);
    expect(textOf(await delivery(id))).toContain("readFileSync('body.json', 'utf8')");
  });

  it('the page of a delivery offers a retry only where it is possible', async () => {
    const { id, endpoint: target } = await booked();
    const retry = `action="/deliveries/${id}/retry"`;
    expect(await delivery(id)).toContain(retry);
    await db('webhook_queue').update({
      worker: 'w',
      claimed_at: db.fn.now(),
      lease_until: db.raw("now() + interval '45 seconds'"),
    });
    expect(await delivery(id)).not.toContain(retry);
    await become(id, 'dead');
    expect(await delivery(id)).toContain(retry);
    await inTransaction(db, (trx) => pauseEndpoint(trx, target.id));
    expect(await delivery(id)).not.toContain(retry);
  });

  it('the page of a delivery links the other deliveries of its event', async () => {
    const { tenantId, id } = await booked('https://first.example/');
    await db('webhook_deliveries').delete();
    await db('webhook_queue').delete();
    await add(db, tenantId, 'https://second.example/');
    await book(db, tenantId);
    const [one] = await deliveriesOf(db, tenantId);
    expect(one!.id).not.toBe(id);
    expect(textOf(await delivery(one!.id))).toMatch(/Also sent to (first|second)[.]example pending/);
  });
});

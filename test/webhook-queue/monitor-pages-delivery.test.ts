import { runInNewContext } from 'node:vm';
import { Webhook } from 'standardwebhooks';
import { inTransaction } from '../../services/platform/database';
import { deliveryPage } from '../../services/webhook-queue/monitor/pages/delivery-page';
import { pauseEndpoint } from '../../services/webhook-queue/endpoints/change-endpoint-state';
import { signPayload, webhookId } from '../../services/webhook-queue/signing/sign-payload';
import { add, book, createTenant, deliveriesOf, startFastWorker, whenAll } from './queue-fixture';
import { startReceiver } from './receiver';
import {
  become,
  booked,
  db,
  deliveries,
  delivery,
  endpoint,
  endpoints,
  EVIL,
  logAttempt,
  overview,
  replay,
  textOf,
  useEmptyQueue,
  VIEWER,
} from './monitor-pages-fixture';

useEmptyQueue();

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

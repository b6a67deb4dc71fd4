import { createServer, request as startRequest } from 'node:http';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { tourProxy } from '../../clients/typescript/src/index';
import { useTestApi } from '../support/api';
import { freePorts } from '../support/free-ports';
import { givenDeparture, givenKey, givenTenant, givenTour, type GivenTour } from '../support/given';
import { listen } from '../support/listen';
import { type HttpProxy, startHttpProxy } from './http-proxy';
import { SECRET, SERVERS, type Shop, startShop, VisitorBrowser } from './proxy-fixture';

const api = useTestApi();
let wire: HttpProxy;
let shop: Shop;
let tour: GivenTour;
let date: string;
let errors: unknown[] = [];

beforeAll(async () => {
  tour = await givenTour(api.db);
  date = await givenDeparture(api.db, tour, { seats: 500 });
  const apiKey = await givenKey(api.db, await givenTenant(api.db));
  wire = await startHttpProxy(api.baseUrl);
  const onError = (error: unknown) => void errors.push(error);
  shop = await startShop({ baseUrl: wire.url, apiKey, onError, timeoutMs: 3_000 });
});
beforeEach(() => {
  errors = [];
});
afterAll(async () => {
  await shop.stop();
  await wire.stop();
});

const visitor = () => new VisitorBrowser(shop.api);
const wish = () => ({ tour_id: tour.slug, departure_date: date, quantity: 1 });

describe('an answer of the platform that a visitor cannot use', () => {
  it('a 429 of the platform passes with its Retry-After, and is not repeated', async () => {
    const body = JSON.stringify({ code: 'rate_limited', status: 429, ok: false, request_id: 'r1' });
    const headers = { 'Content-Type': 'application/problem+json', 'Retry-After': '17' };
    wire.plan({ status: 429, headers, body });
    const answer = await visitor().send('GET', '/tours');
    expect(answer).toMatchObject({ status: 429, body: { code: 'rate_limited', request_id: 'r1' } });
    expect(answer.headers.get('retry-after')).toBe('17');
    expect(answer.headers.get('x-request-id')).toBe('r1');
    expect(wire.requests()).toHaveLength(1);
    expect(errors).toEqual([]);
  });

  it('a revoked key is a server error that says nothing of keys, and the site learns the reason', async () => {
    const tenant = await givenTenant(api.db);
    const apiKey = await givenKey(api.db, tenant);
    const own = await startShop({ baseUrl: api.baseUrl, apiKey, onError: (error) => errors.push(error) });
    const browser = new VisitorBrowser(own.api);
    expect((await browser.send('GET', '/tours')).status).toBe(200);
    await api
      .db('api_keys')
      .where({ tenant_id: tenant.id })
      .update({ revoked_at: api.db.raw('now()') });
    for (const [method, path, body] of [
      ['GET', '/tours'],
      ['POST', '/hold', wish()],
    ] as const) {
      const answer = await browser.send(method, path, body);
      expect(answer).toMatchObject({ status: 500, body: { code: 'internal_error' } });
      expect(JSON.stringify([answer.body, ...answer.headers])).not.toMatch(/key|svc_|credential|bearer/i);
    }
    expect(errors).toEqual([
      expect.objectContaining({ code: 'key_revoked' }),
      expect.objectContaining({ code: 'key_revoked' }),
    ]);
    expect(JSON.stringify(errors)).not.toContain(apiKey);
    await own.stop();
  });

  it.each([
    ['that breaks off', 'break off'],
    ['that does not come in time', 'hang'],
    [
      'of another program',
      { status: 200, headers: { 'Content-Type': 'text/html' }, body: '<h1>Welcome</h1>' },
    ],
    ['that redirects', { status: 302, headers: { Location: 'http://elsewhere.example/' } }],
    ['that a gateway refuses', { status: 502, body: 'Bad gateway' }],
  ] as const)('an answer %s is a server error that may be tried again', async (_name, step) => {
    wire.plan(step);
    const answer = await visitor().send('GET', '/tours?limit=3');
    expect(answer).toMatchObject({ status: 500, body: { code: 'internal_error', retryable: true } });
    expect(answer.headers.get('retry-after')).toBe('1');
    expect(errors).toHaveLength(1);
    expect(wire.requests()).toHaveLength(1);
  });

  it('a platform that is away is a server error that may be tried again', async () => {
    const [port] = await freePorts();
    const away = await startShop({
      baseUrl: `http://127.0.0.1:${port}`,
      apiKey: 'svc_live_x',
      onError: (error) => errors.push(error),
    });
    const browser = new VisitorBrowser(away.api);
    for (const [method, path, body] of [
      ['GET', '/tours'],
      ['POST', '/hold', wish()],
    ] as const) {
      const answer = await browser.send(method, path, body);
      expect(answer).toMatchObject({ status: 500, body: { retryable: true } });
      expect(JSON.stringify(answer.body)).not.toContain(`${port}`);
    }
    expect(errors).toHaveLength(2);
    await away.stop();
  });

  it('a refusal of the platform passes with its facts', async () => {
    const answer = await visitor().send('POST', '/hold', { ...wish(), departure_date: '2020-01-01' });
    expect(answer).toMatchObject({
      status: 409,
      body: { code: 'departure_gone', alternatives: [{ departure_date: date }] },
    });
  });
});

/** Sends a body as bytes, in pieces if `pause` says so. */
async function sendBytes(
  address: string,
  chunks: (string | Buffer)[],
  { headers = {}, pause = 0 }: { headers?: Record<string, string | undefined>; pause?: number } = {},
) {
  const sent: Record<string, string | undefined> = {
    'content-type': 'application/json',
    'sec-fetch-site': 'same-origin',
    ...headers,
  };
  const given = Object.entries(sent).filter(([, value]) => value !== undefined) as [string, string][];
  const client = startRequest(`${address}/hold`, { method: 'POST', headers: Object.fromEntries(given) });
  const answer = new Promise<{ status: number; body: string }>((resolve, reject) => {
    client.once('error', reject);
    client.once('response', (response) => {
      void text(response).then((body) => resolve({ status: response.statusCode!, body }));
    });
  });
  for (const chunk of chunks) {
    client.write(chunk);
    if (pause > 0) await sleep(pause);
  }
  client.end();
  const { status, body } = await answer;
  return { status, code: JSON.parse(body).code as string };
}

describe.each(Object.entries(SERVERS))('a body on %s', (name, start) => {
  let site: Shop;
  const hasParser = name.includes('express.json');
  beforeAll(async () => {
    site = await start({
      baseUrl: api.baseUrl,
      apiKey: 'svc_live_x',
      secret: SECRET,
      onError: () => undefined,
    });
  });
  afterAll(() => site.stop());

  it('a body of 16 KiB is read, and one byte more is 413, with and without a length', async () => {
    const json = (bytes: number) => `{"external_ref":"${'x'.repeat(bytes - 19)}"}`;
    const most = json(16 * 1024);
    const tooMuch = json(16 * 1024 + 1);
    expect(await sendBytes(site.api, [most])).toEqual({ status: 400, code: 'validation_failed' });
    expect(await sendBytes(site.api, [tooMuch])).toEqual({ status: 413, code: 'body_too_large' });
    const headers = { 'content-length': `${tooMuch.length}` };
    expect(await sendBytes(site.api, [tooMuch], { headers })).toEqual({
      status: 413,
      code: 'body_too_large',
    });
  });

  it('a body that comes in pieces is read', async () => {
    const pieces = ['{"external', '_ref":', '"x"}'];
    const answer = await sendBytes(site.api, pieces, { pause: 30 });
    expect(answer).toEqual({ status: 400, code: 'validation_failed' });
  });

  it('a body of another type is 415', async () => {
    for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'application/jsonp', undefined]) {
      const answer = await sendBytes(site.api, ['{}'], { headers: { 'content-type': type } });
      expect(answer).toEqual({ status: 415, code: 'unsupported_media_type' });
    }
    const utf8 = { headers: { 'content-type': 'Application/JSON; charset=UTF-8' } };
    expect((await sendBytes(site.api, ['{}'], utf8)).status).toBe(400);
  });

  it('an empty body in chunks is no body', async () => {
    const headers = { 'content-type': undefined, 'transfer-encoding': 'chunked' };
    expect(await sendBytes(site.api, [], { headers })).toEqual({ status: 400, code: 'validation_failed' });
  });

  it('a body that is no JSON object in UTF-8 is 400', async () => {
    const invalid = hasParser ? ['[1]'] : ['{', '[1]', '"x"', 'null', Buffer.from([0x7b, 0xff, 0x7d])];
    for (const body of invalid) {
      expect(await sendBytes(site.api, [body])).toEqual({ status: 400, code: 'malformed_json' });
    }
  });
});

describe('a body that the site has read before the proxy', () => {
  it('a body of which no value is left is a server error that tells the site what to mount first', async () => {
    const { proxy } = shop;
    const server = createServer((request, response) => {
      void text(request).then(() => proxy(request, response));
    });
    const port = await listen(server);
    expect(await sendBytes(`http://127.0.0.1:${port}/shop`, ['{}'])).toMatchObject({ status: 500 });
    server.close();
    const headers = { 'content-type': 'application/json', 'sec-fetch-site': 'same-origin' };
    const request = new Request(`${shop.api}/hold`, { method: 'POST', headers, body: '{}' });
    await request.text();
    expect((await proxy(request)).status).toBe(500);
    expect(errors.map(String)).toEqual(Array(2).fill(expect.stringContaining('Mount the proxy before')));
  });

  it.each<[string, Record<string, string>]>([
    ['with a length', { 'content-length': '19' }],
    ['in chunks', { 'transfer-encoding': 'chunked' }],
  ])(
    'a body %s of which a listener of the site gets the first bytes is a server error, not an empty body',
    async (_name, headers) => {
      const allow = () => sleep(100).then(() => true);
      const onError = (error: unknown) => void errors.push(error);
      const proxy = tourProxy({
        baseUrl: wire.url,
        apiKey: 'svc_live_x',
        secret: SECRET,
        path: '/shop',
        allow,
        onError,
      });
      const server = createServer((request, response) => {
        let logged = '';
        request.on('data', (chunk: Buffer) => (logged += chunk.toString()));
        void proxy(request, response);
      });
      const site = `http://127.0.0.1:${await listen(server)}/shop`;
      wire.plan();
      const sent = { headers, pause: 30 };
      for (const pieces of [['{"hold_minutes":19}'], ['{"hold_min', 'utes":19}']]) {
        expect(await sendBytes(site, pieces, sent)).toEqual({ status: 500, code: 'internal_error' });
      }
      expect(errors.map(String)).toEqual(Array(2).fill(expect.stringContaining('Mount the proxy before')));
      expect(wire.requests()).toEqual([]);
      server.closeAllConnections();
      server.close();
    },
  );

  it('a request without a body passes', async () => {
    const request = new Request(`${shop.api}/hold/extend`, {
      method: 'POST',
      headers: { 'sec-fetch-site': 'same-origin' },
      body: new ReadableStream({ start: (stream) => stream.close() }),
      duplex: 'half',
    });
    request.body!.getReader();
    expect((await shop.proxy(request)).status).toBe(404);
  });
});

describe('a visitor who leaves', () => {
  it('a connection that ends in the middle of a body leaves the proxy working', async () => {
    const client = startRequest(`${shop.api}/hold`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'sec-fetch-site': 'same-origin' },
    });
    client.on('error', () => undefined);
    client.write('{"tour_id":');
    await sleep(50);
    client.destroy();
    await sleep(50);
    expect((await visitor().send('GET', '/tours?limit=1')).status).toBe(200);
    expect(errors).toEqual([]);
  });
});

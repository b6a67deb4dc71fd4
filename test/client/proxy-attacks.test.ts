import { createServer, type IncomingMessage, request as startRequest } from 'node:http';
import { text } from 'node:stream/consumers';
import { BODY_MAX, readJson } from '../../clients/typescript/src/proxy/body';
import { readFetchRequest } from '../../clients/typescript/src/proxy/fetch-server';
import { readNodeRequest } from '../../clients/typescript/src/proxy/node-server';
import { useTestApi } from '../support/api';
import { givenDeparture, givenKey, givenTenant, givenTour, type GivenTour } from '../support/given';
import { listen } from '../support/listen';
import { type HttpProxy, startHttpProxy } from './http-proxy';
import { type Shop, startShop, VisitorBrowser } from './proxy-fixture';

const api = useTestApi();
let wire: HttpProxy;
let shop: Shop;
let tour: GivenTour;
let date: string;
let errors: unknown[] = [];

beforeAll(async () => {
  tour = await givenTour(api.db);
  date = await givenDeparture(api.db, tour, { seats: 200 });
  const apiKey = await givenKey(api.db, await givenTenant(api.db));
  wire = await startHttpProxy(api.baseUrl);
  shop = await startShop({ baseUrl: wire.url, apiKey, onError: (error) => void errors.push(error) });
});
beforeEach(() => {
  errors = [];
});
afterAll(async () => {
  await shop.stop();
  await wire.stop();
});

const visitor = () => new VisitorBrowser(shop.api);
const page = { 'sec-fetch-site': 'same-origin', 'content-type': 'application/json' };

/** Sends a request with a target and headers that fetch does not send. @param headers names and values in turns */
async function sendRaw(method: string, target: string, headers: string[], body = '') {
  const { hostname, port } = new URL(shop.api);
  const sent = [...headers, 'Content-Length', `${body.length}`];
  const client = startRequest({ hostname, port, method, path: target, headers: sent });
  const answer = await new Promise<IncomingMessage>((resolve, reject) => {
    client.once('response', resolve).once('error', reject).end(body);
  });
  const json = JSON.parse((await text(answer)) || '{}') as { code?: string };
  return { status: answer.statusCode, code: json.code };
}

describe('a body that comes too slowly', () => {
  it.each(['node:http', 'fetch'])(
    'the body of a request on %s is refused when its time is over',
    async (kind) => {
      const server = createServer((request, response) => {
        const { body } =
          kind === 'fetch'
            ? readFetchRequest(endlessRequest(), undefined)
            : readNodeRequest(request, request, undefined);
        void readJson(body, BODY_MAX, 100).then(
          () => response.end('read'),
          (error: { more: { errors: { message: string }[] } }) => response.end(error.more.errors[0]!.message),
        );
      });
      const port = await listen(server);
      const client = startRequest({ port, method: 'POST', headers: page });
      client.on('error', () => undefined).write('{"tour_id":');
      const answer = await new Promise<IncomingMessage>((resolve) => client.once('response', resolve));
      expect(await text(answer)).toBe('must arrive within 0.1 seconds');
      client.destroy();
      server.close();
    },
  );
});

/** Returns a request whose body sends a part, and then nothing. */
function endlessRequest(): Request {
  const body = new ReadableStream({ start: (stream) => stream.enqueue(Buffer.from('{')) });
  return new Request('http://127.0.0.1/hold', { method: 'POST', headers: page, body, duplex: 'half' });
}

describe('a problem of a gateway before the platform', () => {
  it.each([
    ['without an id', { code: 'not_found' }],
    ['with an id that would end its header', { code: 'not_found', request_id: 'r1\r\nSet-Cookie: x=1' }],
    ['with an id that is no text', { code: 'not_found', request_id: { toString: 1 } }],
  ])('a problem %s passes without the id', async (_name, problem) => {
    const headers = { 'Content-Type': 'application/problem+json' };
    wire.plan({ status: 404, headers, body: JSON.stringify(problem) });
    const answer = await visitor().send('GET', '/tours');
    expect(answer).toMatchObject({ status: 404, body: { code: 'not_found' } });
    expect(answer.headers.get('x-request-id')).toBeNull();
    expect(answer.headers.get('set-cookie')).toBeNull();
  });

  it.each(['null', '[', '"x"', ''])('a problem with the body %j is a server error', async (body) => {
    wire.plan({ status: 404, headers: { 'Content-Type': 'application/problem+json' }, body });
    const answer = await visitor().send('GET', '/tours');
    expect(answer).toMatchObject({ status: 500, body: { code: 'internal_error', retryable: true } });
    expect(errors).toHaveLength(1);
  });
});

describe('an answer of a gateway that is no problem', () => {
  it.each([
    [429, 429, 'rate_limited', 0],
    [503, 500, 'internal_error', 1],
  ])('Retry-After of a page with the status %i passes', async (ofGateway, status, code, reported) => {
    const headers = { 'Content-Type': 'text/html', 'Retry-After': '9' };
    wire.plan({ status: ofGateway, headers, body: '<h1>Busy</h1>' });
    const answer = await visitor().send('GET', '/tours');
    expect(answer).toMatchObject({ status, body: { code, retryable: true } });
    expect(answer.headers.get('retry-after')).toBe('9');
    expect(errors).toHaveLength(reported);
  });

  it('an error in onError does not change the answer', async () => {
    const logged = jest.spyOn(console, 'error').mockImplementation(() => undefined);
    const careless = await startShop({
      baseUrl: wire.url,
      apiKey: 'svc_live_x',
      onError: () => {
        throw new Error('no log');
      },
    });
    wire.plan({ status: 503, body: '' });
    expect((await new VisitorBrowser(careless.api).send('GET', '/tours')).status).toBe(500);
    expect(logged).toHaveBeenCalledTimes(1);
    logged.mockRestore();
    await careless.stop();
  });
});

describe('a request that no browser sends', () => {
  it('a client that never ends its body gets the answer, and a second later the end of its connection', async () => {
    const { hostname, port } = new URL(shop.api);
    const headers = { ...page, 'Transfer-Encoding': 'chunked' };
    for (const [path, status] of [
      ['/shop/hold', 413],
      ['/shop/unknown', 404],
    ] as const) {
      const client = startRequest({ hostname, port, method: 'POST', path, headers });
      const closed = new Promise((resolve) => client.once('close', resolve));
      client.on('error', () => undefined);
      const sending = setInterval(() => client.write('x'.repeat(10_000)), 20);
      const answer = await new Promise<IncomingMessage>((resolve) => client.once('response', resolve));
      answer.on('error', () => undefined).resume();
      expect(answer.statusCode).toBe(status);
      await closed;
      clearInterval(sending);
    }
  });

  it('the header Host decides the site, whatever the target and a second Host say', async () => {
    const { host } = new URL(shop.api);
    const evil = ['Origin', 'http://evil.example', 'Content-Type', 'application/json'];
    const foreign = { status: 403, code: 'origin_not_allowed' };
    const targets = ['http://evil.example/shop/hold', '/shop/hold'];
    wire.plan();
    for (const target of targets) {
      expect(await sendRaw('POST', target, ['Host', host, ...evil], '{}')).toEqual(foreign);
      const twice = ['Host', host, 'Host', 'evil.example', ...evil];
      expect((await sendRaw('POST', target, twice, '{}')).status).toBeGreaterThanOrEqual(400);
    }
    expect(wire.requests()).toEqual([]);
    const own = await sendRaw('GET', `http://${host}/shop/tours/x`, ['Host', host]);
    expect(own).toEqual({ status: 404, code: 'tour_not_found' });
  });

  it('a query and a slug add no header, line or path to the request of the platform', async () => {
    wire.plan();
    const query = `q=${encodeURIComponent('x\r\nX-Evil: 1\r\n\r\nGET /api/tenant/bookings')}`;
    expect((await visitor().send('GET', `/tours?${query}`)).status).toBeLessThan(500);
    for (const { method, url, headers } of wire.requests()) {
      expect([method, new URL(url, wire.url).pathname]).toEqual(['GET', '/api/tenant/catalog']);
      expect(headers).not.toHaveProperty('x-evil');
    }
    expect((await visitor().send('GET', '/tours/a%0d%0ab')).status).toBe(404);
  });

  it('HEAD and OPTIONS of a path have no body, and no shared cache may keep what sets a cookie', async () => {
    for (const [method, path] of [
      ['HEAD', '/tours'],
      ['HEAD', '/hold'],
      ['OPTIONS', '/tours'],
      ['OPTIONS', '/hold'],
      ['OPTIONS', '/booking'],
      ['GET', '/hold'],
      ['GET', '/booking'],
    ] as const) {
      const { headers } = await visitor().send(method, path);
      const keeps = headers.get('cache-control')!;
      expect(keeps).toMatch(headers.has('set-cookie') ? /^no-store$/ : /^(no-store|private, no-cache)$/);
    }
  });

  it('a page of no origin writes nothing', async () => {
    const headers = ['Host', new URL(shop.api).host, 'Origin', 'null', 'Content-Type', 'application/json'];
    expect((await sendRaw('POST', '/shop/hold', headers, '{}')).status).toBe(403);
    expect((await sendRaw('OPTIONS', '/shop/hold', headers)).status).toBe(403);
  });
});

describe('a body that names what every object has', () => {
  it.each([
    ['a category named __proto__', '"party": {"adult": 1, "__proto__": 40}'],
    ['a category named constructor', '"party": {"adult": 1, "constructor": 40}'],
    ['a field named __proto__', '"quantity": 1, "__proto__": {"external_ref": "x", "hold_minutes": 60}'],
    ['seats and units that contradict each other', '"quantity": 1, "adults": 40'],
    ['seats and a party that contradict each other', '"quantity": 1, "party": {"adult": 40}'],
  ])('%s holds no seat', async (_name, fields) => {
    const before = await api.db('seat_holds').count();
    const answer = await fetch(`${shop.api}/hold`, {
      method: 'POST',
      headers: page,
      body: `{"tour_id": "${tour.slug}", "departure_date": "${date}", ${fields}}`,
    });
    expect([400, 409]).toContain(answer.status);
    expect(await api.db('seat_holds').count()).toEqual(before);
    expect(({} as Record<string, unknown>).external_ref).toBeUndefined();
  });
});

import type { Response } from 'supertest';
import { startTestApi, useTestApi } from '../support/api';
import { givenTour } from '../support/given';
import { sendRaw } from '../support/send-raw';
import { givenWebsite, useWebsite } from '../support/website';

const api = useTestApi();
const reader = useWebsite(api, {}, ['catalog:read']);
let slug: string;
beforeAll(async () => {
  slug = (await givenTour(api.db)).slug;
});

const raw = (...lines: string[]) => sendRaw(api, ...lines, 'Connection: close');
const ANSWERS: [string, number, () => PromiseLike<Response>][] = [
  ['a list', 200, () => reader.get('/api/tenant/catalog')],
  ['a tour', 200, () => reader.get(`/api/tenant/tours/${slug}`)],
  [
    'availability',
    200,
    () => reader.get(`/api/gateway/tours/${slug}/availability?departure_date=2027-01-01`),
  ],
  ['the health of the process', 200, () => api.http.get('/healthz')],
  ['its readiness', 200, () => api.http.get('/readyz')],
  ['the description of the API', 200, () => api.http.get('/openapi.json')],
  ['OPTIONS', 204, () => api.http.options('/api/tenant/catalog')],
  ['bad input', 400, () => reader.get('/api/tenant/catalog?limit=0')],
  ['a path that cannot be decoded', 400, () => api.http.get('/api/tenant/tours/%zz')],
  ['a body that is not JSON', 400, () => post('{')],
  ['bytes that are not HTTP', 400, () => raw('nonsense')],
  ['no credential', 401, () => api.http.get('/api/tenant/catalog')],
  ['an unknown tour', 404, () => reader.get('/api/tenant/tours/none')],
  ['an unknown path', 404, () => api.http.get('/none')],
  ['another method', 405, () => api.http.put('/api/tenant/catalog')],
  ['a body that is too large', 413, () => post(JSON.stringify({ name: 'x'.repeat(70_000) }))],
  ['another type of body', 415, () => post('name=x', 'application/x-www-form-urlencoded')],
];

async function post(body: string, type = 'application/json'): Promise<Response> {
  const booker = await givenWebsite(api, {}, ['booking:create']);
  const headers = { authorization: `Bearer ${booker.key}`, 'content-type': type };
  return api.http.post('/api/tenant/bookings').set(headers).send(body);
}

describe.each(ANSWERS)('the answer to %s (%i)', (_what, status, ask) => {
  it('the answer has a request id and security headers, and does not name the software', async () => {
    const response = await ask();
    expect(response.status).toBe(status);
    expect(response.headers).toMatchObject({
      'x-request-id': expect.stringMatching(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/),
      'x-content-type-options': 'nosniff',
      'strict-transport-security': expect.stringMatching(/^max-age=\d{7,}/),
      'content-security-policy': "default-src 'none';frame-ancestors 'none';base-uri 'none'",
      'x-frame-options': 'DENY',
    });
    const names = Object.keys(response.headers);
    expect(names).not.toEqual(expect.arrayContaining(['x-powered-by']));
    expect(names).not.toEqual(expect.arrayContaining(['server']));
  });

  it('the answer has no CORS header and no cookie', async () => {
    const names = Object.keys((await ask()).headers);
    expect(names.filter((name) => name.startsWith('access-control') || name === 'set-cookie')).toEqual([]);
  });
});

describe('the headers for browsers that render an answer', () => {
  const FOR_PAGES = {
    'referrer-policy': 'no-referrer',
    'cross-origin-opener-policy': 'same-origin',
    'cross-origin-resource-policy': 'same-origin',
  };

  it.each(['/', '/docs', '/docs/guide', '/docs/errors/not_found'])(
    'the page %s has the headers for browsers that render it',
    async (path) => {
      expect((await api.http.get(path)).headers).toMatchObject(FOR_PAGES);
    },
  );

  it('an answer with data has no headers for rendered pages, whether it is cached or not', async () => {
    for (let n = 0; n < 3; n++) {
      const names = Object.keys((await reader.get('/api/tenant/catalog')).headers);
      expect(names.filter((name) => name in FOR_PAGES)).toEqual([]);
    }
  });
});

describe('CORS', () => {
  it('a server route sends no CORS header to any origin', async () => {
    for (const origin of ['https://shop.example', 'null', 'https://api.example.test']) {
      const { headers } = await reader.get('/api/tenant/catalog').set({ origin });
      expect(Object.keys(headers).filter((name) => name.startsWith('access-control'))).toEqual([]);
    }
  });
});

describe('X-Request-Id', () => {
  it('each request gets a new id', async () => {
    const ids = await Promise.all(
      [1, 2, 3].map(async () => (await api.http.get('/healthz')).headers['x-request-id']),
    );
    expect(new Set(ids).size).toBe(3);
  });

  it.each(['a', 'order-17', 'Root=1-67891233-abcdef012345678912345678', 'x'.repeat(128)])(
    'the API takes the X-Request-Id of a caller: %j',
    async (id) => {
      const { headers, body } = await api.http.get('/none').set({ 'x-request-id': id });
      expect([headers['x-request-id'], body.request_id]).toEqual([id, id]);
    },
  );

  it.each(['x'.repeat(129), 'with space', '<script>alert</script>', 'ana@example.com'])(
    'the API replaces an X-Request-Id of another form: %j',
    async (id) => {
      expect((await api.http.get('/none').set({ 'x-request-id': id })).body.request_id).not.toBe(id);
    },
  );

  it('the API does not take an X-Request-Id that holds a credential, because the log has the id', async () => {
    const behind = await startTestApi({ trustProxy: ['127.0.0.1'] });
    const { key } = await givenWebsite(behind);
    for (const id of [key, key.slice(0, 12), `trace-${key.slice(0, 40)}`]) {
      const { headers, body } = await behind.http.get('/none').set({ 'x-request-id': id });
      expect(JSON.stringify([headers, body])).not.toContain('svc_');
    }
    await behind.stop();
  });
});

describe('forwarding headers without a trusted proxy', () => {
  it('an address in X-Forwarded-For does not reset the count of failures', async () => {
    const limit = 60;
    const ask = (n: number) =>
      api.http.get('/api/tenant/catalog').set({ authorization: 'Bearer x', 'x-forwarded-for': `9.9.9.${n}` });
    for (let n = 0; n < limit; n++) await ask(n);
    expect((await ask(250)).status).toBe(429);
  });

  it('a forged host or protocol never appears in links', async () => {
    for (let n = 0; n < 2; n++) await givenTour(api.db);
    const forged = { 'x-forwarded-host': 'evil.example', 'x-forwarded-proto': 'http', host: 'evil.example' };
    const { headers, text } = await reader.get('/api/tenant/catalog?limit=1').set(forged);
    expect(headers.link).toMatch(/^<https:\/\/api\.example\.test\//);
    expect(text).not.toContain('evil.example');
  });
});

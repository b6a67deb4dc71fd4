import { useTestApi } from '../support/api';
import { givenTour } from '../support/given';
import { expectProblem } from '../support/responses';
import { sendRaw } from '../support/send-raw';
import { useWebsite } from '../support/website';

const api = useTestApi();
const reader = useWebsite(api, {}, ['catalog:read']);

const raw = (method: string, path: string) =>
  sendRaw(api, `${method} ${path} HTTP/1.1`, 'Host: a', 'Connection: close');

describe('an unknown path', () => {
  it.each([
    '/api',
    '/api/tenant',
    '/api/tenant/catalogue',
    '/API/tenant/catalog',
    '/api/tenant/Catalog',
    '/api/tenant//catalog',
    '/api/tenant/tours',
    '/api/tenant/tours/',
    '/api/tenant/tours/a/b',
    '/api/tenant/tours/a/departures/b',
    '/api/gateway/tours/a',
    '/api/tenant/../../etc/passwd',
    '/api/tenant%2Fcatalog',
    '/.env',
    '/admin',
    '/metrics',
    '/__proto__',
    '/constructor',
  ])('an unknown path gets 404 before the API asks for a credential: %s', async (path) => {
    expectProblem(await raw('GET', path), 404, 'not_found');
    expectProblem(await raw('POST', path), 404, 'not_found');
    expectProblem(await raw('OPTIONS', path), 404, 'not_found');
  });

  it('the answer to an unknown path does not repeat the request', async () => {
    const response = await raw('GET', '/secret-path?api_key=secret-key');
    expect(response.text).not.toContain('secret');
  });
});

const ROUTES: [string, string[]][] = [
  ['/api/tenant/catalog', ['GET', 'HEAD', 'OPTIONS']],
  ['/api/tenant/tours/x', ['GET', 'HEAD', 'OPTIONS']],
  ['/api/tenant/tours/x/departures', ['GET', 'HEAD', 'OPTIONS']],
  ['/api/gateway/tours/x/availability', ['GET', 'HEAD', 'OPTIONS']],
  ['/api/gateway/tours/x/hold', ['OPTIONS', 'POST']],
  ['/api/gateway/holds', ['GET', 'HEAD', 'OPTIONS']],
  ['/api/gateway/holds/x', ['DELETE', 'GET', 'HEAD', 'OPTIONS', 'PATCH']],
  ['/api/gateway/holds/x/extend', ['OPTIONS', 'POST']],
  ['/api/tenant/bookings', ['GET', 'HEAD', 'OPTIONS', 'POST']],
  ['/api/tenant/bookings/x', ['GET', 'HEAD', 'OPTIONS', 'PATCH']],
  ['/api/tenant/bookings/x/confirm', ['OPTIONS', 'POST']],
  ['/api/tenant/bookings/x/cancel', ['OPTIONS', 'POST']],
  ['/healthz', ['GET', 'HEAD', 'OPTIONS']],
  ['/openapi.json', ['GET', 'HEAD', 'OPTIONS']],
  ['/', ['GET', 'HEAD', 'OPTIONS']],
];

describe.each(ROUTES)('%s', (path, methods) => {
  const foreign = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'TRACE', 'PROPFIND'].filter(
    (method) => !methods.includes(method),
  );

  it('a route answers 405 with Allow to any other method, before it asks for a credential', async () => {
    for (const method of foreign) {
      const response = await raw(method, path);
      expectProblem(response, 405, 'method_not_allowed');
      expect(response.headers.allow).toBe(methods.join(', '));
    }
  });

  it('a route answers OPTIONS with an Allow header and without CORS headers', async () => {
    const response = await api.http.options(path).set({
      origin: 'https://shop.example',
      'access-control-request-method': 'GET',
      'access-control-request-headers': 'authorization',
    });
    expect([response.status, response.text, response.headers.allow]).toEqual([204, '', methods.join(', ')]);
    const cors = Object.keys(response.headers).filter((name) => name.startsWith('access-control'));
    expect(cors).toEqual([]);
  });
});

describe('HEAD', () => {
  it('HEAD answers the status and headers of GET, and no body', async () => {
    const tour = await givenTour(api.db);
    for (const path of [
      '/api/tenant/catalog',
      `/api/tenant/tours/${tour.slug}`,
      '/api/tenant/tours/no-such-tour',
    ]) {
      const get = await reader.get(path);
      const head = await api.http.head(path).set({ authorization: `Bearer ${reader.key}` });
      expect([head.status, head.text]).toEqual([get.status, undefined]);
      for (const name of ['content-type', 'cache-control', 'content-length', 'ratelimit-limit']) {
        expect(head.headers[name]).toBe(get.headers[name]);
      }
    }
  });

  it('HEAD checks the query and the credential like GET', async () => {
    const head = (path: string) => api.http.head(path).set({ authorization: `Bearer ${reader.key}` });
    expect((await head('/api/tenant/catalog?limit=0')).status).toBe(400);
    expect((await head('/api/tenant/catalog?nonsense=1')).status).toBe(400);
    expect((await api.http.head('/api/tenant/catalog')).status).toBe(401);
  });
});

import { useTestApi } from '../support/api';
import { givenDeparture, givenTour } from '../support/given';
import { expectProblem } from '../support/responses';
import { sendRaw } from '../support/send-raw';
import { givenWebsite, useWebsite } from '../support/website';

const api = useTestApi();
const reader = useWebsite(api, {}, ['catalog:read', 'booking:read']);
let slug: string;
beforeAll(async () => {
  const tour = await givenTour(api.db);
  await givenDeparture(api.db, tour);
  slug = tour.slug;
});

const ROUTES = {
  catalog: () => '/api/tenant/catalog?',
  tour: () => `/api/tenant/tours/${slug}?`,
  departures: () => `/api/tenant/tours/${slug}/departures?`,
  availability: () => `/api/gateway/tours/${slug}/availability?departure_date=2027-01-01&`,
};

describe.each(Object.entries(ROUTES))('a query of the %s', (_name, route) => {
  it.each([
    'departure=1',
    'Limit=5',
    'tenant_id=1',
    'limit[]=5',
    'limit[gt]=5',
    'q[__proto__]=1',
    '__proto__=1',
    'constructor=1',
    'toString',
    '=1',
  ])('the API refuses the unknown parameter %s', async (query) => {
    const response = await reader.get(route() + query);
    expectProblem(response, 400, 'unknown_parameter');
    expect(response.body.errors).toEqual([
      {
        in: 'query',
        field: decodeURIComponent(query.split('=')[0]!) || '(empty name)',
        message: 'is not a parameter of this call',
      },
    ]);
  });

  it('the API names all unknown parameters in one answer, without their values', async () => {
    const response = await reader.get(`${route()}nonsense=svc_secret_value&other=svc_secret_value`);
    expectProblem(response, 400, 'unknown_parameter');
    expect(response.body.errors.map((issue: { field: string }) => issue.field)).toEqual([
      'nonsense',
      'other',
    ]);
    expect(response.text).not.toContain('svc_secret_value');
  });
});

describe('a query parameter', () => {
  it.each([
    ['/api/tenant/catalog?limit=abc&q=', ['limit', 'q']],
    ['/api/tenant/catalog?limit=500', ['limit']],
    ['/api/tenant/catalog?continent=%00', ['continent']],
    [`/api/tenant/catalog?limit=0&colour=red&q=${'x'.repeat(101)}`, ['colour', 'limit', 'q']],
    ['/api/tenant/bookings?limit=101&from=x&to=2026-02-31&status=paid', ['limit', 'from', 'to', 'status']],
    [
      '/api/tenant/bookings?departure_from=x&departure_to=2026-02-31&updated_since=2026-02-28',
      ['departure_from', 'departure_to', 'updated_since'],
    ],
    ['/api/tenant/tours/x/departures?status=open&limit=0', ['status', 'limit']],
    ['/api/gateway/tours/x/availability?departure_date=x&quantity=51', ['departure_date', 'quantity']],
    ['/api/gateway/tours/x/availability?quantity=0&colour=red', ['colour', 'quantity', 'departure_date']],
    ['/api/tenant/tours/x/departures?from=x&to=y&limit=0', ['from', 'to', 'limit']],
    ['/api/tenant/catalog?continent=a%0d%0ab', ['continent']],
    ['/api/tenant/catalog?cursor=%7F', ['cursor']],
    ['/api/tenant/catalog?cursor=', ['cursor']],
  ])('the API refuses %s and names each wrong parameter', async (path, fields) => {
    const response = await reader.get(path);
    expectProblem(response, 400, 'validation_failed');
    expect(response.body.errors).toEqual(
      fields.map((field) => ({ in: 'query', field, message: expect.any(String) })),
    );
  });

  it('the API accepts a parameter with a bare percent sign', async () => {
    for (const q of ['%', '%zz', '100%', 'H%C3%A0%'])
      expect((await reader.get(`/api/tenant/catalog?q=${q}`)).status).toBe(200);
  });

  it.each(['q=%FF', 'q=%ED%A0%80', 'limit=2&q=a%C3', 'q=%C3%28', 'limit=abc&q=%ff', 'q=%ff%'])(
    'the API refuses the query %s, whose bytes are not UTF-8',
    async (query) => {
      const response = await reader.get(`/api/tenant/catalog?${query}`);
      expectProblem(response, 400, 'validation_failed');
      expect(response.body.errors).toEqual([
        { in: 'query', field: 'q', message: 'must be percent-encoded UTF-8' },
      ]);
    },
  );

  it('the API checks a parameter of thousands of characters in linear time', async () => {
    for (const continent of ['a'.repeat(8000), '-'.repeat(5000), `${'a'.repeat(3000)}!`]) {
      const begun = performance.now();
      expect((await reader.get('/api/tenant/catalog').query({ continent })).status).toBe(200);
      expect(performance.now() - begun).toBeLessThan(5000);
    }
  });
});

describe('a path', () => {
  it.each([
    '/api/tenant/tours/%zz',
    '/api/tenant/tours/%',
    '/api/tenant/tours/%ff',
    '/api/tenant/tours/%c0%80/departures',
    '/api/gateway/tours/%E0%A4%A/availability?departure_date=2027-01-01',
  ])('the API refuses the path %s, which cannot be decoded', async (path) => {
    const response = await sendRaw(
      api,
      `GET ${path} HTTP/1.1`,
      'Host: x',
      `Authorization: Bearer ${reader.key}`,
      'Connection: close',
    );
    expectProblem(response, 400, 'validation_failed');
    expect(response.body.errors).toEqual([
      { in: 'path', field: 'path', message: 'must be percent-encoded UTF-8' },
    ]);
  });
});

describe('bytes that are not one HTTP request', () => {
  it.each([
    ['no request line', ['nonsense']],
    ['no Host', ['GET /healthz HTTP/1.1']],
    ['two Hosts', ['GET /healthz HTTP/1.1', 'Host: a', 'Host: b']],
    ['a space before the colon', ['GET /healthz HTTP/1.1', 'Host: a', 'X-A : b']],
    ['a header line that ends with LF alone', ['GET /healthz HTTP/1.1', 'Host: a', 'X-A: b\nX-B: c']],
    ['a continued header line', ['GET /healthz HTTP/1.1', 'Host: a', 'Transfer-Encoding:', ' chunked']],
    [
      'two Content-Length headers',
      ['POST /healthz HTTP/1.1', 'Host: a', 'Content-Length: 1', 'Content-Length: 2'],
    ],
    [
      'Content-Length and Transfer-Encoding',
      ['POST / HTTP/1.1', 'Host: a', 'Content-Length: 1', 'Transfer-Encoding: chunked'],
    ],
    ['an unknown Transfer-Encoding', ['POST / HTTP/1.1', 'Host: a', 'Transfer-Encoding: chunked, xchunked']],
    ['a NUL in a header', ['GET /healthz HTTP/1.1', 'Host: a', 'X-A: \u0000']],
    ['too many bytes of headers', ['GET /healthz HTTP/1.1', 'Host: a', `X-A: ${'a'.repeat(20_000)}`]],
    ['a space in the path', ['GET /health z HTTP/1.1', 'Host: a']],
  ])('a request with %s gets a problem document with the security headers', async (_what, lines) => {
    const response = await sendRaw(api, ...lines, 'Connection: close');
    expectProblem(response, 400, 'validation_failed');
    expect(response.headers).toMatchObject({
      'x-content-type-options': 'nosniff',
      'strict-transport-security': expect.any(String),
      'content-security-policy': expect.stringContaining("default-src 'none'"),
    });
  });

  it('the API answers a problem document to a chunked body that cannot be decoded', async () => {
    const { key } = await givenWebsite(api, {}, ['booking:create']);
    const response = await sendRaw(
      api,
      'POST /api/tenant/bookings HTTP/1.1',
      'Host: a',
      `Authorization: Bearer ${key}`,
      'Content-Type: application/json',
      'Transfer-Encoding: chunked',
      '',
      'zz',
      '{}',
    );
    expectProblem(response, 400, 'validation_failed');
    expect(response.body.errors).toEqual([{ in: 'body', field: 'body', message: 'could not be read' }]);
    expect(response.headers.connection).toBe('close');
  });

  it('malformed bytes do not affect the next connection', async () => {
    await sendRaw(api, 'nonsense');
    expect((await api.http.get('/healthz')).status).toBe(200);
  });

  it('the API ignores an unknown Expect header', async () => {
    const response = await sendRaw(
      api,
      'GET /healthz HTTP/1.1',
      'Host: a',
      'Expect: gold',
      'Connection: close',
    );
    expect(response.status).toBe(200);
  });
});

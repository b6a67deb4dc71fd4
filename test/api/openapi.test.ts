import type { Schema } from '../../services/api/docs/openapi-document';
import { useTestApi } from '../support/api';
import { OPERATIONS, resolve } from '../support/documented-operations';
import { PROBLEMS } from '../../services/api/http/problems';

interface Operation {
  security: Record<string, string[]>[];
  'x-required-scope'?: string;
  summary?: string;
  parameters?: { in: string; name: string; required?: boolean; schema: Record<string, unknown> }[];
  responses: Record<string, unknown>;
}
interface Route {
  path: string;
  methods: Record<string, boolean>;
}

const api = useTestApi();
/** The operations under /api/, each by its method and path: `GET /api/tenant/catalog`. */
let operations: [string, Operation][];
let schemes: string[];
beforeAll(async () => {
  const { body } = await api.http.get('/openapi.json');
  schemes = Object.keys(body.components.securitySchemes);
  const paths = Object.entries(body.paths as Record<string, Record<string, Operation>>);
  operations = paths
    .filter(([path]) => path.startsWith('/api/'))
    .flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, operation]): [string, Operation] => [
        `${method.toUpperCase()} ${path}`,
        operation,
      ]),
    );
});

/** Returns the routes that the application serves. */
function routesOfApp(): Route[] {
  const { stack } = api.app.router as unknown as { stack: { route?: Route }[] };
  return stack.flatMap(({ route }) => route ?? []);
}

/** Returns the methods of a route. Leaves out OPTIONS, which CORS adds. */
const methodsOf = ({ methods }: Route) => Object.keys(methods).filter((method) => method !== 'options');
const named = (name: string) => operations.find(([key]) => key === name)![1];

describe('GET /openapi.json', () => {
  it('GET /openapi.json needs no credential and answers an OpenAPI document', async () => {
    const { status, headers, body } = await api.http.get('/openapi.json');
    expect([status, headers['content-type']]).toEqual([200, expect.stringMatching(/^application\/json/)]);
    expect(body).toMatchObject({
      openapi: expect.stringMatching(/^3\.\d/),
      info: { title: 'Tour Platform' },
    });
  });

  it('GET /openapi.json describes every call that is served under /api, and no other', () => {
    const served = routesOfApp()
      .filter(({ path }) => path.startsWith('/api/'))
      .flatMap((route) => {
        const path = route.path.replace(/:(\w+)/g, '{$1}');
        return methodsOf(route).map((method) => `${method.toUpperCase()} ${path}`);
      });
    expect(operations.map(([name]) => name).sort()).toEqual(served.sort());
  });

  it('only holds, bookings and subscriptions of OCTO have write calls, because operators use the terminal', () => {
    const isWrite = (method: string) => method !== 'get' && method !== 'head';
    const writes = routesOfApp()
      .filter((route) => methodsOf(route).some(isWrite))
      .map(({ path }) => path);
    const ofTenants =
      /^\/(api\/gateway\/(tours\/:\w+\/hold|holds\/)|api\/tenant\/bookings|octo\/(bookings|availability|notifications))/;
    expect(writes.filter((path) => !ofTenants.test(path))).toEqual([]);
    expect(writes.length).toBeGreaterThan(10);
  });

  it.each([
    ['GET /api/tenant/catalog', 'catalog:read'],
    ['GET /api/tenant/catalog/filters', 'catalog:read'],
    ['GET /api/tenant/tours/{id_or_slug}', 'catalog:read'],
    ['GET /api/tenant/tours/{id_or_slug}/departures', 'catalog:read'],
    ['GET /api/gateway/tours/{id_or_slug}/availability', 'catalog:read'],
    ['POST /api/gateway/tours/{id_or_slug}/hold', 'booking:create'],
    ['GET /api/gateway/holds/{hold_id}', 'booking:create'],
    ['DELETE /api/gateway/holds/{hold_id}', 'booking:create'],
    ['POST /api/gateway/holds/{hold_id}/extend', 'booking:create'],
    ['POST /api/tenant/bookings', 'booking:create'],
    ['GET /api/tenant/bookings', 'booking:read'],
    ['GET /api/tenant/bookings/{booking_ref}', 'booking:read'],
    ['POST /api/tenant/bookings/{booking_ref}/confirm', 'booking:manage'],
    ['POST /api/tenant/bookings/{booking_ref}/cancel', 'booking:manage'],
  ])('GET /openapi.json documents that %s needs the scope %s', (name, scope) => {
    expect(named(name)['x-required-scope']).toBe(scope);
    expect(named(name).security).toEqual([{ apiKey: [] }, { apiKeyInQuery: [] }]);
  });

  it('GET /openapi.json names a credential for every call', () => {
    for (const [name, { security, summary }] of operations) {
      const named = security.flatMap((requirement) => Object.keys(requirement));
      expect([name, named.length, Boolean(summary)]).toEqual([name, 2, true]);
      for (const scheme of named) expect(schemes).toContain(scheme);
    }
  });

  it.each([
    ['GET /api/tenant/catalog', 'limit', { type: 'integer', minimum: 1, maximum: 100, default: 24 }],
    [
      'GET /api/tenant/tours/{id_or_slug}/departures',
      'limit',
      { type: 'integer', minimum: 1, maximum: 366, default: 100 },
    ],
    [
      'GET /api/gateway/tours/{id_or_slug}/availability',
      'quantity',
      { type: 'integer', minimum: 1, default: 1 },
    ],
    ['GET /api/gateway/tours/{id_or_slug}/availability', 'departure_date', { type: 'string' }],
  ])('GET /openapi.json documents for %s the type and limits of %s', (name, parameter, schema) => {
    expect(named(name).parameters!.find((it) => it.name === parameter)!.schema).toMatchObject(schema);
  });

  it('GET /openapi.json documents the longest length of each list in a body', () => {
    const unlimited = (schema: Schema, at: string): string[] => {
      const { items, maxItems, properties = {} } = resolve(schema);
      if (items) return [...(maxItems === undefined ? [at] : []), ...unlimited(items, at)];
      return Object.entries(properties).flatMap(([name, part]) => unlimited(part, `${at}.${name}`));
    };
    const found = OPERATIONS.flatMap(({ id, body }) => (body ? unlimited(body, id) : []));
    expect(found).toEqual([]);
  });

  it('GET /openapi.json documents the error statuses of each call', () => {
    for (const [name, { responses }] of operations) {
      const statuses = Object.keys(responses);
      expect([name, statuses]).toEqual([name, expect.arrayContaining(['400', '401', '429', '500'])]);
      for (const status of statuses.filter((it) => it >= '400')) {
        expect(Object.values(PROBLEMS).map((problem) => String(problem.status))).toContain(status);
      }
    }
  });
});

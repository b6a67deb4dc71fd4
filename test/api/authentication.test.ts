import { issueWidgetToken } from '../../services/api/credentials/manage-credentials';
import { mintCredentialToken } from '../../services/api/credentials/token';
import openapi from '../../services/api/generated/openapi.json';
import { inTransaction } from '../../services/platform/database';
import { createMemoryQuotaStore } from '../../services/platform/shared-store/quota-store';
import { useTestApi } from '../support/api';
import { PEPPER } from '../support/given';
import { expectProblem, withoutRequestId } from '../support/responses';
import { sendRaw } from '../support/send-raw';
import { givenWebsite, useWebsite } from '../support/website';

const CATALOG = '/api/tenant/catalog';

const SCOPES: [method: string, path: string, scope: string][] = [
  ['GET', '/api/tenant/catalog', 'catalog:read'],
  ['GET', '/api/tenant/catalog/filters', 'catalog:read'],
  ['GET', '/api/tenant/tours/x', 'catalog:read'],
  ['GET', '/api/tenant/tours/x/departures', 'catalog:read'],
  ['GET', '/api/gateway/tours/x/availability?departure_date=2027-01-01', 'catalog:read'],
  ['POST', '/api/gateway/tours/x/hold', 'booking:create'],
  ['GET', '/api/gateway/holds', 'booking:create'],
  ['GET', '/api/gateway/holds/x', 'booking:create'],
  ['PATCH', '/api/gateway/holds/x', 'booking:create'],
  ['DELETE', '/api/gateway/holds/x', 'booking:create'],
  ['POST', '/api/gateway/holds/x/extend', 'booking:create'],
  ['POST', '/api/tenant/bookings', 'booking:create'],
  ['GET', '/api/tenant/bookings', 'booking:read'],
  ['GET', '/api/tenant/bookings/x', 'booking:read'],
  ['PATCH', '/api/tenant/bookings/x', 'booking:manage'],
  ['POST', '/api/tenant/bookings/x/confirm', 'booking:manage'],
  ['POST', '/api/tenant/bookings/x/cancel', 'booking:manage'],
];

const api = useTestApi();
const reader = useWebsite(api, {}, ['catalog:read']);
// Resets the count of failed attempts, because all tests use one address.
beforeEach(() => {
  api.context.quotas = createMemoryQuotaStore();
});

const ask = (headers: Record<string, string>, query = '') => api.http.get(CATALOG + query).set(headers);
const withKey = (key: string) => ask({ authorization: `Bearer ${key}` });
const changeKey = (columns: object) =>
  api.db('api_keys').where({ tenant_id: reader.tenant.id }).update(columns);
const flip = (text: string, at: number) =>
  text.slice(0, at) + (text.at(at) === 'a' ? 'b' : 'a') + text.slice(at + 1);

/** Returns a token with this id, another secret and a correct checksum. */
async function forgedFor(id: string): Promise<string> {
  const { id: own, token } = mintCredentialToken('api_key');
  await api.db('api_keys').where({ id }).update({ id: own });
  return token;
}

async function givenWidgetToken(): Promise<string> {
  const { db } = api;
  return (await inTransaction(db, (trx) => issueWidgetToken(trx, PEPPER, reader.tenant, {}))).token;
}

describe('an API key', () => {
  it.each(['Bearer ', 'bearer ', 'BEARER ', 'Bearer  '])('is accepted after %j', async (scheme) => {
    const response = await ask({ authorization: scheme + reader.key });
    expect(response.status).toBe(200);
    expect(response.headers.deprecation).toBeUndefined();
  });

  it('is accepted in the query, with a deprecation header and without caching', async () => {
    const { status, headers } = await ask({}, `?api_key=${reader.key}`);
    expect({ status, cache: headers['cache-control'] }).toEqual({ status: 200, cache: 'no-store' });
    expect(headers.deprecation).toMatch(/^@\d+$/);
  });

  it.each(['trial', 'active'])('is accepted for a tenant with the status %s', async (status) => {
    await api.db('tenants').where({ id: reader.tenant.id }).update({ status });
    expect((await withKey(reader.key)).status).toBe(200);
  });

  it('is accepted until its expiry by the clock of the database', async () => {
    await changeKey({ expires_at: api.db.raw("now() + interval '1 minute'") });
    expect((await withKey(reader.key)).status).toBe(200);
    await changeKey({ expires_at: null });
  });
});

describe('a request without a valid secret', () => {
  it('gets the same 401 for every wrong key (T6)', async () => {
    const { key } = reader;
    const stranger = (await givenWebsite(api, {}, ['catalog:read'])).key;
    const tried = [
      '',
      ' ',
      'a',
      `${key} x`,
      `${key},`,
      `"${key}"`,
      key.slice(0, -1),
      `${key}a`,
      key.toLowerCase(),
      flip(key, -1),
      flip(key, 12),
      flip(key, 25),
      key.replace('live', 'test'),
      'x'.repeat(10_000),
      `${key}\u00e9`,
      mintCredentialToken('api_key').token,
      await forgedFor(stranger.slice(9, 21)),
    ];
    const first = await ask({ authorization: 'Bearer nonsense' });
    expectProblem(first, 401, 'invalid_api_key');
    expect(first.body.title).toBe('Unauthorized');
    expect(first.headers['www-authenticate']).toBe('Bearer realm="api", error="invalid_token"');
    for (const token of tried.slice(1)) {
      expect(withoutRequestId(await withKey(token))).toEqual(withoutRequestId(first));
    }
  });

  it.each([
    ['none at all', {}, ''],
    ['none in the header', { authorization: '' }, ''],
    ['a scheme alone', { authorization: 'Bearer' }, ''],
    ['another scheme', { authorization: 'Basic dXNlcjpwYXNz' }, ''],
    ['the key without a scheme', { authorization: 'KEY' }, ''],
    ['an empty parameter', {}, '?api_key='],
    ['a wrong parameter', {}, '?api_key=nonsense'],
  ])('gets the same body: %s (T6)', async (_what, headers, query) => {
    const given = Object.fromEntries(
      Object.entries(headers).map(([name, value]) => [name, value.replace('KEY', reader.key)]),
    );
    const response = await ask(given, query);
    expectProblem(response, 401, 'invalid_api_key');
    const wrong = await withKey('nonsense');
    const bodyOf = (answer: unknown) => (answer as { text: string }).text;
    expect(bodyOf(withoutRequestId(response))).toBe(bodyOf(withoutRequestId(wrong)));
    expect(response.headers['www-authenticate']).toMatch(/^Bearer realm="api"/);
    expect(response.headers['cache-control']).toBe('no-store');
  });

  it('gets a challenge without an error code when it sends no credential (RFC 6750)', async () => {
    expect((await ask({})).headers['www-authenticate']).toBe('Bearer realm="api"');
  });

  it('gets another code when its credential is of the wrong kind (T6)', async () => {
    const token = await givenWidgetToken();
    expectProblem(await withKey(token), 401, 'wrong_credential_type');
    expectProblem(await ask({}, `?api_key=${token}`), 401, 'wrong_credential_type');
    expectProblem(await withKey(flip(token, -1)), 401, 'invalid_api_key');
    expectProblem(await api.http.get(`/api/widget/tours?token=${reader.key}`), 401, 'wrong_credential_type');
  });
});

describe('a key with a valid secret', () => {
  afterEach(async () => {
    await changeKey({ expires_at: null, revoked_at: null, scopes: ['catalog:read'] });
    await api.db('tenants').where({ id: reader.tenant.id }).update({ status: 'active' });
  });

  it.each<[string, string, () => Promise<unknown>]>([
    ['has expired', 'key_expired', () => changeKey({ expires_at: api.db.raw('now()') })],
    ['was revoked', 'key_revoked', () => changeKey({ revoked_at: api.db.raw('now()') })],
    ['is of a suspended tenant', 'tenant_inactive', () => changeTenant('suspended')],
    ['is of a closed tenant', 'tenant_inactive', () => changeTenant('closed')],
    [
      'lacks the scope',
      'insufficient_scope',
      () => changeKey({ scopes: ['booking:create', 'booking:read'] }),
    ],
  ])('is refused from the next request on when it %s (T6)', async (_what, code, change) => {
    expect((await withKey(reader.key)).status).toBe(200);
    await change();
    const response = await withKey(reader.key);
    expectProblem(response, 401, code);
    expect(response.body.title).toBe('Unauthorized');
    const scope = code === 'insufficient_scope';
    expect(response.headers['www-authenticate']).toBe(
      `Bearer realm="api", error="${scope ? 'insufficient_scope", scope="catalog:read' : 'invalid_token'}"`,
    );
    expectProblem(await withKey(flip(reader.key, 30)), 401, 'invalid_api_key');
  });

  const changeTenant = (status: string) =>
    api.db('tenants').where({ id: reader.tenant.id }).update({ status });

  it('has a known scope for every call (T21)', () => {
    const scopes = Object.entries(openapi.paths as Record<string, Record<string, object>>)
      .filter(([path]) => path.startsWith('/api/tenant/') || path.startsWith('/api/gateway/'))
      .flatMap(([path, calls]) =>
        Object.entries(calls).map(([method, call]) => [
          method.toUpperCase(),
          path.replace(/\{\w+\}/g, 'x'),
          (call as { 'x-required-scope'?: string })['x-required-scope'],
        ]),
      );
    const known = SCOPES.map(([method, path, scope]) => [method, path.split('?')[0], scope]);
    expect(scopes.sort()).toEqual(known.sort());
  });

  it.each(SCOPES)('needs for %s %s the scope %s and no other scope (T21)', async (method, path, scope) => {
    const send = () => {
      const verb = method.toLowerCase() as 'get' | 'post' | 'patch' | 'delete';
      return api.http[verb](path).set({ authorization: `Bearer ${reader.key}` });
    };
    await changeKey({ scopes: [scope] });
    expect((await send()).status).not.toBe(401);
    const others = ['catalog:read', 'booking:create', 'booking:read', 'booking:manage'].filter(
      (other) => other !== scope,
    );
    await changeKey({ scopes: others });
    const refused = await send();
    expectProblem(refused, 401, 'insufficient_scope');
    expect(refused.headers['www-authenticate']).toContain(`scope="${scope}"`);
  });
});

describe('two credentials', () => {
  it('count as one when header and query have the same key', async () => {
    const response = await ask({ authorization: `Bearer ${reader.key}` }, `?api_key=${reader.key}`);
    expect(response.status).toBe(200);
    expect(response.headers['cache-control']).toBe('no-store');
  });

  it.each([
    ['channels that differ', { authorization: 'Bearer a' }, '?api_key=KEY', 'multiple_credentials'],
    [
      'a good header and a wrong parameter',
      { authorization: 'Bearer KEY' },
      '?api_key=b',
      'multiple_credentials',
    ],
    ['a key and a widget token', { authorization: 'Bearer KEY' }, '?token=t', 'multiple_credentials'],
    [
      'a key and a widget header',
      { authorization: 'Bearer KEY', 'x-svc-widget-token': 't' },
      '',
      'multiple_credentials',
    ],
    ['a parameter twice', {}, '?api_key=KEY&api_key=KEY', 'duplicate_parameter'],
  ])('are refused: %s (T35)', async (_what, headers, query, code) => {
    const given = Object.fromEntries(
      Object.entries(headers).map(([name, value]) => [name, value.replace('KEY', reader.key)]),
    );
    const response = await ask(given, query.replaceAll('KEY', reader.key));
    expectProblem(response, 400, code);
    expect(response.text).not.toContain(reader.key);
  });

  it("are not repeated in the answer when they are a parameter's name", async () => {
    const response = await ask({ authorization: `Bearer ${reader.key}` }, `?${reader.key}=1`);
    expectProblem(response, 400, 'unknown_parameter');
    expect(response.text).not.toContain(reader.key);
  });

  it('are refused when the header is sent twice, although Node keeps only the first (T7)', async () => {
    const header = `Authorization: Bearer ${reader.key}`;
    const response = await sendRaw(
      api,
      `GET ${CATALOG} HTTP/1.1`,
      'Host: a',
      header,
      header,
      'Connection: close',
    );
    expectProblem(response, 400, 'multiple_credentials');
  });
});

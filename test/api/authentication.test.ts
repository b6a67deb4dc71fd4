import { issueWidgetToken } from '../../services/api/credentials/manage-credentials';
import { mintCredentialToken } from '../../services/api/credentials/token';
import openapi from '../../services/api/generated/openapi.json';
import { inTransaction } from '../../services/platform/database/database';
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
  ['GET', '/api/tenant/bookings/x/cancellation', 'booking:read'],
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
const changeTenant = (status: string) => api.db('tenants').where({ id: reader.tenant.id }).update({ status });
const flip = (text: string, at: number) =>
  text.slice(0, at) + (text.at(at) === 'a' ? 'b' : 'a') + text.slice(at + 1);

/** Puts the real key in place of KEY. */
const withRealKey = (headers: Record<string, string>) =>
  Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, value.replace('KEY', reader.key)]),
  );

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

describe('authentication with an API key', () => {
  it.each(['Bearer ', 'bearer ', 'BEARER ', 'Bearer  '])(
    'the API accepts an API key after the scheme %j',
    async (scheme) => {
      const response = await ask({ authorization: scheme + reader.key });
      expect(response.status).toBe(200);
      expect(response.headers.deprecation).toBeUndefined();
    },
  );

  it('the API accepts a key in the query, and answers with a Deprecation header and no-store', async () => {
    const { status, headers } = await ask({}, `?api_key=${reader.key}`);
    expect({ status, cache: headers['cache-control'] }).toEqual({ status: 200, cache: 'no-store' });
    expect(headers.deprecation).toMatch(/^@\d+$/);
  });

  it.each(['trial', 'active'])('the API accepts the key of a tenant with the status %s', async (status) => {
    await changeTenant(status);
    expect((await withKey(reader.key)).status).toBe(200);
  });

  it('the API accepts a key that expires in one minute by the clock of the database', async () => {
    await changeKey({ expires_at: api.db.raw("now() + interval '1 minute'") });
    expect((await withKey(reader.key)).status).toBe(200);
    await changeKey({ expires_at: null });
  });
});

describe('a request without a valid secret', () => {
  it('every wrong key gets the same 401', async () => {
    const { key } = reader;
    const stranger = (await givenWebsite(api, {}, ['catalog:read'])).key;
    const tried = [
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
    for (const token of tried) {
      expect(withoutRequestId(await withKey(token))).toEqual(withoutRequestId(first));
    }
  });

  it.each([
    ['no credential', {}, ''],
    ['an empty Authorization header', { authorization: '' }, ''],
    ['a scheme alone', { authorization: 'Bearer' }, ''],
    ['another scheme', { authorization: 'Basic dXNlcjpwYXNz' }, ''],
    ['a key without a scheme', { authorization: 'KEY' }, ''],
    ['an empty api_key', {}, '?api_key='],
    ['a wrong api_key', {}, '?api_key=nonsense'],
  ])('a request with %s gets the same problem document as a wrong key', async (_what, headers, query) => {
    const response = await ask(withRealKey(headers), query);
    expectProblem(response, 401, 'invalid_api_key');
    const wrong = await withKey('nonsense');
    const bodyOf = (answer: unknown) => (answer as { text: string }).text;
    expect(bodyOf(withoutRequestId(response))).toBe(bodyOf(withoutRequestId(wrong)));
    expect(response.headers['www-authenticate']).toMatch(/^Bearer realm="api"/);
    expect(response.headers['cache-control']).toBe('no-store');
  });

  it('a request without a credential gets a challenge without an error code (RFC 6750)', async () => {
    expect((await ask({})).headers['www-authenticate']).toBe('Bearer realm="api"');
  });

  it('only a valid credential of the wrong kind gets wrong_credential_type', async () => {
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
    await changeTenant('active');
  });

  it.each<[string, string, () => Promise<unknown>]>([
    ['has expired', 'key_expired', () => changeKey({ expires_at: api.db.raw('now()') })],
    ['was revoked', 'key_revoked', () => changeKey({ revoked_at: api.db.raw('now()') })],
    ['belongs to a suspended tenant', 'tenant_inactive', () => changeTenant('suspended')],
    ['belongs to a closed tenant', 'tenant_inactive', () => changeTenant('closed')],
    [
      'lacks the scope',
      'insufficient_scope',
      () => changeKey({ scopes: ['booking:create', 'booking:read'] }),
    ],
  ])('the API refuses the next request with a key that %s', async (_what, code, change) => {
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

  it('the OpenAPI document names the scope of every call with an API key', () => {
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

  it.each(SCOPES)('%s %s needs the scope %s and no other', async (method, path, scope) => {
    const send = () => {
      const verb = method.toLowerCase() as 'get' | 'post' | 'patch' | 'delete';
      return api.http[verb](path).set({ authorization: reader.authorization });
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
  it('the same key in header and query counts as one credential', async () => {
    const response = await ask({ authorization: reader.authorization }, `?api_key=${reader.key}`);
    expect(response.status).toBe(200);
    expect(response.headers['cache-control']).toBe('no-store');
  });

  it.each([
    [
      'a wrong key in the header and a valid one in the query',
      { authorization: 'Bearer a' },
      '?api_key=KEY',
      'multiple_credentials',
    ],
    [
      'a valid key in the header and a wrong one in the query',
      { authorization: 'Bearer KEY' },
      '?api_key=b',
      'multiple_credentials',
    ],
    [
      'a key in the header and a widget token in the query',
      { authorization: 'Bearer KEY' },
      '?token=t',
      'multiple_credentials',
    ],
    [
      'a key and a widget token in two headers',
      { authorization: 'Bearer KEY', 'x-svc-widget-token': 't' },
      '',
      'multiple_credentials',
    ],
    ['a key that is twice in the query', {}, '?api_key=KEY&api_key=KEY', 'duplicate_parameter'],
  ])('the API answers 400 to a request with two credentials: %s', async (_what, headers, query, code) => {
    const response = await ask(withRealKey(headers), query.replaceAll('KEY', reader.key));
    expectProblem(response, 400, code);
    expect(response.text).not.toContain(reader.key);
  });

  it('a key that is sent as the name of a parameter does not appear in the answer', async () => {
    const response = await ask({ authorization: reader.authorization }, `?${reader.key}=1`);
    expectProblem(response, 400, 'unknown_parameter');
    expect(response.text).not.toContain(reader.key);
  });

  it('the API refuses two Authorization headers, although Node keeps only the first', async () => {
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

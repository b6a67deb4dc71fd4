import type { Test } from 'supertest';
import { rotateCredential } from '../../services/api/credentials/manage-credentials';
import { updateTenant } from '../../services/api/tenants/manage-tenants';
import type { TenantQuotas } from '../../services/api/tenants/tenant';
import { inTransaction } from '../../services/platform/database/database';
import { createMemoryQuotaStore } from '../../services/platform/shared-store/quota-store';
import { useTestApi } from '../support/api';
import { givenKey, PEPPER } from '../support/given';
import { expectProblem } from '../support/responses';
import { givenWebsite, type Website } from '../support/website';

const QUOTAS = { availability: 4, hold: 3, booking: 2, catalog: 5, widget: 9 };
const CATALOG = '/api/tenant/catalog';

const api = useTestApi({ quotas: QUOTAS, trustProxy: 1 });
let reader: Website;
beforeEach(async () => {
  api.context.quotas = createMemoryQuotaStore();
  reader = await givenWebsite(api, {}, ['catalog:read', 'booking:create', 'booking:read', 'booking:manage']);
});

const call = (method: string, path: string, key = reader.key): Test =>
  api.http[method.toLowerCase() as 'get'](path).set({ authorization: `Bearer ${key}` });
const spendAll = async (method: string, path: string, times: number) => {
  for (let n = 0; n < times; n++) await call(method, path);
};

describe('a quota', () => {
  it.each([
    ['catalog', 'GET', '/api/tenant/catalog', 200],
    ['catalog', 'GET', '/api/tenant/catalog?limit=0', 400],
    ['catalog', 'HEAD', '/api/tenant/catalog', 200],
    ['catalog', 'GET', '/api/tenant/catalog/filters', 200],
    ['catalog', 'GET', '/api/tenant/tours/no-such-tour', 404],
    ['catalog', 'GET', '/api/tenant/tours/no-such-tour/departures', 404],
    ['catalog', 'GET', '/api/tenant/bookings', 200],
    ['catalog', 'GET', '/api/tenant/bookings/none', 404],
    ['catalog', 'GET', '/api/gateway/holds/none', 404],
    ['availability', 'GET', '/api/gateway/tours/none/availability?departure_date=2027-01-01', 404],
    ['availability', 'GET', '/api/gateway/tours/none/availability', 400],
    ['hold', 'POST', '/api/gateway/tours/none/hold', 400],
    ['hold', 'POST', '/api/gateway/holds/none/extend', 400],
    ['hold', 'DELETE', '/api/gateway/holds/none', 404],
    ['booking', 'POST', '/api/tenant/bookings', 400],
    ['booking', 'POST', '/api/tenant/bookings/none/confirm', 404],
    ['booking', 'POST', '/api/tenant/bookings/none/cancel', 404],
  ] as const)(
    'a request counts against the %s quota, which its answer reports: %s %s (answer %i)',
    async (kind, method, path, status) => {
      const limit = QUOTAS[kind];
      for (let left = limit - 1; left >= 0; left--) {
        const response = await call(method, path);
        expect(response.status).toBe(status);
        const reset = Number(response.headers['ratelimit-reset']);
        expect(reset).toBeGreaterThanOrEqual(1);
        expect(reset).toBeLessThanOrEqual(60);
        expect(response.headers).toMatchObject({
          'ratelimit-policy': `"${kind}";q=${limit};w=60`,
          ratelimit: `"${kind}";r=${left};t=${reset}`,
          'ratelimit-limit': String(limit),
          'ratelimit-remaining': String(left),
        });
      }
      const refused = await call(method, path);
      expect(refused.status).toBe(429);
      expect(refused.headers['ratelimit-remaining']).toBe('0');
      expect(Number(refused.headers['retry-after'])).toBeGreaterThanOrEqual(1);
      expect(refused.headers['retry-after']).toMatch(/^\d+$/);
    },
  );

  it('a used-up quota answers rate_limited, which is retryable', async () => {
    await spendAll('GET', CATALOG, QUOTAS.catalog);
    const response = await call('GET', CATALOG);
    expectProblem(response, 429, 'rate_limited');
    expect(response.body.retryable).toBe(true);
  });

  it('a used-up quota of one kind leaves the other kinds unchanged', async () => {
    await spendAll('GET', CATALOG, QUOTAS.catalog + 1);
    expect((await call('GET', '/api/gateway/tours/none/availability?departure_date=2027-01-01')).status).toBe(
      404,
    );
    expect((await call('POST', '/api/tenant/bookings')).status).toBe(400);
  });

  it('another key of the tenant has a quota of its own', async () => {
    await spendAll('GET', CATALOG, QUOTAS.catalog);
    const another = await givenKey(api.db, reader.tenant, ['catalog:read']);
    expect((await call('GET', CATALOG, another)).status).toBe(200);
  });

  it('a rotated key shares the quota of its predecessor', async () => {
    await spendAll('GET', CATALOG, QUOTAS.catalog);
    const { token } = await inTransaction(api.db, (trx) =>
      rotateCredential(trx, PEPPER, 'api_key', reader.key.slice(9, 21), { graceSeconds: 3600 }),
    );
    expectProblem(await call('GET', CATALOG, token), 429, 'rate_limited');
    expectProblem(await call('GET', CATALOG), 429, 'rate_limited');
  });

  it('a request with a wrong key neither uses nor reports a quota', async () => {
    const wrong = `${reader.key.slice(0, -1)}${reader.key.endsWith('a') ? 'b' : 'a'}`;
    for (let n = 0; n <= QUOTAS.catalog; n++) {
      const { status, headers } = await call('GET', CATALOG, wrong);
      expect([status, headers.ratelimit]).toEqual([401, undefined]);
    }
    expect((await call('GET', CATALOG)).headers['ratelimit-remaining']).toBe(String(QUOTAS.catalog - 1));
  });

  it.each([
    ['catalog', 'GET', '/api/tenant/catalog'],
    ['availability', 'GET', '/api/gateway/tours/none/availability'],
    ['hold', 'POST', '/api/gateway/tours/none/hold'],
    ['booking', 'POST', '/api/tenant/bookings/none/confirm'],
  ] as const)('a 401 for a missing scope counts against the %s quota: %s %s', async (kind, method, path) => {
    const { db } = api;
    const changeScopes = (scopes: string[]) =>
      db('api_keys').where({ tenant_id: reader.tenant.id }).update({ scopes });
    await changeScopes(['booking:read']);
    const limit = QUOTAS[kind];
    for (let left = limit - 1; left >= -1; left--) {
      const response = await call(method, path);
      expectProblem(response, 401, 'insufficient_scope');
      expect(response.headers).toMatchObject({
        'ratelimit-limit': String(limit),
        'ratelimit-remaining': String(Math.max(0, left)),
      });
    }
    await changeScopes(['catalog:read', 'booking:create', 'booking:manage']);
    expectProblem(await call(method, path), 429, 'rate_limited');
  });

  it('a quota accepts exactly its limit of concurrent requests', async () => {
    const answers = await Promise.all(Array.from({ length: 20 }, () => call('GET', CATALOG)));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(QUOTAS.catalog);
  });
});

describe("a tenant's own quota", () => {
  const own = (settings: Partial<TenantQuotas>) =>
    inTransaction(api.db, (trx) => updateTenant(trx, reader.tenant, settings));
  const remaining = async (path = CATALOG, key = reader.key) => {
    const { status, headers } = await call('GET', path, key);
    return `${status}: ${headers['ratelimit-remaining']} of ${headers['ratelimit-limit']}`;
  };

  it.each([
    ['catalogRpm', 'catalog', 'GET', CATALOG],
    [
      'availabilityRpm',
      'availability',
      'GET',
      '/api/gateway/tours/none/availability?departure_date=2027-01-01',
    ],
    ['holdRpm', 'hold', 'POST', '/api/gateway/tours/none/hold'],
    ['bookingRpm', 'booking', 'POST', '/api/tenant/bookings'],
  ] as const)('%s replaces the quota %s of the service', async (setting, kind, method, path) => {
    await own({ [setting]: 2 });
    for (const left of [1, 0]) {
      const { status, headers } = await call(method, path);
      expect(status).not.toBe(429);
      expect(headers['ratelimit-policy']).toBe(`"${kind}";q=2;w=60`);
      expect(headers['ratelimit-remaining']).toBe(`${left}`);
    }
    expectProblem(await call(method, path), 429, 'rate_limited');
    await own({ [setting]: null });
    expect((await call(method, path)).headers['ratelimit-limit']).toBe(`${QUOTAS[kind]}`);
  });

  it('a lowered or raised number applies to the next request, and begins a new window', async () => {
    await spendAll('GET', CATALOG, QUOTAS.catalog + 1);
    await own({ catalogRpm: 8 });
    expect(await remaining()).toBe('200: 7 of 8');
    await own({ catalogRpm: 1 });
    expect([await remaining(), await remaining()]).toEqual(['200: 0 of 1', '429: 0 of 1']);
  });

  it('each key of the tenant has the number for itself, and another tenant keeps that of the service', async () => {
    await own({ catalogRpm: 1 });
    const second = await givenKey(api.db, reader.tenant, ['catalog:read']);
    expect([await remaining(), await remaining(CATALOG, second)]).toEqual(['200: 0 of 1', '200: 0 of 1']);
    const other = await givenWebsite(api, {}, ['catalog:read']);
    expect(await remaining(CATALOG, other.key)).toBe('200: 4 of 5');
  });

  it('a 401 for a missing scope counts against the number of the tenant', async () => {
    await own({ bookingRpm: 1 });
    const narrow = await givenKey(api.db, reader.tenant, ['catalog:read']);
    const answer = await call('POST', '/api/tenant/bookings/none/confirm', narrow);
    expectProblem(answer, 401, 'insufficient_scope');
    expect(answer.headers['ratelimit-limit']).toBe('1');
  });
});

describe('failed authentication', () => {
  const from = (address: string, authorization?: string) =>
    api.http.get(CATALOG).set({ 'x-forwarded-for': address, ...(authorization && { authorization }) });
  const failSixtyTimes = async (address: string | ((n: number) => string)) => {
    for (let n = 0; n < 60; n++) {
      const { status } = await from(typeof address === 'string' ? address : address(n), `Bearer wrong${n}`);
      expect(status).toBe(401);
    }
  };

  it('an address gets 429 after 60 failures in a minute, but its valid key is accepted', async () => {
    await failSixtyTimes('198.51.100.1');
    const refused = await from('198.51.100.1', 'Bearer wrong');
    expectProblem(refused, 429, 'rate_limited');
    expect(Number(refused.headers['retry-after'])).toBeGreaterThanOrEqual(1);
    expect((await from('198.51.100.1', `Bearer ${reader.key}`)).status).toBe(200);
    expectProblem(await from('198.51.100.2', 'Bearer wrong'), 401, 'invalid_api_key');
    expectProblem(await from('198.51.100.1'), 401, 'invalid_api_key');
  });

  it('visitors behind a gateway that writes ports have limits of their own', async () => {
    await failSixtyTimes((n) => `198.51.100.9:${51_000 + n}`);
    expect((await from('198.51.100.9:4', 'Bearer wrong')).status).toBe(429);
    expect((await from('198.51.100.10:4', 'Bearer wrong')).status).toBe(401);
    expect((await from('[2001:db8:9::1]:443', 'Bearer wrong')).status).toBe(401);
  });

  it('the limit of failed authentication counts failures for the whole /64 of an IPv6 address', async () => {
    await failSixtyTimes((n) => `2001:db8:1:2::${n.toString(16)}`);
    expect((await from('2001:db8:1:2:ffff::1', 'Bearer wrong')).status).toBe(429);
    expect((await from('2001:db8:1:3::1', 'Bearer wrong')).status).toBe(401);
  });

  it('the limit of failed authentication counts no failure for a missing or an expired credential', async () => {
    const { db } = api;
    const expired = await givenWebsite(api, {}, ['catalog:read']);
    await db('api_keys').where({ tenant_id: expired.tenant.id }).update({ expires_at: db.fn.now() });
    for (let n = 0; n < 65; n++) {
      expectProblem(await from('198.51.100.3'), 401, 'invalid_api_key');
      expectProblem(await from('198.51.100.3', `Bearer ${expired.key}`), 401, 'key_expired');
    }
    expectProblem(await from('198.51.100.3', 'Bearer wrong'), 401, 'invalid_api_key');
  });
});

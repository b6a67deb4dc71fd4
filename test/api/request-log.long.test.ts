import { mintEmbedPass } from '../../services/api/credentials/embed-pass';
import { issueWidgetToken } from '../../services/api/credentials/manage-credentials';
import { mintCredentialToken } from '../../services/api/credentials/token';
import { inTransaction } from '../../services/platform/database/database';
import { type ApiProcess, startApiProcess } from '../support/api-process';
import { createTestDatabase, type TestDatabase } from '../support/database';
import { withAnotherSecret } from '../support/forged-token';
import { givenDeparture, givenKey, givenTenant, givenTour, PEPPER } from '../support/given';

let database: TestDatabase;
let api: ApiProcess;
beforeAll(async () => {
  database = await createTestDatabase();
  api = await startApiProcess(database.url, { LOG_LEVEL: 'trace' });
});
afterAll(async () => {
  await api.stop();
  await database.drop();
});

const CUSTOMER = { name: 'Zoë Quisling', phone: '+49 30 7654321', email: 'zoe.quisling@example.com' };

/** Returns the lines of requests, without those of readiness probes. */
function requestsIn(log: string): Record<string, unknown>[] {
  return log
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, unknown>)
    .filter(({ msg, route }) => msg === 'request' && route !== '/readyz');
}

describe('the log', () => {
  it('the API logs one JSON line for each request, without secrets, customers and queries', async () => {
    const { db } = database;
    const tenant = await givenTenant(db);
    const key = await givenKey(db, tenant);
    const { token } = await inTransaction(db, (trx) => issueWidgetToken(trx, PEPPER, tenant, {}));
    const tour = await givenTour(db);
    const date = await givenDeparture(db, tour);
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
    const ask = (path: string, init?: RequestInit) =>
      fetch(api.baseUrl + path, init).then((answer) => answer.status);
    const booking = { tour_id: tour.slug, departure_date: date, ...CUSTOMER, notes: 'Peanut allergy' };
    const hold = { departure_date: date, quantity: 1, customer: CUSTOMER };

    const statuses = [
      await ask(`/api/tenant/catalog?q=needle&api_key=${key}`),
      await ask(`/api/widget/tours?token=${token}`),
      await ask(`/embed/tours?token=${token}`),
      await ask('/api/widget/tours', { headers: { 'x-svc-widget-token': token } }),
      await ask(`/api/gateway/tours/${tour.slug}/hold`, {
        method: 'POST',
        headers,
        body: JSON.stringify(hold),
      }),
      await ask('/api/tenant/bookings', { method: 'POST', headers, body: JSON.stringify(booking) }),
      await ask('/api/tenant/bookings', {
        method: 'POST',
        headers,
        body: JSON.stringify({ ...booking, name: '\0' }),
      }),
      await ask(`/nowhere/${key}?token=${token}`),
    ];
    await new Promise((resolve) => setTimeout(resolve, 300));

    expect(statuses).toEqual([200, 200, 200, 200, 201, 201, 400, 404]);
    const requests = requestsIn(api.log());
    expect(requests.map(({ status }) => status)).toEqual(statuses);
    expect(requests[5]).toMatchObject({ method: 'POST', route: '/api/tenant/bookings', tenant: tenant.slug });
    expect(requests[5]).not.toHaveProperty('code');
    for (const { client } of requests) expect(client).toBe('127.0.0.0/24');
    expect(requests[6]).toMatchObject({ status: 400, code: 'validation_failed' });
    const secrets = [
      key,
      key.slice(22),
      token,
      token.slice(24),
      'Quisling',
      '7654321',
      'example.com',
      'Peanut',
      'needle',
    ];
    for (const secret of secrets) expect(api.log()).not.toContain(secret);
  });

  it('the API logs the reason and public id of a refused credential, never its secret', async () => {
    const { db } = database;
    const tenant = await givenTenant(db);
    const key = await givenKey(db, tenant, ['booking:read']);
    const { token, credential } = await inTransaction(db, (trx) => issueWidgetToken(trx, PEPPER, tenant, {}));
    const [wrongKey, wrongToken, unknown] = [
      withAnotherSecret(key),
      withAnotherSecret(token),
      mintCredentialToken('api_key'),
    ];
    const pass = mintEmbedPass('k'.repeat(32), credential.id);
    const ask = (path: string, bearer?: string) =>
      fetch(api.baseUrl + path, { headers: bearer ? { authorization: `Bearer ${bearer}` } : {} });
    const before = api.log().length;

    await ask('/api/tenant/catalog', key);
    await ask('/api/tenant/catalog', wrongKey);
    await ask(`/api/tenant/catalog?api_key=${unknown.token}`);
    await ask('/api/tenant/catalog', token);
    await ask(`/api/widget/tours?token=${wrongToken}`);
    await ask(`/embed/tours?pass=${pass}`);
    await fetch(`${api.baseUrl}/embed/tours?token=${token}`, {
      headers: { referer: 'https://evil.example/' },
    });
    await ask('/api/tenant/catalog', `${key}x`);
    await ask('/api/tenant/catalog');
    await new Promise((resolve) => setTimeout(resolve, 300));

    const text = api.log().slice(before);
    const lines = requestsIn(text);
    const keyId = key.slice(9, 21);
    expect(lines.map(({ code, credential: id }) => [code, id])).toEqual([
      ['insufficient_scope', keyId],
      ['invalid_api_key', keyId],
      ['invalid_api_key', unknown.id],
      ['wrong_credential_type', credential.id],
      ['invalid_widget_token', credential.id],
      ['invalid_widget_token', credential.id],
      ['origin_not_allowed', credential.id],
      ['invalid_api_key', undefined],
      ['invalid_api_key', undefined],
    ]);
    for (const { client } of lines) expect(client).toBe('127.0.0.0/24');
    for (const secret of [key, wrongKey, unknown.token, token, wrongToken]) {
      expect(text).not.toContain(secret.split('_')[3]);
    }
    expect(text).not.toContain(pass.split('.')[3]);
  });
});

describe('the address of a client in the log', () => {
  it('the API logs the address that a trusted proxy names, shortened to /24 or /48', async () => {
    const behind = await startApiProcess(database.url, { LOG_LEVEL: 'info', TRUST_PROXY: '1' });
    const ask = (address: string) =>
      fetch(`${behind.baseUrl}/docs`, { headers: { 'x-forwarded-for': `8.8.8.8, ${address}` } });
    for (const address of ['203.0.113.77', '2001:db8:1:2:3:4:5:6', '::ffff:203.0.113.78', 'nonsense'])
      await ask(address);
    await behind.stop();
    const requests = requestsIn(behind.log()).filter(({ route }) => route === '/docs');
    expect(requests.map(({ client }) => client)).toEqual([
      '203.0.113.0/24',
      '2001:db8:1::/48',
      '203.0.113.0/24',
      '127.0.0.0/24',
    ]);
    for (const whole of ['203.0.113.7', '8.8.8.8', '2001:db8:1:2']) expect(behind.log()).not.toContain(whole);
  });
});

import { issueWidgetToken } from '../../services/api/credentials/issue-widget-token';
import { inTransaction } from '../../services/platform/database';
import { type ApiProcess, startApiProcess } from '../support/api-process';
import { createTestDatabase, type TestDatabase } from '../support/database';
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

describe('the log', () => {
  it('has one JSON line a request, and never a secret, a customer or a query', async () => {
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
    const lines = api
      .log()
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Record<string, unknown>);
    const requests = lines.filter(({ msg, route }) => msg === 'request' && route !== '/readyz');
    expect(requests.map(({ status }) => status)).toEqual(statuses);
    expect(requests[5]).toMatchObject({ method: 'POST', route: '/api/tenant/bookings', tenant: tenant.slug });
    expect(requests[5]).not.toHaveProperty('code');
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
});

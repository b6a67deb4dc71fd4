import { PROBLEMS } from '../../services/api/http/problems';
import { openDatabase } from '../../services/platform/database/database';
import { useTestApi } from '../support/api';
import { expectProblem } from '../support/responses';
import { useWebsite } from '../support/website';

const api = useTestApi({
  quotas: { availability: 1e6, hold: 5, booking: 1e6, catalog: 1e6, widget: 1e6 },
  logLevel: 'silent',
});
const reader = useWebsite(api, {}, ['catalog:read', 'booking:create']);

describe('the problem codes', () => {
  it.each([
    [
      400,
      'validation_failed malformed_json unknown_parameter duplicate_parameter invalid_cursor multiple_credentials',
    ],
    [400, 'invalid_idempotency_key'],
    [401, 'invalid_api_key key_expired key_revoked tenant_inactive insufficient_scope wrong_credential_type'],
    [401, 'invalid_widget_token'],
    [403, 'origin_not_allowed ip_not_allowed'],
    [404, 'tour_not_found hold_not_found booking_not_found not_found'],
    [405, 'method_not_allowed'],
    [409, 'departure_gone departure_cancelled insufficient_seats'],
    [409, 'hold_expired hold_state_conflict hold_limit_reached price_changed booking_state_conflict'],
    [409, 'departure_busy idempotency_in_progress'],
    [413, 'body_too_large'],
    [415, 'unsupported_media_type'],
    [422, 'idempotency_key_reused'],
    [429, 'rate_limited'],
    [500, 'internal_error'],
    [503, 'overloaded shutting_down'],
  ])('these problem codes have the status %i: %s', (status, codes) => {
    for (const code of codes.split(' ')) {
      expect(PROBLEMS[code as keyof typeof PROBLEMS]).toMatchObject({
        status,
        advice: expect.stringMatching(/\.$/),
      });
    }
  });

  it('problem codes have the titles that the specification names', () => {
    const all = Object.values(PROBLEMS);
    const titlesOf = (status: number) => [
      ...new Set(all.filter((it) => it.status === status).map(({ title }) => title)),
    ];
    expect([titlesOf(401), titlesOf(500)]).toEqual([['Unauthorized'], ['Server error']]);
    expect(PROBLEMS.tour_not_found.title).toBe('Tour not found');
    for (const code of ['departure_gone', 'departure_cancelled', 'insufficient_seats'] as const) {
      expect(PROBLEMS[code].title).toBe('Departure not available');
    }
  });

  it('a problem code is retryable only when waiting helps', () => {
    const retryable = Object.entries(PROBLEMS).filter(([, problem]) => problem.retryable);
    expect(retryable.map(([code]) => code).sort()).toEqual([
      'departure_busy',
      'idempotency_in_progress',
      'internal_error',
      'overloaded',
      'rate_limited',
      'shutting_down',
    ]);
  });
});

describe('a request with several issues', () => {
  const HOLD = '/api/gateway/tours/no-such-tour/hold';
  const post = (path: string, headers: Record<string, string>, body: string) =>
    api.http.post(path).set(headers).send(body);

  it('a request with several issues gets the code of the first failed check', async () => {
    const { authorization } = reader;
    const good = { 'content-type': 'application/json', authorization };
    const xml = { 'content-type': 'text/xml', authorization };
    const wrongKey = { 'content-type': 'text/xml', authorization: 'Bearer x' };
    const two = '?api_key=another';
    expectProblem(await post(`/api/gateway/none${two}`, xml, '<'), 404, 'not_found');
    const put = await api.http
      .put(HOLD + two)
      .set(xml)
      .send('<');
    expectProblem(put, 405, 'method_not_allowed');
    expectProblem(await post(HOLD + two, wrongKey, '<'), 400, 'multiple_credentials');
    expectProblem(await post(HOLD, wrongKey, '<'), 401, 'invalid_api_key');
    expectProblem(await post(HOLD, xml, '<'), 415, 'unsupported_media_type');
    expectProblem(await post(HOLD, good, `{${' '.repeat(20_000)}`), 413, 'body_too_large');
    expectProblem(await post(HOLD, good, '{"quantity":0'), 400, 'malformed_json');
    expectProblem(await post(HOLD, good, '{"quantity":0}'), 400, 'validation_failed');
    const fine = JSON.stringify({ quantity: 1, departure_date: '2027-01-01' });
    expectProblem(await post(HOLD, good, fine), 404, 'tour_not_found');
    expectProblem(await post(HOLD, xml, '<'), 429, 'rate_limited');
    expectProblem(await post(HOLD, wrongKey, '<'), 401, 'invalid_api_key');
  });

  it('the API checks the input before it searches for the tour', async () => {
    const paths = [
      '/api/tenant/tours/none/departures?limit=0',
      '/api/tenant/tours/none/departures?from=2027-02-30',
      '/api/tenant/tours/none?nonsense=1',
      '/api/gateway/tours/none/availability?departure_date=2027-02-30',
    ];
    for (const path of paths) expect((await reader.get(path)).status).toBe(400);
  });
});

describe('an error document', () => {
  it('an error document forbids caching', async () => {
    const answers = [
      reader.get('/api/tenant/catalog?limit=0'),
      reader.get('/api/tenant/tours/none'),
      api.http.get('/none'),
    ];
    for (const { headers } of await Promise.all(answers)) expect(headers['cache-control']).toBe('no-store');
  });

  it('an error document has exactly the documented members', async () => {
    const { body } = await reader.get('/api/tenant/catalog?limit=0');
    expect(body).toEqual({
      type: expect.any(String),
      title: 'Invalid request',
      status: 400,
      detail: expect.any(String),
      instance: expect.any(String),
      ok: false,
      code: 'validation_failed',
      request_id: expect.any(String),
      retryable: false,
      errors: [{ in: 'query', field: 'limit', message: 'must be at least 1' }],
    });
    expect((await reader.get('/api/tenant/tours/none')).body.errors).toBeUndefined();
  });
});

describe('a database error', () => {
  it('a database error answers 500 without details, and later requests succeed', async () => {
    const { db } = api;
    await db.raw('alter table tours rename to tours_away');
    const responses = [
      await reader.get('/api/tenant/catalog'),
      await reader.get('/api/tenant/tours/some-tour'),
    ];
    await db.raw('alter table tours_away rename to tours');
    for (const response of responses) {
      expectProblem(response, 500, 'internal_error');
      expect(response.body).toMatchObject({ title: 'Server error', retryable: true });
      expect(response.headers).not.toHaveProperty('retry-after');
      expect(response.text).not.toMatch(/tours|relation|select|stack|\.ts|node_modules|42P01/i);
    }
    expect((await reader.get('/api/tenant/catalog')).status).toBe(200);
  });

  it('the API answers 503 with Retry-After when all connections are in use for too long', async () => {
    const busy = openDatabase(api.database.url, { applicationName: 'busy', poolMax: 1 });
    const { reads } = api.context;
    api.context.reads = busy;
    const held = await busy.transaction();
    // Shortens the wait for a connection from the default of five seconds.
    busy.client.pool.acquireTimeoutMillis = 50;
    const response = await reader.get('/api/tenant/catalog');
    await held.rollback();
    api.context.reads = reads;
    await busy.destroy();
    expectProblem(response, 503, 'overloaded');
    expect(response.headers['retry-after']).toMatch(/^[1-9]\d*$/);
    expect(response.body.retryable).toBe(true);
  });
});

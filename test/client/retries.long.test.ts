import { randomUUID } from 'node:crypto';
import { type ClientOptions, createClient, TourPlatformError } from '../../clients/typescript/src/index';
import { useTestApi } from '../support/api';
import { freePorts } from '../support/free-ports';
import { givenDeparture, givenKey, givenTenant, givenTour } from '../support/given';
import { type CannedAnswer, type HttpProxy, startHttpProxy } from './http-proxy';

const BUSY = problem('departure_busy', 409, { 'Retry-After': '1' });

const api = useTestApi();
let proxy: HttpProxy;
let apiKey: string;
let tour: string;
let date: string;

beforeAll(async () => {
  const tenant = await givenTenant(api.db);
  const given = await givenTour(api.db);
  tour = given.slug;
  date = await givenDeparture(api.db, given, { seats: 1000 });
  apiKey = await givenKey(api.db, tenant);
  proxy = await startHttpProxy(api.baseUrl);
});
afterAll(() => proxy.stop());

const client = (limits: Partial<ClientOptions> = {}) =>
  createClient({ baseUrl: proxy.url, apiKey, ...limits });

function problem(code: string, status: number, headers: Record<string, string> = {}): CannedAnswer {
  const body = JSON.stringify({ code, status, detail: 'A test.', request_id: randomUUID() });
  return { status, headers: { 'Content-Type': 'application/problem+json', ...headers }, body };
}

const book = (externalRef: string, platform = client()) =>
  platform.POST('/api/tenant/bookings', {
    body: {
      tour_id: tour,
      departure_date: date,
      name: 'Ana Lima',
      phone: '+49 30 901820',
      email: 'ana@example.com',
      external_ref: externalRef,
    },
  });

const readCatalog = (platform = client()) => platform.GET('/api/tenant/catalog');

/** Returns the error of a call, and the milliseconds until it. */
async function failure(call: Promise<unknown>): Promise<{ error: TourPlatformError; ms: number }> {
  const begin = performance.now();
  const error: unknown = await call.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  expect(error).toBeInstanceOf(TourPlatformError);
  return { error: error as TourPlatformError, ms: performance.now() - begin };
}

const leads = (externalRef: string) => api.db('booking_leads').where({ external_ref: externalRef });
const keys = () => proxy.requests().map(({ headers }) => headers['idempotency-key']);

/** Returns the milliseconds between each request and the next. */
function waits(): number[] {
  const times = proxy.requests().map(({ at }) => at);
  return times.slice(1).map((at, n) => at - times[n]!);
}

describe('the retries of the client', () => {
  it.each(['lose answer', 'break off'] as const)(
    'the client books once although a proxy does "%s" with the first answer',
    async (step) => {
      const externalRef = randomUUID();
      proxy.plan(step);
      const { data, response } = await book(externalRef);
      expect(response.headers.get('Idempotent-Replayed')).toBe('true');
      const found = await leads(externalRef);
      expect(found.map(({ id }) => data.booking_ref.endsWith(`-${id}`))).toEqual([true]);
      expect(keys()).toEqual([expect.stringMatching(/^[0-9a-f-]{36}$/), keys()[0]]);
    },
  );

  it('the client sends each write with a new Idempotency-Key, and reads without a key', async () => {
    proxy.plan();
    await book(randomUUID());
    await book(randomUUID());
    await readCatalog();
    const [first, second, read] = keys();
    expect(first).toBeDefined();
    expect(second).not.toBe(first);
    expect(read).toBeUndefined();
  });

  it.each([
    ['a departure that is busy', BUSY],
    [
      'a request with the same key in progress',
      problem('idempotency_in_progress', 409, { 'Retry-After': '1' }),
    ],
    ['a quota that is used up', problem('rate_limited', 429, { 'Retry-After': '1' })],
    ['too much load', problem('overloaded', 503, { 'Retry-After': '1' })],
  ])('the client waits for the Retry-After of %s', async (_, answer) => {
    const externalRef = randomUUID();
    proxy.plan(answer);
    await book(externalRef);
    expect(await leads(externalRef)).toHaveLength(1);
    expect(waits()[0]).toBeGreaterThan(990);
  });

  it('the client waits until the Retry-After of a proxy, which may be a date', async () => {
    // HTTP dates have whole seconds.
    const date = new Date(Date.now() + 2_000).toUTCString();
    proxy.plan({ status: 503, headers: { 'Retry-After': date }, body: '<h1>Busy</h1>' });
    await readCatalog();
    expect(waits()[0]).toBeGreaterThan(900);
  });

  it('the client makes each wait before a retry longer, with jitter', async () => {
    proxy.plan(problem('internal_error', 500), { status: 502 }, { status: 504 });
    await readCatalog();
    const [first, second, third] = waits();
    expect(first).toBeGreaterThan(245);
    expect(second).toBeGreaterThan(495);
    expect(third).toBeGreaterThan(995);
  });

  it.each([
    ['a refusal', problem('insufficient_seats', 409)],
    ['a conflict of keys', problem('idempotency_key_reused', 422)],
    ['an invalid request, even with Retry-After', problem('validation_failed', 400, { 'Retry-After': '1' })],
    ['a forbidden address', problem('ip_not_allowed', 403)],
    ['a page of another server', { status: 404, body: '<h1>Not here</h1>' }],
  ])('the client does not repeat a request after %s', async (_, answer) => {
    proxy.plan(answer);
    const { error } = await failure(book(randomUUID()));
    expect(error).toMatchObject({ status: answer.status, retryable: false });
    expect(proxy.requests()).toHaveLength(1);
  });

  it('the client gives up after the highest number of tries, with the last error', async () => {
    proxy.plan(BUSY, problem('overloaded', 503), problem('overloaded', 503));
    const { error } = await failure(book(randomUUID(), client({ maxTries: 2 })));
    expect(error).toMatchObject({
      code: 'overloaded',
      status: 503,
      retryable: true,
      idempotencyKey: keys()[0],
    });
    expect(proxy.requests()).toHaveLength(2);
  });

  it('the client does not begin a wait that would end after the total time', async () => {
    proxy.plan(problem('rate_limited', 429, { 'Retry-After': '60' }));
    const { error, ms } = await failure(readCatalog());
    expect(error).toMatchObject({ code: 'rate_limited', retryAfterSeconds: 60 });
    expect(ms).toBeLessThan(1_000);
  });

  it('the client gives up after the total time where nobody answers, with the code no_answer', async () => {
    proxy.plan('hang', 'hang', 'hang', 'hang');
    const { error, ms } = await failure(readCatalog(client({ timeoutMs: 400, totalTimeoutMs: 1_500 })));
    expect(error).toMatchObject({ code: 'no_answer', status: 0, requestId: undefined, retryable: true });
    expect(error.detail).toBe('No answer: The operation was aborted due to timeout');
    expect(proxy.requests()).toHaveLength(2);
    expect(ms).toBeLessThan(3_000);
  });

  it('the error of the client names the reason where no server listens', async () => {
    const [port] = await freePorts();
    const { error } = await failure(
      readCatalog(createClient({ baseUrl: `http://127.0.0.1:${port}`, apiKey, maxTries: 1 })),
    );
    expect(error.message).toBe(`no_answer: No answer: connect ECONNREFUSED 127.0.0.1:${port}`);
  });

  it('the client ends at once when the caller aborts, with the reason of the caller', async () => {
    proxy.plan('hang');
    const controller = new AbortController();
    const call = client().GET('/api/tenant/catalog', { signal: controller.signal });
    setTimeout(() => controller.abort(new Error('The visitor has left.')), 50);
    await expect(call).rejects.toThrow('The visitor has left.');
    proxy.plan(problem('overloaded', 503, { 'Retry-After': '5' }));
    const waiting = client().GET('/api/tenant/catalog', { signal: AbortSignal.timeout(300) });
    await expect(waiting).rejects.toMatchObject({ name: 'TimeoutError' });
  });
});

describe('an answer that is not from the platform', () => {
  const calls: [string, () => Promise<unknown>][] = [
    ['a booking', () => book(randomUUID())],
    ['a read', () => readCatalog()],
    [
      'a release',
      () => client().DELETE('/api/gateway/holds/{hold_id}', { params: { path: { hold_id: 'x' } } }),
    ],
  ];
  const cases = calls.flatMap(([what, call]) =>
    [301, 302, 303, 307, 308].map((status) => [what, status, call] as const),
  );

  it.each(cases)(
    'the client follows no redirect of %s with %i, and names the address',
    async (_, status, call) => {
      const other = await startHttpProxy(api.baseUrl);
      try {
        proxy.plan({ status, headers: { Location: `${other.url}/elsewhere?x=1` } });
        const { error } = await failure(call());
        expect(error).toMatchObject({ code: 'no_answer', status, retryable: false });
        expect(error.detail).toBe(
          `${proxy.url} redirects to ${other.url}. The client follows no redirect: set baseUrl to ${other.url} if that is the platform.`,
        );
        expect(proxy.requests()).toHaveLength(1);
        expect(other.requests()).toHaveLength(0);
      } finally {
        await other.stop();
      }
    },
  );

  it.each([['/login'], [undefined], ['http://[']])(
    'the error for a redirect to %s says what to set',
    async (location) => {
      proxy.plan({ status: 302, headers: location === undefined ? {} : { Location: location } });
      const { error } = await failure(readCatalog());
      expect(error.detail).toContain('set baseUrl to the address of the platform, without a path');
    },
  );

  const JSON_TYPE = { 'Content-Type': 'application/json; charset=utf-8' };
  it.each<[string, CannedAnswer, string]>([
    [
      'a page',
      { status: 200, headers: { 'Content-Type': 'text/html' }, body: '<h1>Sign in</h1>' },
      'is not a JSON object',
    ],
    ['nothing', { status: 201 }, 'is not a JSON object'],
    ['no content', { status: 204 }, 'is not a JSON object'],
    [
      'a broken document',
      { status: 200, headers: JSON_TYPE, body: '{"booking_ref":' },
      'is not a JSON object',
    ],
    ['null', { status: 200, headers: JSON_TYPE, body: 'null' }, 'is not a JSON object'],
    ['another document', { status: 200, headers: JSON_TYPE, body: '{"ok":true}' }, 'has no booking_ref'],
    [
      'a list',
      { status: 200, headers: JSON_TYPE, body: '{"items":[],"next_cursor":null}' },
      'has no booking_ref',
    ],
  ])('the client does not take %s for a booking', async (_, answer, fault) => {
    proxy.plan(answer);
    const { error } = await failure(book(randomUUID()));
    expect(error).toMatchObject({ code: 'no_answer', status: answer.status, retryable: false });
    expect(error.detail).toBe(
      `The success from ${proxy.url} ${fault}: it is not from the platform. Check baseUrl, and the proxies on the way.`,
    );
    expect(error.idempotencyKey).toBe(keys()[0]);
    expect(proxy.requests()).toHaveLength(1);
  });

  it('the client does not take a 304 to a booking for a success', async () => {
    proxy.plan({ status: 304 });
    const { error } = await failure(book(randomUUID()));
    expect(error).toMatchObject({ code: 'no_answer', status: 304, retryable: false });
    expect(error.detail).toBe('The answer with the status 304 is not from the platform.');
  });
});

import { gzipSync } from 'node:zlib';
import { startTestApi, useTestApi } from '../support/api';
import { daysFromToday } from '../support/given';
import { CUSTOMER, givenSeats, givenWebsite, type Seats, useWebsite } from '../support/website';

const api = useTestApi();
const website = useWebsite(api);
let seats: Seats;
let bookingRef: string;
let holdId: string;
beforeAll(async () => {
  seats = await givenSeats(api.db);
  bookingRef = (await website.book({ tour_id: seats.tour.id })).body.booking_ref;
  holdId = (await website.hold(seats.tour, { departure_date: seats.date, quantity: 1 })).body.hold_id;
});

const HOLD = () => `/api/gateway/tours/${seats.tour.slug}/hold`;
const EXTEND = () => `/api/gateway/holds/${holdId}/extend`;
const BOOK = () => '/api/tenant/bookings';
const CONFIRM = () => `/api/tenant/bookings/${bookingRef}/confirm`;
const CANCEL = () => `/api/tenant/bookings/${bookingRef}/cancel`;
const CHANGE_HOLD = () => `/api/gateway/holds/${holdId}`;
const CHANGE_BOOKING = () => `/api/tenant/bookings/${bookingRef}`;
const CHANGES = { 'change hold': CHANGE_HOLD, 'change booking': CHANGE_BOOKING };
const WRITES = { hold: HOLD, extend: EXTEND, book: BOOK, confirm: CONFIRM, cancel: CANCEL, ...CHANGES };
const JSON_TYPE = { 'content-type': 'application/json' };
const GZIP = { ...JSON_TYPE, 'content-encoding': 'gzip' };

interface Refusal {
  status: number;
  code: string;
  fields: string[];
  text: string;
}

/** Sends these bytes, and expects a problem document that is not a 5xx. */
async function send(
  path: string,
  body?: string | Uint8Array,
  headers: Record<string, string> = JSON_TYPE,
): Promise<Refusal> {
  const all = { authorization: website.authorization, ...headers };
  const method = [CHANGE_HOLD(), CHANGE_BOOKING()].includes(path) ? 'PATCH' : 'POST';
  const response = await fetch(api.baseUrl + path, { method, headers: all, body });
  const text = await response.text();
  expect(response.headers.get('content-type')).toBe('application/problem+json; charset=utf-8');
  expect(response.headers.get('x-request-id')).toBeTruthy();
  const problem = JSON.parse(text);
  expect(problem.status).toBe(response.status);
  const issues: { in: string; field: string }[] = problem.errors ?? [];
  expect(issues.filter((issue) => issue.in !== 'body')).toEqual([]);
  return { status: response.status, code: problem.code, fields: issues.map(({ field }) => field), text };
}

const hold = (more: object = {}) => JSON.stringify({ departure_date: seats.date, quantity: 1, ...more });
const order = (more: object = {}) => JSON.stringify({ tour_id: seats.tour.id, ...CUSTOMER, ...more });
/** A valid body for each write that has required fields. */
const VALID = new Map([
  [HOLD, hold],
  [BOOK, order],
  [EXTEND, () => '{"hold_minutes":5}'],
]);

describe.each(Object.entries(WRITES))('the body of %s', (_name, path) => {
  it('the API answers 415 to a body whose Content-Type or Content-Encoding is not supported', async () => {
    const unsupported = { status: 415, code: 'unsupported_media_type' };
    const types = [
      'text/plain',
      'application/x-www-form-urlencoded',
      'multipart/form-data; boundary=x',
      'text/json',
      'application/json; charset=utf-16',
      'application/json; charset=latin1',
      'application/problem+json',
      'application/json, text/plain',
      'json',
      '',
    ];
    for (const type of types)
      expect(await send(path(), '{}', { 'content-type': type })).toMatchObject(unsupported);
    expect(await send(path(), new TextEncoder().encode('{}'), {})).toMatchObject(unsupported);
    const compress = { ...JSON_TYPE, 'content-encoding': 'compress' };
    expect(await send(path(), '{}', compress)).toMatchObject(unsupported);
  });

  it('the API refuses a body over 16 KiB, or 64 KiB for a booking and its change, compressed or not', async () => {
    const large = { status: 413, code: 'body_too_large' };
    const max = [BOOK(), CHANGE_BOOKING()].includes(path()) ? 64 * 1024 : 16 * 1024;
    const body = (bytes: number) => `{"x":"${'x'.repeat(bytes - 8)}"}`;
    expect((await send(path(), body(max))).status).toBe(400);
    expect(await send(path(), body(max + 1))).toMatchObject(large);
    const bomb = gzipSync(`{"x":"${'x'.repeat(10 * 1024 * 1024)}"}`);
    expect(bomb.length).toBeLessThan(16 * 1024);
    expect(await send(path(), bomb, GZIP)).toMatchObject(large);
  });

  it.each([
    '{',
    '{"a":1,}',
    "{'a':1}",
    'nonsense',
    '{"a":1}{"b":2}',
    '\u0000',
    '{"a":"\u0001"}',
    '{"a":NaN}',
    '"text"',
    'null',
    '17',
    'true',
  ])('the API refuses %j as malformed, because it is not one JSON object', async (text) => {
    expect(await send(path(), text)).toMatchObject({ status: 400, code: 'malformed_json' });
  });

  it.each(['[]', '[{}]', '[[1]]'])('the API refuses the array %s as a body', async (text) => {
    expect((await send(path(), text)).status).toBe(400);
  });

  it('the API refuses broken gzip, and bytes that are not UTF-8', async () => {
    const malformed = { status: 400, code: 'malformed_json', fields: ['body'] };
    expect(await send(path(), 'no gzip at all', GZIP)).toMatchObject(malformed);
    expect(await send(path(), gzipSync('{"a":1}').subarray(0, 15), GZIP)).toMatchObject(malformed);
    expect(await send(path(), Buffer.from('{"name":"Jos\u00e9"}', 'latin1'))).toMatchObject(malformed);
  });

  it.each(['tenant_id', 'status', 'total_price', 'constructor', 'toString', '__proto__', 'hasOwnProperty'])(
    'the API refuses a body with the unknown field %s, and names the field',
    async (field) => {
      const own = VALID.get(path)?.() ?? '{}';
      const text = own.replace(/^\{/, `{"${field}":{"polluted":"svc_value"}${own === '{}' ? '' : ','}`);
      const refusal = await send(path(), text);
      expect(refusal).toMatchObject({ status: 400, code: 'unknown_parameter', fields: [field] });
      expect(refusal.text).not.toContain('svc_value');
      expect(({} as Record<string, unknown>).polluted).toBeUndefined();
    },
  );
});

describe('a body', () => {
  it('the API reads a compressed body like an uncompressed one', async () => {
    const headers = { authorization: website.authorization, ...GZIP };
    const response = await fetch(api.baseUrl + BOOK(), { method: 'POST', headers, body: gzipSync(order()) });
    expect(response.status).toBe(201);
  });

  it('the API refuses an empty body where fields are required', async () => {
    expect(await send(HOLD(), undefined, {})).toMatchObject({ status: 400, code: 'validation_failed' });
    expect(await send(BOOK(), '')).toMatchObject({ status: 400, code: 'validation_failed' });
    expect(await send(EXTEND(), '{}')).toMatchObject({ status: 400, fields: ['hold_minutes'] });
  });

  it.each(['address', '__proto__', 'constructor', 'id'])(
    'the API refuses the unknown field customer.%s',
    async (field) => {
      const text = hold({ customer: 0 }).replace('"customer":0', `"customer":{"${field}":{"x":1}}`);
      expect(await send(HOLD(), text)).toMatchObject({ status: 400, code: 'unknown_parameter' });
    },
  );

  it('the API refuses a value that is nested thousands of levels deep, and names its field', async () => {
    for (const deep of ['['.repeat(8000) + ']'.repeat(8000), '{"a":'.repeat(2500) + '1' + '}'.repeat(2500)]) {
      for (const field of ['notes', 'x']) {
        const text = order({ [field]: 0 }).replace(`"${field}":0`, `"${field}":${deep}`);
        expect(await send(BOOK(), text)).toMatchObject({ status: 400, fields: [field] });
      }
    }
  });
});

describe('a list of thousands of items', () => {
  const items = Array.from({ length: 7000 }, () => 1);

  it('the API answers a single error for a list of 7,000 travellers', async () => {
    const text = order({ travellers: items });
    for (const refusal of [await send(BOOK(), text), await send(BOOK(), gzipSync(text), GZIP)]) {
      expect(refusal).toMatchObject({ status: 400, code: 'validation_failed', fields: ['travellers'] });
      expect(refusal.text).toContain('must have at most 200 items');
    }
  });

  it('OCTO refuses 7,000 unit items', async () => {
    const response = await website.post('/octo/bookings', { unitItems: items });
    expect(response.status).toBe(400);
    expect(response.body.errorMessage).toContain('must have at most 100 items');
  });
});

describe('the limits of lists and of issues', () => {
  const list = (length: number, item: unknown) => Array.from({ length }, () => item);

  it.each<[string, string, string, object, number]>([
    ['POST', '/api/tenant/bookings', 'travellers', { travellers: list(201, 1) }, 200],
    ['PATCH', '/api/tenant/bookings/X-1', 'travellers', { travellers: list(201, { a: 1 }) }, 200],
    ['POST', '/octo/availability', 'availabilityIds', { availabilityIds: list(367, 1) }, 366],
    ['POST', '/octo/availability', 'units', { units: list(51, {}) }, 50],
    ['POST', '/octo/availability/calendar', 'units', { units: list(51, {}) }, 50],
    ['POST', '/octo/bookings', 'unitItems', { unitItems: list(101, 1) }, 100],
    ['PATCH', '/octo/bookings/x', 'unitItems', { unitItems: list(101, 1) }, 100],
    ['POST', '/octo/bookings/x/confirm', 'contact.locales', { contact: { locales: list(51, 1) } }, 50],
    [
      'POST',
      '/octo/bookings',
      'unitItems.1.contact.locales',
      { unitItems: [{}, { contact: { locales: list(51, 1) } }] },
      50,
    ],
    [
      'POST',
      '/octo/notifications/subscriptions',
      'notificationTypes',
      { notificationTypes: list(51, 1) },
      50,
    ],
  ])('%s %s refuses a longer %s before it looks at the items', async (method, path, field, body, max) => {
    const { status, body: answer } = await (method === 'POST'
      ? website.post(path, body)
      : website.patch(path, body));
    const message = `must have at most ${max} items`;
    expect(status).toBe(400);
    expect(path.startsWith('/octo') ? answer.errorMessage : answer.errors).toEqual(
      path.startsWith('/octo') ? `${field} ${message}.` : [{ in: 'body', field, message }],
    );
  });

  it.each([
    ['wrong travellers', { travellers: list(200, { category: 1, first_name: 1, last_name: 1, note: 1 }) }],
    ['unknown fields', Object.fromEntries(list(1500, 1).map((value, n) => [`k${n}`, value]))],
    ['unknown fields of travellers', { travellers: list(200, { a: 1, b: 2, c: 3 }) }],
  ])('an answer to a body with hundreds of %s names 50 issues', async (_what, more) => {
    const { status, fields, text } = await send(BOOK(), order(more));
    expect({ status, issues: fields.length }).toEqual({ status: 400, issues: 50 });
    expect(text.length).toBeLessThan(8_000);
  });

  it('an answer to a query or an empty body with hundreds of unknown names has 50 issues', async () => {
    const names = list(500, 1).map((_, n) => `k${n}`);
    const query = await website.get(`/api/tenant/catalog?${names.join('=1&')}=1`);
    expect(query.body.errors).toHaveLength(50);
    const { fields } = await send(
      CONFIRM(),
      JSON.stringify(Object.fromEntries(names.map((name) => [name, 1]))),
    );
    expect(fields).toHaveLength(50);
  });
});

describe('the order of checks', () => {
  it('the API checks the credential first: 401 before 415, 413 and 400', async () => {
    const unknown = { authorization: 'Bearer svc_live_nonsense' };
    for (const path of Object.values(WRITES)) {
      expect((await send(path(), 'x', { ...unknown, 'content-type': 'text/plain' })).status).toBe(401);
      expect((await send(path(), 'x'.repeat(20_000), { ...unknown, ...JSON_TYPE })).status).toBe(401);
      expect((await send(path(), '{', { ...unknown, ...JSON_TYPE })).status).toBe(401);
    }
  });

  it('the API validates the input before it looks for the tour or the hold', async () => {
    const statusOf = async (path: string, text: string) => (await send(path, text)).status;
    const holdPath = '/api/gateway/tours/no-such-tour/hold';
    const tour_id = 'no-such-tour';
    expect(await statusOf(holdPath, hold({ quantity: 0 }))).toBe(400);
    expect(await statusOf(holdPath, hold({ departure_date: '2026-02-31' }))).toBe(400);
    expect(await statusOf('/api/gateway/holds/nonsense/extend', '{"hold_minutes":61}')).toBe(400);
    expect(await statusOf(BOOK(), order({ tour_id, email: 'x' }))).toBe(400);
    expect(await statusOf(BOOK(), order({ tour_id, departure_date: daysFromToday(-9) }))).toBe(404);
  });

  it('the API counts the quota before it reads the body: 429 before 415', async () => {
    const quotas = { ...api.context.config.quotas, hold: 1, booking: 1 };
    const narrow = await startTestApi({ quotas });
    try {
      const poor = await givenWebsite(narrow);
      for (const path of ['/api/gateway/tours/x/hold', '/api/tenant/bookings']) {
        const headers = { authorization: poor.authorization, 'content-type': 'text/plain' };
        const statuses: number[] = [];
        for (let n = 0; n < 2; n++) {
          statuses.push((await fetch(narrow.baseUrl + path, { method: 'POST', headers, body: 'x' })).status);
        }
        expect(statuses).toEqual([415, 429]);
      }
    } finally {
      await narrow.stop();
    }
  });
});

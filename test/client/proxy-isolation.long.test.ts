import { randomUUID } from 'node:crypto';
import { tourProxy } from '../../clients/typescript/src/index';
import { useTestApi } from '../support/api';
import { givenDeparture, givenKey, givenTenant, givenTour, type GivenTour } from '../support/given';
import { type HttpProxy, startHttpProxy } from './http-proxy';
import { SECRET, type Shop, startShop, VisitorBrowser } from './proxy-fixture';

const CUSTOMER = { name: 'Ana Lima', phone: '+49 30 901820', email: 'ana@example.com' };

const api = useTestApi();
let wire: HttpProxy;
let shop: Shop;
let tour: GivenTour;
let date: string;
let apiKey: string;

beforeAll(async () => {
  tour = await givenTour(api.db);
  date = await givenDeparture(api.db, tour, { prices: { adult: 50_000 }, seats: 500 });
  apiKey = await givenKey(api.db, await givenTenant(api.db));
  wire = await startHttpProxy(api.baseUrl);
  shop = await startShop({ baseUrl: wire.url, apiKey, onError: () => undefined });
});
afterAll(async () => {
  await shop.stop();
  await wire.stop();
});

/** Returns a visitor who holds seats, and the hold. */
async function holder(quantity = 1, where = shop) {
  const visitor = new VisitorBrowser(where.api);
  const answer = await visitor.send('POST', '/hold', { tour_id: tour.slug, departure_date: date, quantity });
  expect(answer.status).toBe(201);
  return { visitor, holdId: answer.body.hold_id as string };
}

const holdRow = (id: string) => api.db('seat_holds').where({ id }).first('status', 'seats', 'expires_at');
const liveHolds = async () =>
  Number((await api.db('seat_holds').where({ status: 'active' }).count())[0]!.count);

describe('a visitor and the hold of another', () => {
  it('no call of a visitor reads, changes, extends, releases or books the hold of another', async () => {
    const { holdId } = await holder(2);
    const { visitor: eve, holdId: own } = await holder();
    const before = await holdRow(holdId);
    const tries: [string, string, unknown?][] = [
      ['GET', `/hold/${holdId}`],
      ['GET', `/hold?hold_id=${holdId}`],
      ['GET', `/tours/${holdId}`],
      ['GET', `/tours/..%2f..%2fgateway%2fholds%2f${holdId}`],
      ['GET', `/tours/${holdId}%2fextend`],
      ['PATCH', '/hold', { hold_id: holdId, quantity: 1 }],
      ['PATCH', `/hold/${holdId}`, { quantity: 1 }],
      ['DELETE', `/hold/${holdId}`],
      ['DELETE', '/hold', { hold_id: holdId }],
      ['DELETE', `/hold?hold_id=${holdId}`],
      ['POST', '/hold/extend', { hold_id: holdId, hold_minutes: 20 }],
      ['POST', `/hold/${holdId}/extend`, { hold_minutes: 20 }],
      ['POST', '/hold', { tour_id: `../holds/${holdId}`, departure_date: date, quantity: 1 }],
      ['POST', '/hold', { tour_id: tour.slug, hold_id: holdId, departure_date: date, quantity: 1 }],
      ['POST', '/booking', { ...CUSTOMER, hold_id: holdId }],
      ['POST', '/booking', { ...CUSTOMER, hold_id: holdId.toUpperCase(), tour_id: tour.slug, adults: 2 }],
      ['POST', '/booking', { ...CUSTOMER, hold_id: [holdId] }],
      ['POST', `/booking?hold_id=${holdId}`, CUSTOMER],
    ];
    for (const [method, path, body] of tries) {
      const answer = await eve.send(method, path, body);
      expect([method, path, answer.status]).toEqual([method, path, expect.any(Number)]);
      expect(answer.status).toBeGreaterThanOrEqual(400);
      expect(answer.status).toBeLessThan(500);
    }
    const keyed = await eve.send('POST', '/booking', CUSTOMER, { 'idempotency-key': holdId });
    expect(keyed.body).toMatchObject({ party: { adult: 1 } });
    expect(await holdRow(holdId)).toEqual(before);
    expect(await holdRow(own)).toMatchObject({ status: 'converted' });
  });

  it('the parts of a cookie count together: a part of another visitor makes it invalid', async () => {
    const { visitor: ana } = await holder();
    const { visitor: eve } = await holder();
    const both = `${ana.cookie}; ${eve.cookie}`;
    const [ofAna, ofEve] = [ana, eve].map(({ cookies }) => cookies.get('tour_visitor')!.split('.'));
    const payload = JSON.parse(Buffer.from(ofAna![0]!, 'base64url').toString());
    const renamed = Buffer.from(JSON.stringify({ ...payload, v: randomUUID() })).toString('base64url');
    const values = [
      `${ofAna![0]}.${ofEve![1]}`,
      `${ofEve![0]}.${ofAna![1]}`,
      `${renamed}.${ofAna![1]}`,
      `${ofAna![0]}.${ofAna![1]!.slice(0, -1)}`,
      `${ofAna![0]}.`,
      `.${ofAna![1]}`,
      ofAna![0],
      'x'.repeat(8_000),
      '',
    ];
    wire.plan();
    for (const value of values) {
      const answer = await eve.send('GET', '/hold', undefined, { cookie: `tour_visitor=${value}` });
      expect(answer).toMatchObject({ status: 401, body: { code: 'invalid_visitor' } });
    }
    const twice = await eve.send('GET', '/hold', undefined, { cookie: both });
    expect(twice.status).toBe(401);
    expect(wire.requests()).toEqual([]);
  });

  it('a cookie signed by another spelling of the same signature is invalid', async () => {
    const { visitor } = await holder();
    const value = visitor.cookies.get('tour_visitor')!;
    const bytes = Buffer.from(value.split('.')[1]!, 'base64url');
    const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
    const others = [...alphabet]
      .map((last) => value.slice(0, -1) + last)
      .filter((other) => other !== value && Buffer.from(other.split('.')[1]!, 'base64url').equals(bytes));
    expect(others.length).toBeGreaterThan(0);
    for (const other of others) {
      const answer = await visitor.send('GET', '/hold', undefined, { cookie: `tour_visitor=${other}` });
      expect(answer.status).toBe(401);
    }
  });

  it('a cookie of another secret, or of another name, is invalid', async () => {
    const other = await startShop({ baseUrl: wire.url, apiKey, secret: `${SECRET} of another` });
    const named = await startShop({ baseUrl: wire.url, apiKey, cookieName: 'other_visitor' });
    const { visitor } = await holder(1, other);
    const foreign = await visitor.send('GET', '/hold');
    expect(foreign.status).toBe(200);
    const here = new VisitorBrowser(shop.api);
    expect((await here.send('GET', '/hold', undefined, { cookie: visitor.cookie })).status).toBe(401);
    const value = (await holder(1, named)).visitor.cookies.get('other_visitor');
    const renamed = { cookie: `tour_visitor=${value}` };
    expect((await here.send('GET', '/hold', undefined, renamed)).status).toBe(401);
    await other.stop();
    await named.stop();
  });

  it('an expired cookie is invalid, and its removal makes the next request a new visitor', async () => {
    const { visitor } = await holder();
    const now = Date.now();
    const clock = jest.spyOn(Date, 'now').mockReturnValue(now + 86_401_000);
    const expired = await visitor.send('GET', '/hold');
    clock.mockRestore();
    expect(expired).toMatchObject({ status: 401, body: { code: 'invalid_visitor' } });
    expect(visitor.cookies.size).toBe(0);
    expect((await visitor.send('GET', '/hold')).body.code).toBe('hold_not_found');
    await visitor.send('OPTIONS', '/hold');
    expect(visitor.cookies.has('tour_visitor')).toBe(true);
  });

  it('a replayed cookie acts on no hold but its own, which has ended', async () => {
    const { visitor, holdId } = await holder();
    const old = visitor.cookie;
    await visitor.send('POST', '/hold', { tour_id: tour.slug, departure_date: date, quantity: 2 });
    const replay = (method: string, path: string, body?: unknown) =>
      visitor.send(method, path, body, { cookie: old });
    expect(await replay('PATCH', '/hold', { quantity: 3 })).toMatchObject({ status: 409 });
    expect(await replay('POST', '/booking', CUSTOMER)).toMatchObject({
      status: 409,
      body: { code: 'hold_state_conflict' },
    });
    expect((await replay('GET', '/hold')).body).toMatchObject({ hold_id: holdId, status: 'released' });
    expect(await holdRow(holdId)).toMatchObject({ status: 'released' });
  });

  it('a name that begins with another white space is not the name of the cookie', async () => {
    const { visitor: eve } = await holder();
    const planted = { cookie: `\u00a0${eve.cookie}` };
    expect(await eve.send('GET', '/hold', undefined, planted)).toMatchObject({ status: 404 });
  });

  it('a name with a prefix that needs Secure makes the cookie Secure on this machine too, and no option leaves it out', async () => {
    const cookieName = '__Host-shop';
    const named = await startShop({ baseUrl: wire.url, apiKey, cookieName });
    const { headers } = await new VisitorBrowser(named.api).send('OPTIONS', '/hold');
    expect(headers.get('set-cookie')).toMatch(/^__Host-shop=.*; Path=\/; .*; Secure; HttpOnly$/);
    await named.stop();
    const start = (name: string) => () =>
      tourProxy({ baseUrl: wire.url, apiKey, secret: SECRET, cookieName: name, secure: false });
    for (const name of [cookieName, '__secure-shop']) expect(start(name)).toThrow('needs secure');
    expect(start('shop')).not.toThrow();
  });

  it('a request that a reverse proxy forwards under the name of this machine gets no cookie without Secure', async () => {
    const visitor = new VisitorBrowser(shop.api);
    const forwarded = { origin: 'https://www.example.com', 'sec-fetch-site': 'same-origin' };
    const { status, body } = await visitor.send('GET', '/hold', undefined, forwarded);
    expect([status, body.code]).toEqual([403, 'origin_not_allowed']);
    expect(body.detail).toContain('reverse proxy');
    expect(visitor.cookies.size).toBe(0);
  });

  it.each<[string, Record<string, string>]>([
    ['under the name of this machine', { 'sec-fetch-site': 'same-origin' }],
    ['under another Host, from a browser that names the origin alone', {}],
  ])(
    'the site learns once that a reverse proxy may forward requests %s, and nothing of cross-site ones',
    async (_name, ours) => {
      const errors: unknown[] = [];
      const own = await startShop({ baseUrl: wire.url, apiKey, onError: (error) => errors.push(error) });
      const post = (headers: Record<string, string>) =>
        fetch(`${own.api}/hold`, {
          method: 'POST',
          headers: { origin: 'https://www.example.com', 'content-type': 'application/json', ...headers },
          body: '{}',
        });
      for (let time = 0; time < 3; time += 1)
        expect((await post({ 'sec-fetch-site': 'cross-site' })).status).toBe(403);
      expect(errors).toEqual([]);
      for (let time = 0; time < 3; time += 1) expect((await post(ours)).status).toBe(403);
      expect(errors).toEqual([expect.objectContaining({ message: expect.stringContaining('keep Host') })]);
      await own.stop();
    },
  );
});

describe('the list of calls', () => {
  it('what is not on the list never reaches the platform', async () => {
    const { visitor } = await holder();
    wire.plan();
    for (const [method, path] of [
      ['GET', '/api/tenant/bookings'],
      ['GET', '/tours/..%2f..%2fopenapi.json'],
      ['GET', '/tours/%2e%2e'],
      ['GET', '/tours/a?api_key=svc_live_x'],
      ['GET', '/tours?limit=1&limit=2'],
      ['GET', '/tours?updated_since=2027-01-01T00:00:00Z'],
      ['GET', '/hold?external_ref=x'],
      ['GET', '/tours?q=%ff'],
      ['PUT', '/hold'],
      ['OPTIONS', '/hold'],
      ['HEAD', '/bookings'],
      ['POST', '/booking/confirm'],
    ]) {
      expect((await visitor.send(method!, path!)).headers.get('x-content-type-options')).toBe('nosniff');
    }
    expect(wire.requests()).toEqual([]);
  });

  it('the platform sees no cookie, no address and no header of the visitor', async () => {
    const { visitor } = await holder();
    wire.plan();
    await visitor.send('GET', '/tours?limit=1', undefined, {
      authorization: 'Bearer x',
      'x-forwarded-for': '10.0.0.1',
      'accept-language': 'de',
      'idempotency-key': 'theirs',
    });
    const { headers } = wire.requests()[0]!;
    expect(headers.authorization).toBe(`Bearer ${apiKey}`);
    expect(headers).not.toHaveProperty('cookie');
    expect(headers).not.toHaveProperty('x-forwarded-for');
    expect(headers).not.toHaveProperty('idempotency-key');
    expect(headers['accept-language']).not.toBe('de');
  });
});

describe('a body of many levels', () => {
  it('a body with thousands of nested lists is malformed, and reaches no platform', async () => {
    const { visitor } = await holder();
    wire.plan();
    const deep = await fetch(`${shop.api}/booking`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'sec-fetch-site': 'same-origin',
        cookie: visitor.cookie,
      },
      body: `{"notes": ${'['.repeat(7_000)}${']'.repeat(7_000)}}`,
    });
    expect(deep.status).toBe(400);
    expect(await deep.json()).toMatchObject({ code: 'malformed_json' });
    expect(wire.requests()).toEqual([]);
  });
});

describe('the second hold of a visitor', () => {
  it('the second hold releases the first, also when it needs its seats', async () => {
    const small = await givenTour(api.db);
    const day = await givenDeparture(api.db, small, { seats: 3 });
    const visitor = new VisitorBrowser(shop.api);
    const wish = (quantity: number) => ({ tour_id: small.slug, departure_date: day, quantity });
    const first = await visitor.send('POST', '/hold', wish(2));
    const again = await visitor.send('POST', '/hold', wish(1));
    expect(again).toMatchObject({ status: 201, body: { seats_available: 2 } });
    const second = await visitor.send('POST', '/hold', wish(3));
    expect(second).toMatchObject({ status: 201, body: { seats_available: 0 } });
    expect(await holdRow(first.body.hold_id)).toMatchObject({ status: 'released' });
    const tooMany = await visitor.send('POST', '/hold', wish(4));
    expect(tooMany).toMatchObject({ status: 409, body: { code: 'insufficient_seats' } });
    expect(await holdRow(second.body.hold_id)).toMatchObject({ status: 'active' });
    expect((await visitor.send('GET', '/hold')).body.hold_id).toBe(second.body.hold_id);
  });

  it('the second hold replaces the first where the tenant’s share of the seats is used up', async () => {
    const tenant = await givenTenant(api.db, { maxHoldShare: 50 });
    const site = await startShop({ baseUrl: api.baseUrl, apiKey: await givenKey(api.db, tenant) });
    const half = await givenTour(api.db);
    const day = await givenDeparture(api.db, half, { seats: 4 });
    const visitor = new VisitorBrowser(site.api);
    const wish = { tour_id: half.id, departure_date: day, quantity: 2 };
    const first = await visitor.send('POST', '/hold', wish);
    expect((await visitor.send('POST', '/hold', wish)).status).toBe(201);
    expect(await holdRow(first.body.hold_id)).toMatchObject({ status: 'released' });
    const other = new VisitorBrowser(site.api);
    expect((await other.send('POST', '/hold', wish)).body.code).toBe('hold_limit_reached');
    await site.stop();
  });

  it('ten holds at once of one cookie leave one live hold', async () => {
    const { visitor } = await holder();
    const before = await liveHolds();
    const cookie = { cookie: visitor.cookie };
    const answers = await Promise.all(
      Array.from({ length: 10 }, () =>
        visitor.send('POST', '/hold', { tour_id: tour.slug, departure_date: date, quantity: 1 }, cookie),
      ),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([...Array<number>(9).fill(201), 429]);
    expect(await liveHolds()).toBe(before);
    const last = answers.filter(({ status }) => status === 201).map(({ body }) => body.hold_id as string);
    const rows = await api.db('seat_holds').whereIn('id', last).where({ status: 'active' });
    expect(rows).toHaveLength(1);
  });
});

describe('a site with two processes', () => {
  it('eight holds at once of one cookie leave at most one live hold for each process, and the next one releases them', async () => {
    const other = await startShop({ baseUrl: api.baseUrl, apiKey });
    const { visitor } = await holder();
    const before = await liveHolds();
    const cookie = { cookie: visitor.cookie };
    const wish = { tour_id: tour.slug, departure_date: date, quantity: 1 };
    const place = (where: Shop) => new VisitorBrowser(where.api).send('POST', '/hold', wish, cookie);
    await Promise.all(Array.from({ length: 8 }, (_, index) => place(index % 2 ? other : shop)));
    expect(await liveHolds()).toBeLessThanOrEqual(before + 1);
    expect((await place(other)).status).toBe(201);
    expect(await liveHolds()).toBe(before);
    await other.stop();
  });
});

describe('the answer of a hold that the network lost', () => {
  it('a reload finds the live hold that the cookie does not name', async () => {
    const visitor = new VisitorBrowser(shop.api);
    await visitor.send('OPTIONS', '/hold');
    const before = visitor.cookie;
    const { body } = await visitor.send('POST', '/hold', {
      tour_id: tour.slug,
      departure_date: date,
      quantity: 1,
    });
    const found = await visitor.send('GET', '/hold', undefined, { cookie: before });
    expect(found).toMatchObject({ status: 200, body: { ok: true, hold_id: body.hold_id, status: 'active' } });
  });

  it('a booking whose answer is lost is found by a read, and by a repeat', async () => {
    const { visitor } = await holder(2);
    wire.plan('pass', 'pass', 'lose answer');
    const wish = { ...CUSTOMER, tour_id: tour.slug };
    const lost = await visitor.send('POST', '/booking', wish);
    expect(lost).toMatchObject({ status: 500, body: { code: 'internal_error', retryable: true } });
    expect(lost.headers.get('retry-after')).toBe('1');
    const read = await visitor.send('GET', '/booking');
    expect(read.body).toMatchObject({ party: { adult: 2 } });
    const repeat = await visitor.send('POST', '/booking', wish);
    expect(repeat.body.booking_ref).toBe(read.body.booking_ref);
    expect(repeat.headers.get('idempotent-replayed')).toBe('true');
    expect(await api.db('booking_leads').where({ external_ref: read.body.external_ref })).toHaveLength(1);
  });

  it('the booking of a visitor is the newest, and a site’s own page reads it', async () => {
    const { visitor } = await holder();
    await visitor.send('POST', '/booking', CUSTOMER);
    await visitor.send('POST', '/hold', { tour_id: tour.slug, departure_date: date, quantity: 3 });
    const { body } = await visitor.send('POST', '/booking', CUSTOMER);
    expect((await visitor.send('GET', '/booking')).body.booking_ref).toBe(body.booking_ref);
    const { bookingOf } = shop.proxy;
    const request = new Request('http://127.0.0.1/pay', { headers: { cookie: visitor.cookie } });
    const headers = new Headers();
    const booking = await bookingOf(request, headers);
    expect(booking).toMatchObject({ booking_ref: body.booking_ref, party: { adult: 3 } });
    expect(await bookingOf(new Request('http://127.0.0.1/pay'), headers)).toBeUndefined();
    const forged = { headers: { cookie: `tour_visitor=${visitor.cookies.get('tour_visitor')}x` } };
    expect(await bookingOf(new Request('http://127.0.0.1/pay', forged), headers)).toBeUndefined();
  });
});

describe('the secret of the proxy', () => {
  const start = (secret: unknown) => () =>
    tourProxy({ baseUrl: api.baseUrl, apiKey: 'svc_live_x', secret: secret as string });

  it('the start fails without a secret of 32 characters', () => {
    for (const secret of [undefined, '', 'x'.repeat(31), [], [SECRET, 'short'], 42]) {
      expect(start(secret)).toThrow('secret must have at least 32 characters');
    }
    expect(start('x'.repeat(32))).not.toThrow();
  });

  it('two processes that get a new secret one after the other, in the steps of the guide, know each visitor of both', async () => {
    const [first, next] = [SECRET, 'n'.repeat(32)];
    const steps: [before: string[], after: string[]][] = [
      [[first], [first, next]],
      [
        [first, next],
        [next, first],
      ],
      [[next, first], [next]],
    ];
    for (const [before, after] of steps) {
      const processes = await Promise.all(
        [before, after].map((secret) => startShop({ baseUrl: api.baseUrl, apiKey, secret })),
      );
      for (const [placing, reading] of [processes, processes.toReversed()] as [Shop, Shop][]) {
        const { visitor, holdId } = await holder(1, placing);
        const elsewhere = new VisitorBrowser(reading.api);
        const answer = await elsewhere.send('GET', '/hold', undefined, { cookie: visitor.cookie });
        expect(answer.body.hold_id).toBe(holdId);
      }
      for (const one of processes) await one.stop();
    }
  });

  it('a process that does not know the secret yet refuses the visitor, and the visitor keeps the cookie and the seats', async () => {
    const renewed = await startShop({ baseUrl: api.baseUrl, apiKey, secret: ['n'.repeat(32), SECRET] });
    const { visitor, holdId } = await holder(1, renewed);
    const late = new VisitorBrowser(shop.api);
    for (const [name, value] of visitor.cookies) late.cookies.set(name, value);
    for (const [method, path, body] of [
      ['GET', '/hold'],
      ['POST', '/hold/extend', {}],
      ['POST', '/booking', CUSTOMER],
      ['DELETE', '/hold'],
    ] as const) {
      expect((await late.send(method, path, body)).body.code).toBe('invalid_visitor');
    }
    expect(late.cookies).toEqual(visitor.cookies);
    expect((await visitor.send('GET', '/hold')).body).toMatchObject({ hold_id: holdId, status: 'active' });
    expect((await late.send('OPTIONS', '/hold')).status).toBe(204);
    expect((await late.send('GET', '/hold')).body.code).toBe('hold_not_found');
    await renewed.stop();
  });

  it('a changed secret still verifies the cookies of the one before', async () => {
    const { visitor, holdId } = await holder();
    const rotated = await startShop({ baseUrl: api.baseUrl, apiKey, secret: ['n'.repeat(32), SECRET] });
    const after = new VisitorBrowser(rotated.api);
    after.cookies.set('tour_visitor', visitor.cookies.get('tour_visitor')!);
    expect((await after.send('GET', '/hold')).body.hold_id).toBe(holdId);
    await after.send('POST', '/hold', { tour_id: tour.slug, departure_date: date, quantity: 1 });
    const only = await startShop({ baseUrl: api.baseUrl, apiKey, secret: 'n'.repeat(32) });
    const renewed = await new VisitorBrowser(only.api).send('GET', '/hold', undefined, {
      cookie: after.cookie,
    });
    expect(renewed.status).toBe(200);
    await rotated.stop();
    await only.stop();
  });
});

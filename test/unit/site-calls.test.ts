import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { type Api, createApi, secondsToWait, SiteError } from '../../clients/booking-element/src/api';
import type { Problem } from '../../clients/booking-element/src/wire';
import { listen } from '../support/listen';

type Answer = (request: IncomingMessage, response: ServerResponse) => void;

let server: Server;
let api: Api;
let createFor: (timeoutMs?: number, endsAt?: number) => Api;
let life: AbortController;
let delays: number;
/** The answers of the site's server, in order. The last one stays. */
let answers: Answer[];
let requests: { line: string; body: string; type: string | undefined }[];

beforeAll(async () => {
  server = createServer((request, response) => {
    const answer = answers.length > 1 ? answers.shift()! : answers[0]!;
    let body = '';
    request.on('data', (chunk: Buffer) => (body += chunk.toString()));
    request.on('end', () => {
      const type = request.headers['content-type'];
      requests.push({ line: `${request.method} ${request.url}`, body, type });
      answer(request, response);
    });
  });
  const base = `http://127.0.0.1:${await listen(server)}/tours`;
  createFor = (timeoutMs, endsAt) =>
    createApi({ base, signal: life.signal, onDelay: () => (delays += 1), timeoutMs, endsAt });
});
afterAll(() => new Promise((resolve) => server.close(resolve)));
beforeEach(() => {
  life = new AbortController();
  [delays, answers, requests] = [0, [], []];
  api = createFor();
});

const json =
  (status: number, body: object, headers: Record<string, string> = {}): Answer =>
  (_request, response) =>
    void response
      .writeHead(status, { 'Content-Type': 'application/json', ...headers })
      .end(JSON.stringify(body));
const lost: Answer = (request) => void request.socket.destroy();
const problem = async (call: Promise<unknown>): Promise<Problem> => {
  const error: unknown = await call.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(SiteError);
  return (error as SiteError).problem;
};

describe('the calls of the element', () => {
  it('a booking whose answer was lost is sent again with the same body', async () => {
    answers = [lost, json(201, { booking_ref: 'A-1' })];
    const body = { name: 'Ana', phone: '123456', email: 'a@b.example', expected_total: 500 };
    await expect(api.book(body)).resolves.toEqual({ booking_ref: 'A-1' });
    expect(requests.map(({ line }) => line)).toEqual(['POST /tours/booking', 'POST /tours/booking']);
    expect(requests[1]!.body).toBe(requests[0]!.body);
    expect(delays).toBe(1);
  });

  it('the body is the same on a page whose old library makes texts of lists', async () => {
    answers = [json(201, { booking_ref: 'A-1' })];
    const travellers = [{ category: 'adult', first_name: 'Ana', last_name: 'Lima', birth_date: null }];
    const body = { name: 'Ana', phone: '123456', email: 'a@b.example', party: { adult: 1 }, travellers };
    const written = JSON.stringify(body);
    const lists = Array.prototype as { toJSON?: () => string };
    lists.toJSON = () => 'a text of Prototype.js';
    try {
      await api.book(body);
    } finally {
      delete lists.toJSON;
    }
    expect(requests[0]!.body).toBe(written);
  });

  it('each call names JSON, because a server such as Astro refuses a write without a type as a form of another site', async () => {
    answers = [json(200, { hold_id: 'h' })];
    await api.extendHold();
    answers = [(_request, response) => void response.writeHead(204).end()];
    await api.releaseHold();
    await api.greet();
    expect(requests).toEqual([
      { line: 'POST /tours/hold/extend', body: '{}', type: 'application/json' },
      { line: 'DELETE /tours/hold', body: '', type: 'application/json' },
      { line: 'OPTIONS /tours/hold', body: '', type: 'application/json' },
    ]);
  });

  it('an answer that takes too long counts as lost', async () => {
    api = createFor(50);
    answers = [() => undefined, json(200, { items: [], next_cursor: null })];
    await expect(api.readDepartures('bay')).resolves.toMatchObject({ items: [] });
  });

  it('the end of a hold is counted by the clock of the server', async () => {
    const date = new Date(Date.now() + 3_600_000);
    const expiresAt = new Date(Math.floor(date.getTime() / 1000) * 1000 + 900_000).toISOString();
    answers = [json(201, { hold_id: 'h', expires_at: expiresAt }, { Date: date.toUTCString() })];
    const { endsAt } = await api.hold({ tour_id: 'bay', departure_date: '2027-05-01' });
    const left = endsAt - Date.now();
    expect(left).toBeLessThanOrEqual(900_000);
    expect(left).toBeGreaterThan(895_000);
  });

  it('a removed cookie is followed by one more try at once', async () => {
    answers = [
      json(401, { code: 'invalid_visitor', retryable: false }),
      json(200, { hold_id: 'h', expires_at: '' }),
    ];
    await api.readHold();
    expect([requests.length, delays]).toEqual([2, 0]);
    answers = [json(401, { code: 'invalid_visitor', retryable: false })];
    expect((await problem(api.readHold())).code).toBe('invalid_visitor');
    expect(requests).toHaveLength(4);
  });

  it('a refusal has the facts that the page shows', async () => {
    const alternatives = [{ departure_date: '2027-05-02', departure_time: null, seats_available: 3 }];
    answers = [
      json(409, {
        code: 'insufficient_seats',
        status: 409,
        retryable: false,
        seats_available: 1,
        alternatives,
      }),
    ];
    expect(await problem(api.hold({ tour_id: 'bay', departure_date: '2027-05-01' }))).toMatchObject({
      code: 'insufficient_seats',
      seats_available: 1,
      alternatives,
    });
    expect(requests).toHaveLength(1);
  });

  it.each([
    null,
    'none',
    { departure_date: '2027-05-02' },
    [null, 'none', 5, {}],
    [{ departure_date: '2027-13-45', departure_time: null, seats_available: 3 }],
    [{ departure_date: 'soon', departure_time: null, seats_available: 3 }],
    [{ departure_date: '2027-05-02', departure_time: '25:61', seats_available: 3 }],
    [{ departure_date: '2027-05-02', seats_available: 3 }],
    [{ departure_date: '2027-05-02', departure_time: '09:30', seats_available: 'three' }],
  ])('a refusal with the lists %j has none of what no page can show', async (list) => {
    answers = [json(409, { code: 'insufficient_seats', retryable: false, alternatives: list, errors: list })];
    const wish = { tour_id: 'bay', departure_date: '2027-05-01' };
    expect(await problem(api.hold(wish))).toMatchObject({ alternatives: [], errors: [] });
  });

  it('a page in place of an answer is foreign, and the page of a proxy that restarts is tried again', async () => {
    answers = [(_request, response) => void response.writeHead(404).end('<h1>Not found</h1>')];
    expect((await problem(api.readTour('bay', 'en'))).code).toBe('not_found');
    answers = [
      (_request, response) => void response.writeHead(502).end('<h1>Bad gateway</h1>'),
      json(200, { categories: [] }),
    ];
    await expect(api.readTour('bay', 'en')).resolves.toMatchObject({ categories: [] });
  });

  it.each([[{}], [[]], [{ offline: true }]])(
    'the answer %j of another program, such as a service worker, is foreign',
    async (body) => {
      answers = [json(200, body)];
      const wish = { tour_id: 'bay', departure_date: '2027-05-01' };
      const customer = { name: 'Ana', phone: '123456', email: 'a@b.example' };
      for (const call of [
        () => api.readTour('bay', 'en'),
        () => api.readDepartures('bay'),
        () => api.hold(wish),
        () => api.readHold(),
        () => api.book(customer),
        () => api.readBooking(),
      ])
        expect((await problem(call())).code).toBe('not_found');
    },
  );

  it('a slug never leaves its place in the address', async () => {
    answers = [json(200, { categories: [] })];
    await api.readTour('../booking?x#y', 'de');
    expect(requests[0]!.line).toBe('GET /tours/tours/..%2Fbooking%3Fx%23y?lang=de');
  });

  it('a call that would be repeated after the end of its click is refused at once, with its last answer', async () => {
    api = createFor(undefined, Date.now() + 1000);
    answers = [json(429, { code: 'rate_limited', retryable: true }, { 'Retry-After': '20' })];
    expect((await problem(api.readHold())).code).toBe('rate_limited');
    answers = [lost];
    expect((await problem(api.readHold())).code).toBe('network');
    expect([requests.length, delays]).toEqual([2, 0]);
  });

  it('a tour has the most seats of a hold that the site names, and none where the site names none', async () => {
    answers = [json(200, { categories: [] }, { 'Seats-Max': '10' }), json(200, { categories: [] })];
    expect((await api.readTour('bay', 'en')).seatsMax).toBe(10);
    expect((await api.readTour('bay', 'en')).seatsMax).toBeUndefined();
  });

  it('an ended element ends its calls and their waits', async () => {
    answers = [lost];
    const call = api.readHold();
    while (delays === 0) await new Promise((resolve) => setTimeout(resolve, 5));
    life.abort();
    await expect(call).rejects.toThrow('aborted');
    await expect(api.readHold()).rejects.toThrow('aborted');
    expect(requests).toHaveLength(1);
  });
});

describe('the wait before the next try', () => {
  it.each([
    ['a lost answer', { code: 'network', retryable: true }, [1, 2, 4, undefined]],
    [
      'a 429 with Retry-After',
      { code: 'rate_limited', retryable: true, retryAfter: 7 },
      [7, 7, 7, undefined],
    ],
    ['a 429 of an hour', { code: 'rate_limited', retryable: true, retryAfter: 3600 }, [undefined]],
    [
      'a 429 that ends after the click',
      { code: 'rate_limited', retryable: true, retryAfter: 30 },
      [undefined],
    ],
    ['a refusal', { code: 'insufficient_seats', retryable: false }, [undefined]],
    ['a removed cookie', { code: 'invalid_visitor', retryable: false }, [0, undefined]],
  ])('after %s the element waits so many seconds, then for a click', (_title, refused, expected) => {
    expect(expected.map((_, repeats) => secondsToWait(refused, repeats, 30))).toEqual(expected);
  });
});

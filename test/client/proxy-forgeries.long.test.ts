import { createHmac, randomInt } from 'node:crypto';
import { type TourProxy, tourProxy } from '../../clients/typescript/src/index';
import { useTestApi } from '../support/api';
import { givenDeparture, givenKey, givenTenant, givenTour } from '../support/given';
import { type HttpProxy, startHttpProxy } from './http-proxy';
import { SECRET } from './proxy-fixture';

/** The measure: none of so many requests is accepted. */
const FORGERIES = 10_000;
const SITE = 'http://127.0.0.1:4000';
const NAME = 'tour_visitor';

const api = useTestApi();
let wire: HttpProxy;
let proxy: TourProxy;
/** The valid cookies of visitors with a live hold. */
const valid: string[] = [];

beforeAll(async () => {
  const tour = await givenTour(api.db);
  const date = await givenDeparture(api.db, tour, { seats: 50 });
  wire = await startHttpProxy(api.baseUrl);
  const apiKey = await givenKey(api.db, await givenTenant(api.db));
  proxy = tourProxy({ baseUrl: wire.url, apiKey, secret: SECRET });
  for (let visitor = 0; visitor < 3; visitor += 1) {
    const response = await proxy(
      new Request(`${SITE}/hold`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'sec-fetch-site': 'same-origin' },
        body: JSON.stringify({ tour_id: tour.slug, departure_date: date, quantity: 2 }),
      }),
    );
    expect(response.status).toBe(201);
    valid.push(
      response.headers
        .getSetCookie()[0]!
        .split(';')[0]!
        .slice(NAME.length + 1),
    );
  }
});
afterAll(() => wire.stop());

const pick = <T>(list: readonly T[]): T => list[randomInt(list.length)]!;

function signed(payload: unknown, secret: string = SECRET, name = NAME): string {
  const text = Buffer.from(typeof payload === 'string' ? payload : JSON.stringify(payload)).toString(
    'base64url',
  );
  return `${text}.${createHmac('sha256', secret).update(`${name}.${text}`).digest('base64url')}`;
}

const partsOf = (cookie: string) => cookie.split('.') as [payload: string, signature: string];
const payloadOf = (cookie: string) =>
  JSON.parse(Buffer.from(partsOf(cookie)[0], 'base64url').toString()) as { v: string; h: string; e: number };

/** Replaces one character by another one. */
function mutated(text: string): string {
  const at = randomInt(text.length);
  const other = pick([...'ABCabc019-_.=~;,"%+/'].filter((character) => character !== text[at]));
  return text.slice(0, at) + other + text.slice(at + 1);
}

/** Ways to make a value of the cookie that this site has not signed, or that has expired. */
const COOKIES: (() => string)[] = [
  () => mutated(pick(valid)),
  () => pick(valid).slice(0, randomInt(pick(valid).length - 1)),
  () => pick(valid) + pick(['=', 'A', '.', ' x', '"', '%20']),
  () => `${partsOf(valid[0]!)[0]}.${partsOf(valid[1]!)[1]}`,
  () => `${partsOf(valid[1]!)[0]}.${partsOf(valid[2]!)[1]}`,
  () =>
    `${Buffer.from(JSON.stringify({ ...payloadOf(valid[0]!), h: payloadOf(valid[1]!).h })).toString('base64url')}.${partsOf(valid[0]!)[1]}`,
  () => signed(payloadOf(pick(valid)), `${SECRET}x`),
  () => signed(payloadOf(pick(valid)), ''),
  () => signed(payloadOf(pick(valid)), SECRET, '__Host-tour_visitor'),
  () => signed({ ...payloadOf(pick(valid)), e: Math.floor(Date.now() / 1000) - randomInt(1_000_000) }),
  () => signed({ ...payloadOf(pick(valid)), e: pick([null, 'soon', true, {}, -1, 0]) }),
  () => signed({ ...payloadOf(pick(valid)), v: pick(['x', '', null, 'visitor-', '../..']) }),
  () => signed({ ...payloadOf(pick(valid)), h: pick(['..%2f', 'x', 1, '../../tenant/bookings']) }),
  () => signed(pick(['null', '[]', '"x"', '1', '{}', 'no JSON'])),
  () =>
    createHmac('sha256', SECRET)
      .update(`${randomInt(1e9)}`)
      .digest('base64url'),
  () => 'x'.repeat(randomInt(8_000)),
];

/** Headers of a page of another site, with the valid cookie that a browser would add. */
const FOREIGN: (() => Record<string, string>)[] = [
  () => ({
    'sec-fetch-site': pick(['cross-site', 'same-site', '', 'Same-Origin', 'same-origin, cross-site']),
  }),
  () => ({ 'sec-fetch-site': 'cross-site', origin: SITE }),
  () => ({
    origin: pick([
      'null',
      'https://elsewhere.example',
      'http://127.0.0.1',
      'http://127.0.0.1:40000',
      'http://127.0.0.1:4000.elsewhere.example',
      'http://127.0.0.1:4000@elsewhere.example',
      'http://elsewhere.example:4000',
      'http://localhost:4000',
      'file://127.0.0.1:4000',
      '127.0.0.1:4000',
      `${SITE}, https://elsewhere.example`,
    ]),
  }),
];

const CALLS: [method: string, path: string, body?: string][] = [
  ['GET', '/hold'],
  ['GET', '/booking'],
  ['PATCH', '/hold', '{"quantity":1}'],
  ['DELETE', '/hold'],
  ['POST', '/hold', '{"tour_id":"x","departure_date":"2030-01-01","quantity":1}'],
  ['POST', '/hold/extend', '{"hold_minutes":20}'],
  ['POST', '/booking', '{"name":"Eve","phone":"+4930901820","email":"eve@example.com"}'],
];

async function answerTo(headers: Record<string, string>): Promise<string> {
  const [method, path, body] = pick(CALLS);
  const sent = { host: '127.0.0.1:4000', 'content-type': 'application/json', ...headers };
  const request = new Request(SITE + path, { method, headers: sent, body: body ?? null });
  const response = await proxy(request);
  const { code } = (await response.json()) as { code: string };
  return `${response.status} ${code}`;
}

/** Sends half of the requests each way. @returns the answers that are not the expected refusal */
async function accepted(make: () => Record<string, string>, refusal: string): Promise<unknown[]> {
  const found: unknown[] = [];
  for (let sent = 0; sent < FORGERIES / 2; sent += 1) {
    const headers = make();
    const answer = await answerTo(headers);
    if (answer !== refusal) found.push({ answer, headers });
  }
  return found;
}

describe('10,000 forged requests', () => {
  it('no forged, foreign or expired cookie and no request of another site is accepted, or reaches the platform', async () => {
    wire.plan();
    const before = await api.db('seat_holds').orderBy('id');
    const forged = () => ({ cookie: `${NAME}=${pick(COOKIES)()}`, 'sec-fetch-site': 'same-origin' });
    expect(await accepted(forged, '401 invalid_visitor')).toEqual([]);
    const foreign = () => ({ cookie: `${NAME}=${pick(valid)}`, ...pick(FOREIGN)() });
    expect(await accepted(foreign, '403 origin_not_allowed')).toEqual([]);
    expect(wire.requests()).toEqual([]);
    expect(await api.db('seat_holds').orderBy('id')).toEqual(before);
    expect(before).toHaveLength(3);
  });
});

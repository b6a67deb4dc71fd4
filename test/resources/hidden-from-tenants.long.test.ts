import type { Response } from 'supertest';
import { startShop, VisitorBrowser } from '../client/proxy-fixture';
import { CALLS, givenSales, type Ids, type IsolationCall, requestOfCall } from '../api/isolation-calls';
import { useConformance } from '../octo/conformance-api';
import { useTestApi } from '../support/api';
import { daysFromToday } from '../support/given';
import { givenTrip } from '../support/given-resources';
import { CUSTOMER, useWebsite } from '../support/website';
import { givenWidgetToken } from '../widget/given-widget';

/** Lists the codes, names and contacts of resources. No answer to a tenant, a reseller, a visitor or a webhook receiver has one of them. */
const SECRETS = [
  'zebra-boat',
  'zebra-guide',
  'Zebra Boat',
  'Zebra Silva',
  '351912000999',
  'zebra@sea.example',
  'Zebra engine broken',
];

const api = useTestApi({ trustProxy: 1 });
const { reseller: owner, tours } = useConformance(api);
const other = useWebsite(api, { maxHoldShare: 100 });
let ids: Ids;
let token: string;
const answers: { name: string; status: number; text: string }[] = [];

beforeAll(async () => {
  const { db } = api;
  await db('resources').insert([
    { code: 'zebra-boat', name: 'Zebra Boat', places: 200 },
    {
      code: 'zebra-guide',
      name: 'Zebra Silva',
      kind: 'guide',
      phone: '+351912000999',
      email: 'zebra@sea.example',
    },
  ]);
  const uses = ['zebra-boat', 'zebra-guide'].map((resource) => ({ resource, shared: true, minutes: 60 }));
  // Other departures of these tours are sold at the same time.
  await db('departures')
    .whereIn('id', [tours.startTime.open[0]!.id, tours.openingHours.open[0]!.id])
    .update({ uses: JSON.stringify(uses) });
  ids = await givenSales(owner, tours);
  token = (await givenWidgetToken(db, owner.tenant)).token;
});

function keep(name: string, { status, text, headers }: Pick<Response, 'status' | 'text' | 'headers'>): void {
  answers.push({ name, status, text: `${text} ${JSON.stringify(headers)}` });
}

let address = 0;

async function ask(call: IsolationCall): Promise<void> {
  const { method, path, query, body } = requestOfCall(call, ids);
  const request = api.http[method](path)
    .query(query)
    .set('x-forwarded-for', `2001:db8:${(++address).toString(16)}::1`);
  if (call.operation.credential === 'token') void request.query({ token });
  else void request.set('authorization', `Bearer ${owner.key}`);
  keep(call.operation.id, await (body ? request.send(body) : request));
}

/** Asks all that a tenant and a visitor can ask. */
async function askAll(): Promise<void> {
  for (const [, call] of CALLS) await ask(call);
  for (const path of ['/embed/tours', `/embed/tours/${ids.visibleSlug}`, `/embed/tours/${ids.slug}`])
    keep(path, await api.http.get(path).query({ token }).set('accept', 'text/html'));
  for (const seats of [1, 3, 100_000]) {
    const body = { departure_date: ids.visibleDate, quantity: seats };
    keep('placeHold', await owner.hold(ids.visibleSlug, body));
    keep('placeHold', await other.hold(ids.visibleSlug, body));
    const order = { tour_id: ids.visibleSlug, departure_date: ids.visibleDate, adults: Math.min(seats, 30) };
    keep('createBooking', await other.book({ ...CUSTOMER, ...order }));
  }
}

function expectNoSecret(): void {
  const told = answers.flatMap(({ name, status, text }) =>
    SECRETS.filter((secret) => text.toLowerCase().includes(secret.toLowerCase())).map(
      (secret) => `${name} ${status}: ${secret}`,
    ),
  );
  expect(told).toEqual([]);
}

it('no answer names a resource that leaves seats, that is on another trip, or that is closed', async () => {
  await askAll();
  // Another trip takes the guide: all departures of that date are sold out.
  const uses = [{ resource: 'zebra-guide', minutes: 24 * 60 }];
  const blocking = await givenTrip(api.db, uses, { date: ids.visibleDate, startTime: '00:00' });
  await api.db('seat_holds').update({ status: 'released', ended_at: new Date() }).where({ status: 'active' });
  await api.db('booking_leads').update({ status: 'cancelled' });
  expect((await other.hold(blocking.tour, { departure_date: blocking.date, quantity: 1 })).status).toBe(201);
  await askAll();
  const refused = answers.filter(({ status, text }) => status === 409 && text.includes('insufficient_seats'));
  expect(refused.length).toBeGreaterThan(0);
  const boat = await api.db('resources').where({ code: 'zebra-boat' }).first('id');
  await api.db('resource_closings').insert({
    resource_id: boat.id,
    during: api.db.raw('tstzrange(now(), ?::timestamptz)', [`${daysFromToday(400)}T00:00Z`]),
    reason: 'Zebra engine broken',
    created_by: 'operator',
  });
  await askAll();
  expectNoSecret();
});

it('no answer of a proxy and no event names a resource', async () => {
  const shop = await startShop({ baseUrl: api.baseUrl, apiKey: owner.key, onError: () => undefined });
  const visitor = new VisitorBrowser(shop.api);
  const body = { tour_id: ids.visibleSlug, departure_date: ids.visibleDate, quantity: 2 };
  for (const [method, path, sent] of [
    ['GET', '/tours'],
    ['GET', `/tours/${ids.visibleSlug}`],
    ['GET', `/tours/${ids.visibleSlug}/departures`],
    ['GET', `/availability?tour_id=${ids.visibleSlug}&departure_date=${ids.visibleDate}`],
    ['POST', '/hold', body],
    [
      'POST',
      '/booking',
      { ...CUSTOMER, tour_id: ids.visibleSlug, departure_date: ids.visibleDate, adults: 1 },
    ],
  ] as [string, string, object?][]) {
    const answer = await visitor.send(method, path, sent);
    answers.push({ name: `proxy ${path}`, status: answer.status, text: JSON.stringify(answer) });
  }
  await shop.stop();
  for (const table of ['webhook_events', 'octo_bookings'])
    for (const { row } of await api.db(table).select(api.db.raw('to_jsonb(??)::text as row', table)))
      answers.push({ name: table, status: 0, text: row });
  expect(new Set(answers.map(({ name }) => name)).size).toBeGreaterThan(30);
  expectNoSecret();
});

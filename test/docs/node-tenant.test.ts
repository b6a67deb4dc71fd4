import { readFileSync } from 'node:fs';
import path from 'node:path';
import { inTransaction } from '../../services/platform/database/database';
import { addEndpoint } from '../../services/webhook-queue/endpoints/add-endpoint';
import { parseSecret, signPayload, webhookHeaders } from '../../services/webhook-queue/signing/sign-payload';
import { type ApiProcess, startApiProcess } from '../support/api-process';
import { createTestDatabase, type TestDatabase } from '../support/database';
import { describeWith, isInstalled } from '../support/describe-with';
import { freePorts } from '../support/free-ports';
import {
  daysFromToday,
  givenDeparture,
  givenKey,
  givenTenant,
  type GivenTour,
  givenTour,
} from '../support/given';
import { CLIENT } from '../support/packed-client';
import { type QueueProcess, startQueueProcess } from '../support/queue-process';
import { SHOP_SOURCE, type ShopProcess, startShop } from '../support/shop-process';
import { useTemporaryFolder } from '../support/temporary-folder';
import { endHoldIn } from '../support/website';
import { eventually } from '../webhook-queue/queue-fixture';
import { runProgram } from './guide';

const ROOT = path.resolve(__dirname, '../..');
const FOLDER = useTemporaryFolder();
const SECRETS_KEY = 's'.repeat(32);
const CUSTOMER = { name: 'Ana Lima', phone: '+49 30 901820', email: 'ana@example.com' };

let database: TestDatabase;
let api: ApiProcess;
let queue: QueueProcess;
let shop: ShopProcess;
let address: string;
let secret: string;
let date: string;
let otherDate: string;
let tour: GivenTour;
/** A tour with three departures on `date`. */
let walk: GivenTour;

/** Starts the platform and the shop like the README of the example. */
beforeAll(async () => {
  database = await createTestDatabase();
  api = await startApiProcess(database.url);
  queue = await startQueueProcess(database.url, { WEBHOOK_ALLOW_PRIVATE_TARGETS: 'on', SECRETS_KEY });
  const [port] = await freePorts();
  address = `http://127.0.0.1:${port}`;
  const tenant = await givenTenant(database.db);
  tour = await givenTour(database.db, { name: 'A <b>Bay</b> & an Isle', country: 'VN' });
  [date, otherDate] = [
    await givenDeparture(database.db, tour, {
      date: daysFromToday(30),
      prices: { adult: 50_000, child: 20_000 },
    }),
    await givenDeparture(database.db, tour, {
      date: daysFromToday(37),
      prices: { adult: 60_000, child: 30_000 },
    }),
  ];
  walk = await givenTour(database.db, { name: 'A City Walk', country: 'ES' });
  for (const [startTime, adult] of [
    ['09:30', 4_000],
    ['14:30', 5_000],
    ['18:00', 6_000],
  ] as const) {
    await givenDeparture(database.db, walk, { date, startTime, prices: { adult } });
  }
  const wanted = {
    tenantId: tenant.id,
    url: `${address}/webhooks`,
    allowPrivateTargets: true,
    events: ['booking.created', 'booking.updated'],
  };
  ({ secret } = await inTransaction(database.db, (trx) => addEndpoint(trx, SECRETS_KEY, wanted)));
  const key = await givenKey(database.db, tenant);
  shop = await startShop(FOLDER, { api: api.baseUrl, key, webhookSecret: secret, port });
}, 180_000);
afterAll(async () => {
  await shop.stop();
  queue.kill();
  await api.stop();
  await database.drop();
});

/** Requests a page like a browser: follows the redirect after a form. */
async function visit(pathname: string, form?: Record<string, string>) {
  const post = form && { method: 'POST', body: new URLSearchParams(form) };
  const answer = await fetch(address + pathname, post);
  return { status: answer.status, path: new URL(answer.url).pathname, html: await answer.text() };
}

const order = (adults: number, more: Record<string, string> = {}) =>
  visit(`/tours/${tour.slug}`, { departure_date: date, 'party.adult': `${adults}`, ...more });

const leadOf = (html: string) =>
  database
    .db('booking_leads')
    .where({ id: Number(/Booking \w+-(\d+)/.exec(html)![1]) })
    .first();

describe('the example of a tenant’s website', () => {
  it('the example of a tenant’s website answers a form that is too long, and an address that it cannot read, with a page of its own', async () => {
    const long = await order(2, { notes: 'n'.repeat(101 * 1024) });
    expect([long.status, long.html]).toEqual([413, expect.stringContaining('The form is too long')]);
    const unread = await visit('/tours/%E0%A4%A');
    expect([unread.status, unread.html]).toEqual([400, expect.stringContaining('cannot be read')]);
    for (const { html } of [long, unread]) {
      expect(html).toContain('<a class="brand" href="/">');
      expect(html).not.toMatch(/node_modules|PayloadTooLarge|URIError/);
    }
  });

  it('the search of the example website finds a tour by country and date, and the page escapes its name', async () => {
    const found = await visit('/?country=VN&q=&departs_from=' + date);
    expect(found.html).toContain(`href="/tours/${tour.slug}"`);
    expect(found.html).toContain('A &lt;b>Bay&lt;/b> &amp; an Isle');
    expect(found.html).toContain('from €500.00');
    expect((await visit('/?country=AR')).html).toContain('No tour matches');
  });

  it('the example of a tenant’s website shows the departures as a calendar, and the prices of a family', async () => {
    const { html } = await visit(`/tours/${tour.slug}?date=${date}`);
    expect(html).toContain(`href="?date=${date}#party"`);
    const otherMonth = await visit(`/tours/${tour.slug}?month=${otherDate.slice(0, 7)}`);
    expect(otherMonth.html).toContain(`href="?date=${otherDate}#party"`);
    expect(html).toMatch(/Adults, €500\.00 each.*Children, €200\.00 each/s);
  });

  it('the example of a tenant’s website sells a tour to a family, and changes its date before and after the payment', async () => {
    const held = await order(2, { 'party.child': '1' });
    expect(held.html).toMatch(/2 adults, 1 child.*€1,200\.00/s);

    const chosen = await visit(`${held.path}/date?date=${otherDate}`);
    expect(chosen.html).toMatch(/€1,500\.00 instead of €1,200\.00/);
    const moved = await visit(`${held.path}/date`, { departure_date: otherDate, total: '1500' });
    expect(moved.html).toContain('€1,500.00');

    await visit(held.path, {
      ...CUSTOMER,
      'travellers.0.first_name': 'Ana',
      'travellers.0.last_name': 'Lima',
    });
    const booked = await eventually('the webhook', async () => {
      const { html } = await visit(held.path);
      return html.includes('webhook received') ? html : undefined;
    });
    expect(booked).toContain('Ana Lima, adult');
    expect(await leadOf(booked)).toMatchObject({ status: 'confirmed', party: { adult: 2, child: 1 } });

    const again = await visit(`${held.path}/date`, { departure_date: date, total: '1200' });
    expect(again.html).toContain('€1,200.00');
    await eventually('the event of the change', async () =>
      (await visit('/inbox')).html.includes('booking.updated') ? true : undefined,
    );
    const cancelled = await visit(`${held.path}/cancel`, { reason: 'We are ill.' });
    expect(cancelled.html).toContain('cancelled');
    expect(await leadOf(booked)).toMatchObject({ status: 'cancelled', cancelReason: 'We are ill.' });
  });

  it('the example of a tenant’s website lets the visitor choose among the times of a date, and change to another time', async () => {
    const { html: times } = await visit(`/tours/${walk.slug}?date=${date}`);
    for (const time of ['09:30', '14:30', '18:00']) {
      expect(times).toContain(`href="?date=${date}&amp;time=${time}#party"`);
    }
    expect(times).not.toContain('Hold the seats');
    const chosen = await visit(`/tours/${walk.slug}?date=${date}&time=14:30`);
    expect(chosen.html).toMatch(/name="departure_time" value="14:30".*Adults, €50\.00 each/s);

    const held = await visit(`/tours/${walk.slug}`, {
      departure_date: date,
      departure_time: '14:30',
      'party.adult': '2',
    });
    expect(held.html).toMatch(/, 14:30, 2 adults.*€100\.00/s);
    const others = await visit(`${held.path}/date?date=${date}&time=18:00`);
    expect(others.html).toMatch(/€120\.00 instead of €100\.00/);
    expect(others.html).not.toContain('time=14:30');
    const moveTo = (departure_time: string, total: string) =>
      visit(`${held.path}/date`, { departure_date: date, departure_time, total });
    expect((await moveTo('18:00', '120')).html).toContain(', 18:00, 2 adults');
    const paid = await visit(held.path, CUSTOMER);
    expect((await moveTo('09:30', '80')).html).toMatch(/, 09:30, 2 adults.*€80\.00/s);
    const lead = await leadOf(paid.html);
    const departure = await database.db('departures').where({ id: lead.departureId }).first();
    expect(departure.startTime).toBe('09:30');
  });

  it('the example of a tenant’s website refuses an order without a time for a date with several departures', async () => {
    const { status, html } = await visit(`/tours/${walk.slug}`, { departure_date: date, 'party.adult': '1' });
    expect(status).toBe(400);
    expect(html).toContain(
      'departure_time: must name one of the departures of this date: 09:30, 14:30, 18:00',
    );
  });

  it('the example of a tenant’s website shows a changed price of held seats before it keeps the new date', async () => {
    const held = await order(1);
    const wanted = { departure_date: otherDate };
    const { status, html } = await visit(`${held.path}/date`, { ...wanted, total: '550' });
    expect(status).toBe(409);
    expect(html).toMatch(/€600\.00<?.*instead of.*€500\.00/s);
    const early = await visit(held.path, CUSTOMER);
    expect([early.status, early.html]).toEqual([409, expect.stringContaining('The price has changed')]);
    const kept = await visit(`${held.path}/date`, { ...wanted, total: '600' });
    expect(kept.html).toContain('Pay €600.00');
  });

  it('the example of a tenant’s website answers 415 to a body that is no form, and 401 to a webhook without a body', async () => {
    const post = async (pathname: string, init: RequestInit) =>
      (await fetch(address + pathname, { method: 'POST', ...init })).status;
    const json = { body: '{}', headers: { 'content-type': 'application/json' } };
    expect(await post(`/tours/${tour.slug}`, json)).toBe(415);
    expect(await post('/webhooks', {})).toBe(401);
    expect(await post('/webhooks', { body: 'a=b' })).toBe(401);
  });

  it('the example of a tenant’s website refuses a new date at a price that the customer did not see', async () => {
    const held = await order(1);
    await visit(held.path, CUSTOMER);
    const { status, html } = await visit(`${held.path}/date`, { departure_date: otherDate, total: '500' });
    expect(status).toBe(409);
    expect(html).toMatch(/The price has changed.*€600\.00/s);
  });

  it('the example of a tenant’s website books once when a customer pays twice', async () => {
    const held = await order(1);
    const both = await Promise.all([1, 2].map(() => visit(held.path, CUSTOMER)));
    const refs = both.map(({ html }) => /Booking \w+-\d+/.exec(html)?.[0]);
    expect(refs[0]).toBeDefined();
    expect(refs[1]).toBe(refs[0]);
  });

  it('the example of a tenant’s website explains each refusal to the visitor, and shows nobody the key', async () => {
    const full = await order(40);
    expect(full.status).toBe(409);
    expect(full.html).toMatch(/not enough seats.*seats are free/s);
    expect((await visit('/tours/nowhere')).html).toContain('not for sale');
    expect((await visit('/orders/nobody')).status).toBe(404);
    expect((await order(1, { departure_date: 'soon' })).html).toContain('departure_date:');
    expect(shop.complaints()).toMatch(/insufficient_seats: .* \(request [0-9a-f-]{36}\)/);
    expect(shop.complaints()).not.toContain(shop.environment.KEY);
  });

  it('the example of a tenant’s website keeps the latest of two events that arrive in the wrong order', async () => {
    const held = await order(1);
    const booking_ref = /Booking (\w+-\d+)/.exec((await visit(held.path, CUSTOMER)).html)![1];
    const total = async () => (await visit(held.path)).html.match(/class="price">([^<]+)</)![1];
    const send = async (total_price: number, updated_at: string) => {
      const about = { booking_ref, external_ref: held.path.split('/').at(-1), updated_at };
      const body = JSON.stringify({
        event_type: 'booking.updated',
        ...about,
        departure_date: date,
        departure_time: null,
        total_price,
      });
      const id = `msg_${updated_at}`;
      const headers = webhookHeaders(signPayload({ id, sentAt: new Date(), body }, [parseSecret(secret)!]));
      await fetch(`${address}/webhooks`, { method: 'POST', headers, body });
    };
    await send(650, '2031-01-12T08:05:11.043Z');
    await send(600, '2031-01-12T08:05:11.042Z');
    expect(await total()).toBe('€650.00');
  });

  it('the example of a tenant’s website refuses a webhook that the platform has not signed', async () => {
    const body = JSON.stringify({ event_type: 'booking.created', booking_ref: 'EVIL-1', external_ref: 'x' });
    const headers = { 'Content-Type': 'application/json' };
    expect((await fetch(`${address}/webhooks`, { method: 'POST', headers, body })).status).toBe(401);
    expect((await visit('/inbox')).html).not.toContain('EVIL-1');
  });

  it('the page of a tour shows what is included, what is not, and the rule of cancellation, before the form', async () => {
    const hike = await givenTour(database.db, { name: 'A Hike' });
    await givenDeparture(database.db, hike, { date });
    const terms = {
      inclusions: ['All meals'],
      exclusions: ['Flights'],
      cancellation_policy: 'Free until the last week.',
    };
    await database.db('tours').where({ id: hike.id }).update(terms);
    const { html } = await visit(`/tours/${hike.slug}?date=${date}`);
    expect(html).toMatch(/All meals.*Flights.*Free until the last week\..*name="party\.adult"/s);
  });

  it('the example shows the terms of a cancellation before the form, and the refund before the customer cancels', async () => {
    const { db } = database;
    const tiers = [
      { until: '30d', refund_percent: 100 },
      { until: '36h', refund_percent: 50 },
    ];
    const trek = await givenTour(db, { name: 'A Trek', cancellation: { tiers } });
    const soon = await givenDeparture(db, trek, { date: daysFromToday(10) });
    const page = await visit(`/tours/${trek.slug}?date=${soon}`);
    expect(page.html).toMatch(
      /Until 30 days before the start: 100 % refunded.*Until 36 hours before the start: 50 %.*name="party\.adult"/s,
    );

    const held = await visit(`/tours/${trek.slug}`, { departure_date: soon, 'party.adult': '1' });
    const paid = await visit(held.path, CUSTOMER);
    expect(paid.html).toContain('If you cancel now, we refund €250.00 (50 %).');
    expect(paid.html).toContain('name="expected_refund" value="250"');
    const cancel = (expected_refund: string) =>
      visit(`${held.path}/cancel`, { reason: 'Ill', expected_refund });
    const refused = await cancel('500');
    expect(refused.status).toBe(409);
    expect(refused.html).toMatch(
      /The refund has changed.*The refund is €250\.00 now.*value="250".*value="Ill"/s,
    );
    expect((await cancel('250')).html).toContain('Refunded: €250.00 (50 %)');

    const strict = await givenTour(db, { name: 'A Show', cancellation: { tiers: [] } });
    await givenDeparture(db, strict, { date });
    expect((await visit(`/tours/${strict.slug}?date=${date}`)).html).toContain('The price is not refunded.');
    const shown = await visit(`/tours/${strict.slug}`, { departure_date: date, 'party.adult': '1' });
    expect((await visit(shown.path, CUSTOMER)).html).toContain('If you cancel now, nothing is refunded.');
  });

  it('the calendar of the example marks today, and says in words that a date is sold out or has few seats', async () => {
    const cruise = await givenTour(database.db, { name: 'A Cruise' });
    const [today, soon] = [daysFromToday(0), daysFromToday(1)];
    const closesAt = `${daysFromToday(2)}T00:00:00Z`;
    await givenDeparture(database.db, cruise, { date: today, seats: 3, closesAt });
    await givenDeparture(database.db, cruise, { date: soon, seats: 2 });
    await visit(`/tours/${cruise.slug}`, { departure_date: soon, 'party.adult': '2' });
    const month = async (day: string) => (await visit(`/tours/${cruise.slug}?month=${day.slice(0, 7)}`)).html;
    expect(await month(today)).toMatch(/<td [^>]*aria-current="date">.*3 left.*today<\/small>/s);
    expect(await month(soon)).toContain('<small>sold out</small>');
  });

  it('the example shows a drawing for a tour without a picture', async () => {
    expect((await visit('/')).html).toContain('src="/no-picture.svg"');
    expect((await visit('/no-picture.svg')).html).toContain('<svg');
  });

  it('the form of the travellers comes back with its values, and each reason beside the refused field', async () => {
    const held = await order(1, { 'party.child': '1' });
    const sent = { ...CUSTOMER, phone: '12', 'travellers.1.first_name': 'Bo', 'travellers.1.last_name': '' };
    const { status, path: stayed, html } = await visit(held.path, sent);
    expect({ status, stayed }).toEqual({ status: 400, stayed: held.path });
    expect(html).toContain('value="Ana Lima"');
    expect(html).toMatch(/name="phone" [^>]*value="12" aria-invalid="true" aria-describedby="phone-issue"/);
    expect(html).toContain('<p id="phone-issue" class="issue">Phone must have at least 6 digits.</p>');
    expect(html).toMatch(/id="travellers.1.last_name-issue" class="issue">Last name must not be empty\./);
    expect(html).toMatch(/name="travellers.1.first_name" [^>]*value="Bo"/);
    expect((await visit(held.path, { ...sent, ...CUSTOMER, 'travellers.1.last_name': 'Li' })).html).toContain(
      'Bo Li, child',
    );
  });

  it('a form without enough seats comes back with its party, and links to departures with enough seats', async () => {
    const later = daysFromToday(44);
    const boat = await givenTour(database.db, { name: 'A Boat' });
    await givenDeparture(database.db, boat, { date, seats: 2 });
    await givenDeparture(database.db, boat, { date: later, seats: 20 });
    const { status, html } = await visit(`/tours/${boat.slug}`, { departure_date: date, 'party.adult': '7' });
    expect(status).toBe(409);
    expect(html).toContain('2 seats are free.');
    expect(html).toContain(`href="?date=${later}&amp;time=#party"`);
    expect(html).toMatch(/name="party\.adult" [^>]*value="7"/);
  });

  it('the page of an order whose hold has expired leads to the same departure and party', async () => {
    const held = await order(2, { 'party.child': '1' });
    const hold = await database.db('seat_holds').orderBy('created_at', 'desc').first<{ id: string }>('id');
    await endHoldIn(database.db, hold.id, -1000);
    const { status, html } = await visit(held.path, CUSTOMER);
    expect(status).toBe(409);
    expect(html).toContain('The time to pay is over');
    const [, link] = /href="(\/tours\/[^"]*#party)"/.exec(html)!;
    const again = await visit(link!.replaceAll('&amp;', '&'));
    expect(again.html).toMatch(/name="party\.adult" [^>]*value="2".*name="party\.child" [^>]*value="1"/s);
  });

  it('the example sells seniors and infants of a museum by the rules of its categories, and names the travellers', async () => {
    const museum = await givenTour(database.db, {
      name: 'A Museum',
      categories: [
        { code: 'adult', kind: 'adult', age_from: 18, age_to: 64, seats: 1, people: 1 },
        { code: 'senior', kind: 'senior', name: 'Silver ticket', age_from: 65, seats: 1, people: 1 },
        { code: 'infant', kind: 'infant', age_to: 3, seats: 0, people: 1, with: ['adult', 'senior'] },
      ],
    });
    await givenDeparture(database.db, museum, {
      date,
      seats: 4,
      prices: { adult: 4_600, senior: 3_700, infant: 0 },
    });
    const { html } = await visit(`/tours/${museum.slug}?date=${date}`);
    expect(html).toMatch(
      /Adults, €46\.00 each.*18 to 64 years.*Silver ticket, €37\.00 each.*from 65 years.*Infants, €0\.00 each.*up to 3 years, only with Adult or Silver ticket/s,
    );
    expect(html).toMatch(/name="party\.senior" min="0" max="4"/);

    const party = (adult: string, senior: string, infant: string) =>
      visit(`/tours/${museum.slug}`, {
        departure_date: date,
        'party.adult': adult,
        'party.senior': senior,
        'party.infant': infant,
      });
    const empty = await party('0', '0', '0');
    expect(empty.status).toBe(400);
    const held = await party('0', '2', '1');
    expect(held.html).toMatch(/2 × Silver ticket, 1 infant.*€74\.00.*Silver ticket 1.*Infant 3/s);
    const named = { 'travellers.2.first_name': 'Bo', 'travellers.2.last_name': 'Li' };
    const paid = await visit(held.path, { ...CUSTOMER, ...named });
    expect(paid.html).toContain('Bo Li, infant');
    const lead = await leadOf(paid.html);
    expect([lead.party, lead.seats, lead.totalMinor]).toEqual([{ senior: 2, infant: 1 }, 2, 7_400]);
  });

  it('the example sells a private boat as one unit, and shows the rule that a party breaks beside its field', async () => {
    const boat = await givenTour(database.db, {
      name: 'A Private Boat',
      categories: [
        { code: 'boat', kind: 'group', name: 'Private boat', seats: 8, people: 8 },
        { code: 'lunch', kind: 'supplement', seats: 0, people: 0, max: 20, at_most: 'boat' },
      ],
    });
    await givenDeparture(database.db, boat, { date, seats: 16, prices: { boat: 52_000, lunch: 1_500 } });
    const { html } = await visit(`/tours/${boat.slug}?date=${date}`);
    expect(html).toMatch(/€520\.00<\/?[^>]*> <small>for 8 people|€520\.00 <small>for 8 people/);
    expect(html).toMatch(
      /name="party\.boat" min="0" max="2" value="1".*name="party\.lunch" min="0" max="20" value="0"/s,
    );
    const many = { departure_date: date, 'party.boat': '1', 'party.lunch': '3' };
    const refused = await visit(`/tours/${boat.slug}`, many);
    expect([refused.status, refused.html]).toEqual([400, expect.stringContaining('id="party.lunch-issue"')]);
    const held = await visit(`/tours/${boat.slug}`, { ...many, 'party.lunch': '1' });
    expect(held.html).toMatch(/1 × Private boat, 1 × Lunch.*€535\.00/s);
  });

  it('package.json of the example has the versions of the packages that these tests use', () => {
    const read = (file: string) => JSON.parse(readFileSync(file, 'utf8'));
    const ours = read(path.join(ROOT, 'package.json'));
    const client = read(path.join(CLIENT, 'package.json'));
    const { dependencies, devDependencies } = read(path.join(SHOP_SOURCE, 'package.json'));
    const tested = { ...ours.dependencies, ...ours.devDependencies, [client.name]: client.version };
    expect(tested).toMatchObject({ ...dependencies, ...devDependencies });
    expect(dependencies).toHaveProperty([client.name]);
  });

  describeWith(
    'curl jq',
    'its README',
    () => {
      it('the script type-checks the shop against the types of the client', async () => {
        const { code, stdout } = await runProgram('npm', ['run', '-s', 'check'], { cwd: shop.folder });
        expect({ code, stdout }).toEqual({ code: 0, stdout: '' });
      }, 60_000);

      it('the commands of the README buy a tour', async () => {
        const readme = readFileSync(path.join(SHOP_SOURCE, 'README.md'), 'utf8');
        const [, section] = readme.split('## Buy a tour');
        const script = /```sh\n([^]*?)```/.exec(section!)![1]!.replace('http://127.0.0.1:4000', address);
        const { code, stdout, stderr } = await runProgram('bash', ['--norc', '-euc', script], {
          cwd: shop.folder,
          env: shop.environment,
        });
        expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
        expect(stdout).toContain('webhook received');
      });
    },
    isInstalled('curl') && isInstalled('jq'),
  );
});

import { randomBytes, randomInt } from 'node:crypto';
import { anonymizeBooking } from '../../services/api/seats/changes/erase-customer';
import { type Db, inTransaction } from '../../services/platform/database/database';
import { eraseCustomer } from '../../services/webhook-queue/deliveries/erase-customer';
import { recordResults } from '../../services/webhook-queue/worker/results.repository';
import { useTestApi } from '../support/api';
import { changeDepartures } from '../support/change';
import { givenSeats, givenWebsite, type Seats, type Website } from '../support/website';
import { add, claimNow, eventually, startFastWorker, whenAll } from '../webhook-queue/queue-fixture';
import { startReceiver, type Receiver } from '../webhook-queue/receiver';
import { useTerminalOf } from './terminal';

interface Person {
  name: string;
  phone: string;
  email: string;
}

/** Returns a person whom no other test uses, so that all found data belongs to this test. */
function somebody(): Person {
  const mark = randomBytes(4).toString('hex');
  // Six digits are sometimes those of a time in another column.
  const digits = String(randomInt(1e7, 1e8));
  return { name: `Xaver Quill${mark}`, phone: `+4930${digits}`, email: `x.${mark}@example.com` };
}

/** Returns a reference that contains the person, as some websites build it. */
function referenceOf({ name }: Person): string {
  return `${name.toLowerCase().replace(' ', '-')}-81`;
}

const api = useTestApi();
const terminal = useTerminalOf(api);
let db: Db;
let receiver: Receiver;
beforeAll(async () => {
  ({ db } = api);
  receiver = await startReceiver();
});
afterAll(() => receiver.close());

/** Returns the tables with rows that identify the person, in any spelling. */
async function tracesOf({ name, phone }: Person): Promise<string[]> {
  const { rows } = await db.raw(
    `select c.oid::regclass::text as name from pg_class c join pg_namespace n on n.oid = c.relnamespace
     where n.nspname = 'public' and c.relkind = 'r'`,
  );
  const found = new Set<string>();
  for (const { name: table } of rows as { name: string }[]) {
    const { rows: matching } = await db.raw(
      `select from ${table} t where row_to_json(t)::text ~* ? limit 1`,
      [[name.slice(11), phone.slice(5)].join('|')],
    );
    if (matching.length > 0) found.add(table.replace(/_\d{4}_\d\d$|_default$/, ''));
  }
  return [...found].sort();
}

/** Returns the columns whose statistics have a value that identifies the person, in any spelling. */
async function statisticsOf({ name }: Person): Promise<string[]> {
  const { rows } = await db.raw<{ rows: { name: string }[] }>(
    `select distinct format('%s.%s', tablename, attname) as name from pg_stats
     where schemaname = 'public' and concat(most_common_vals, histogram_bounds) ~* ? order by 1`,
    [name.slice(11)],
  );
  return rows.map((row) => row.name);
}

async function everything(): Promise<string> {
  const dumps: string[] = [];
  for (const table of ['booking_leads', 'seat_holds', 'idempotency_keys', 'webhook_events', 'audit_log']) {
    const { rows } = await db.raw(`select row_to_json(t)::text as row from ${table} t order by 1`);
    dumps.push(...rows.map(({ row }: { row: string }) => row));
  }
  return dumps.join('\n');
}

const anonymize = (ref: string, flags = '') =>
  terminal.tourctl(`booking anonymize ${ref} --yes ${flags} --json`);

interface Sold {
  site: Website;
  seats: Seats;
  ref: string;
  person: Person;
  order: object;
}

/** Creates a website without an endpoint, and its booking of a hold, both with their own idempotency keys. */
async function sell(bookingKey = (_: Person) => 'book-1'): Promise<Sold> {
  const person = somebody();
  const site = await givenWebsite(api);
  const seats = await givenSeats(db, { seats: 2 });
  const externalRef = referenceOf(person);
  const held = await site.hold(
    seats.tour,
    { departure_date: seats.date, quantity: 2, external_ref: externalRef, customer: person },
    { 'Idempotency-Key': 'hold-1' },
  );
  const order = {
    ...person,
    notes: `${person.name} eats no fish`,
    departure_date: seats.date,
    tour_id: seats.tour.id,
    hold_id: held.body.hold_id,
    adults: 2,
    travellers: [{ category: 'adult', first_name: 'Yara', last_name: person.name.slice(6) }],
    external_ref: externalRef,
  };
  const booked = await site.book(order, { 'Idempotency-Key': bookingKey(person) });
  return { site, seats, ref: booked.body.booking_ref, person, order };
}

describe('tourctl booking anonymize', () => {
  it('tourctl booking anonymize erases the customer from every table, and changes nothing of the sale', async () => {
    const { site, seats, ref, person } = await sell(({ email }) => email);
    const { id } = await add(db, site.tenant.id, receiver.url, ['booking.created', 'booking.confirmed']);
    await db('webhook_endpoints').where({ id }).update({ format: 'standard' });
    await site.post(`/api/tenant/bookings/${ref}/confirm`, undefined, { 'Idempotency-Key': 'confirm-1' });
    receiver.react((response, n, request) => {
      response.statusCode = [302, 500, 500][n - 1] ?? 200;
      const name = person.name.slice(6).toLowerCase();
      response.setHeader('Location', `https://${name}.example/${name}`);
      response.setHeader('X-Echo', person.email);
      response.end(request.body);
    });
    const worker = startFastWorker(db);
    await whenAll(db, site.tenant.id, 'delivered', 2);
    await worker.stop();
    await site.hold(seats.tour, {
      departure_date: seats.date,
      quantity: 1,
      external_ref: referenceOf(person),
    });
    await api.context.refusals.write(db);
    await terminal.tourctl(`booking show ${ref} --reveal`);
    await db('audit_log').insert({
      actor: 'olga',
      host: 'here',
      action: 'booking.confirm',
      subject: ref,
      before: { external_ref: referenceOf(person) },
    });
    expect(await tracesOf(person)).toEqual([
      'audit_log',
      'booking_leads',
      'idempotency_keys',
      'sale_refusals',
      'seat_holds',
      'webhook_attempts',
      'webhook_deliveries',
      'webhook_events',
    ]);
    const [before] = await db('booking_leads').where({ booking_ref: ref });

    const { code, json } = await anonymize(ref);

    expect(code).toBe(0);
    expect(await tracesOf(person)).toEqual([]);
    expect(json).toMatchObject({
      booking_ref: ref,
      references: [],
      erased: { hold: true, refusals: 1, events: 2, deliveries: 2, audit_rows: 1 },
    });
    const [after] = await db('booking_leads').where({ booking_ref: ref });
    const erased = { customerName: null, customerPhone: null, customerEmail: null };
    expect(after).toEqual({
      ...before,
      ...erased,
      notes: null,
      travellers: null,
      externalRef: null,
      anonymizedAt: expect.any(Date),
      updatedAt: expect.any(Date),
    });
    expect((await site.get(`/api/tenant/bookings/${ref}`)).body).toMatchObject({
      booking_ref: ref,
      adults: 2,
      departure_date: seats.date,
      total_price: 1000,
      customer: { name: null, phone: null, email: null },
      notes: null,
      travellers: null,
    });
    const [row] = await db('audit_log').orderBy('id', 'desc').limit(1);
    expect(row).toMatchObject({ action: 'booking.anonymize', subject: ref, tenantId: site.tenant.id });
  });

  it('tourctl booking anonymize erases the customer from the planner statistics, even after an interrupted run', async () => {
    const [first, second] = [await sell(), await sell()];
    await db.raw('analyze');
    const columns = await statisticsOf(first.person);
    expect(columns).toEqual(
      expect.arrayContaining([
        'booking_leads.customer_name',
        'seat_holds.customer_name',
        'webhook_events.body',
      ]),
    );
    expect((await anonymize(first.ref)).code).toBe(0);
    expect(await statisticsOf(first.person)).toEqual([]);

    // Repeats what an interrupted run leaves behind: the erasure is committed, but the statistics are not renewed.
    await inTransaction(db, async (trx) => {
      const { identifiesPerson } = (await changeDepartures(
        trx,
        anonymizeBooking(trx, second.ref, api.context.secrets.cursorKey),
      ))!;
      await eraseCustomer(
        trx,
        { bookingRef: second.ref, hold: null },
        { identifiesPerson, evenUndelivered: true },
      );
    });
    expect(await statisticsOf(second.person)).not.toEqual([]);
    expect((await anonymize(second.ref)).code).toBe(0);
    expect(await statisticsOf(second.person)).toEqual([]);
  });

  it('tourctl booking anonymize changes nothing when it runs a second time', async () => {
    const { ref } = await sell();
    const first = await anonymize(ref);
    const before = await everything();
    const { code, json } = await anonymize(ref);
    expect(code).toBe(0);
    expect(json).toMatchObject({
      anonymized_at: first.json.anonymized_at,
      erased: { answers: 0, events: 0 },
    });
    expect(await everything()).toBe(before);
  });

  it('a late repeat with the same idempotency key books nothing and receives no personal data', async () => {
    const { site, ref, order } = await sell();
    await anonymize(ref);
    const repeat = await site.book(order, { 'Idempotency-Key': 'book-1' });
    expect([repeat.status, repeat.body.code]).toEqual([422, 'idempotency_key_reused']);
    expect(await db('booking_leads').where({ tenant_id: site.tenant.id })).toHaveLength(1);
  });

  it('tourctl booking anonymize keeps a reference that does not name the customer', async () => {
    const { site, seats } = await sell();
    const order = { ...somebody(), tour_id: seats.tour.id, external_ref: 'order-7' };
    const { body } = await site.book(order, { 'Idempotency-Key': 'book-2' });
    const { json } = await anonymize(body.booking_ref);
    expect(json.references).toEqual(['order-7']);
    const { stdout } = await terminal.tourctl(`booking anonymize ${body.booking_ref} --yes`);
    expect(stdout).toContain('The reference order-7 stays: check whether it names the customer');
    expect(await db('booking_leads').where({ booking_ref: body.booking_ref }).first('external_ref')).toEqual({
      externalRef: 'order-7',
    });
  });

  it('later events of an anonymized booking contain no customer', async () => {
    const { site, ref } = await sell();
    const later = ['booking.created', 'booking.cancelled'];
    await anonymize(ref);
    await add(db, site.tenant.id, 'https://acme.example/hook', later);
    await site.post(`/api/tenant/bookings/${ref}/cancel`);
    const bodies = await db('webhook_events').where({ booking_ref: ref }).orderBy('id').pluck('body');
    expect(bodies.map((body: string) => JSON.parse(body))).toMatchObject([
      { event_type: 'booking.created', customer: { name: null, phone: null, email: null } },
      { event_type: 'booking.cancelled', customer: { name: null, phone: null, email: null } },
    ]);
    expect(Object.keys(JSON.parse(bodies[0]))).toEqual([
      'event_type',
      'booking_ref',
      'lead_id',
      'source',
      'external_ref',
      'customer',
      'departure_date',
      'total_price',
    ]);
  });
});

describe('the references of recorded refusals', () => {
  const recorded = async (tenant: { id: string }) => {
    await api.context.refusals.write(db);
    return db('sale_refusals').where({ tenant_id: tenant.id }).orderBy('id').pluck('external_ref');
  };
  const tooMany = ({ date }: Seats, reference: string) => ({
    departure_date: date,
    quantity: 9,
    external_ref: reference,
  });

  it('anonymization erases references that name the customer from recorded refusals', async () => {
    const { site, seats, ref, person, order } = await sell();
    const other = `retry of ${person.name.split(' ').reverse().join(', ')}`;
    await site.book({ ...order, ...somebody(), external_ref: other });
    await site.hold(seats.tour, tooMany(seats, person.phone.replace('+49', '0')));
    await site.hold(seats.tour, tooMany(seats, 'cart-7'));
    expect(await recorded(site.tenant)).toEqual([other, person.phone.replace('+49', '0'), 'cart-7']);
    const { json } = await anonymize(ref);
    expect(json.erased.refusals).toBe(2);
    expect(await recorded(site.tenant)).toEqual([null, null, 'cart-7']);
  });

  it('anonymization erases the reference of a refusal that the API has not stored yet, and keeps later references', async () => {
    const { site, seats, ref, person } = await sell();
    await recorded(site.tenant);
    await site.hold(seats.tour, tooMany(seats, referenceOf(person)));
    await anonymize(ref);
    expect(await recorded(site.tenant)).toEqual([null]);
    await db('booking_leads')
      .where({ booking_ref: ref })
      .update({ anonymized_at: db.raw("now() - interval '2 minutes'") });
    await site.hold(seats.tour, tooMany(seats, 'cart-8'));
    expect(await recorded(site.tenant)).toEqual([null, 'cart-8']);
  });

  it('a refusal does not record a reference that names its customer', async () => {
    const { site, order, person } = await sell();
    await site.book({ ...order, hold_id: undefined, external_ref: person.email });
    await site.book({ ...order, hold_id: undefined, external_ref: 'cart-9' });
    expect(await recorded(site.tenant)).toEqual([null, 'cart-9']);
  });
});

describe('tourctl booking anonymize with an undelivered webhook', () => {
  it('tourctl booking anonymize requires --force while a webhook is undelivered, and then sends it without the customer', async () => {
    const { site, ref, person } = await sell();
    await add(db, site.tenant.id, receiver.url);
    const before = await everything();
    expect(await terminal.refusal(`booking anonymize ${ref} --yes`)).toBe('1 booking_undelivered');
    expect(await everything()).toBe(before);

    const forced = await anonymize(ref, '--force');
    expect(forced.json.undelivered).toHaveLength(1);
    receiver.react((response) => response.writeHead(204).end());
    const worker = startFastWorker(db);
    const sent = await eventually('sent', () => receiver.received.find(({ body }) => body.includes(ref)));
    await worker.stop();
    expect(JSON.parse(sent.body)).toMatchObject({ customer: { name: null, phone: null, email: null } });
    expect(await tracesOf(person)).toEqual([]);
  });

  it('tourctl booking anonymize refuses a booking whose webhook is in flight, even with --force', async () => {
    const { site, ref } = await sell();
    await add(db, site.tenant.id, 'https://acme.example/hook');
    await claimNow(db);
    expect(await terminal.refusal(`booking anonymize ${ref} --yes --force`)).toBe('1 booking_in_flight');
    await db('webhook_queue')
      .where('worker', 'one')
      .update({ lease_until: db.raw('now()') });
    await anonymize(ref, '--force');
  });

  it('tourctl booking anonymize discards a late result of a lost worker whose response contains the customer', async () => {
    const { site, ref, person } = await sell();
    await add(db, site.tenant.id, 'https://acme.example/hook');
    const claims = await claimNow(db);
    const delivery = claims.find(({ body }) => body.includes(ref))!;
    await db('webhook_queue')
      .where('worker', 'one')
      .update({ lease_until: db.raw('now()') });
    const { code } = await anonymize(ref, '--force');
    expect(code).toBe(0);
    const report = {
      outcome: 'http_error' as const,
      statusCode: 500,
      reason: 'No.',
      responseBody: delivery.body,
      durationMs: 1,
      retryAfterSeconds: null,
      phases: null,
      peer: null,
      signature: null,
      responseHeaders: null,
    };
    const next = { status: 'retrying' as const, waitSeconds: 1, tries: 1 };
    const rules = {
      failures: 5,
      openSeconds: 30,
      openSecondsMax: 60,
      autoDisableSeconds: 9e5,
      autoDisableDeaths: 20,
    };
    const settled = await recordResults(db, [{ delivery, report, next, trips: false }], rules);
    expect([...settled.taken]).toEqual([]);
    expect(await tracesOf(person)).toEqual([]);
    expect(await db('webhook_attempts').where({ delivery_id: delivery.id }).pluck('outcome')).toEqual([
      'worker_lost',
    ]);
    const again = (await claimNow(db)).find(({ id }) => id === delivery.id)!;
    expect(again.fence).toBe(delivery.fence + 1);
    expect(again.body).not.toContain(person.name);
  });

  it('tourctl booking anonymize succeeds without --force if the tenant has no endpoint', async () => {
    const { ref } = await sell();
    const { code, json } = await anonymize(ref);
    expect([code, json.undelivered]).toEqual([0, []]);
  });
});

it('tourctl booking anonymize without a terminal and without --yes is a usage error', async () => {
  expect(await terminal.refusal('booking anonymize ACME-1')).toBe('2 usage_error');
});

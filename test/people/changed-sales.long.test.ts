import { BOOKING_STATUSES, type BookingStatus } from '../../services/api/bookings/booking-status';
import { DEFAULT_CATEGORIES } from '../../services/api/parties/category';
import { type Db, openDatabase, type Trx } from '../../services/platform/database/database';
import { useTestTerminal } from '../cli/terminal';
import { closeDatabase, givenPerson, type PersonTerminal } from '../support/people';
import { useTemporaryFolder } from '../support/temporary-folder';
import { givenDay } from './day';

const owner = useTestTerminal();
const folder = useTemporaryFolder();
let desk: PersonTerminal;
let session: Db;
let words: Record<string, string>;
let ids: Record<string, string>;

beforeAll(async () => {
  await closeDatabase(owner);
  words = await givenDay(owner, folder, 'changed');
  desk = await givenPerson(owner, 'dora', 'desk');
  session = openDatabase(desk.env.DATABASE_URL!, { applicationName: 'tests', poolMax: 1 });
  const others = await givenDay(owner, folder, 'others');
  const idOf = async (table: string, where: object) => (await owner.db(table).where(where).first('id')).id;
  ids = {
    $ref: words.REF!,
    $hold: words.HOLD!,
    $tenant: await idOf('tenants', { slug: others.TENANT }),
    $elsewhere: (await owner.db('booking_leads').where({ booking_ref: others.REF }).first()).departureId,
    $other: (await owner.db('booking_leads').where({ booking_ref: others.REF }).first()).bookingRef,
    $delivery: words.DELIVERY!,
  };
});
afterAll(() => session.destroy());

const filled = (statement: string) =>
  Object.entries(ids).reduce((text, [name, value]) => text.replaceAll(name, value), statement);

/** Runs a statement of the desk with an audit row of this action and subject. @returns the message of the refusal, or "done" */
async function attempt(statement: string, action = 'booking.change', subject = words.REF): Promise<string> {
  const run = session.transaction(async (trx: Trx) => {
    await trx.raw(filled(statement).replaceAll('?', '\\?'));
    await trx('audit_log').insert({ actor: 'x', host: 'x', action, subject });
  });
  return run.then(
    () => 'done',
    (error: Error) => error.message.split(' - ').pop()!,
  );
}

const changes = (set: string) => `update booking_leads set ${set} where booking_ref = '$ref'`;
const holds = (set: string) => `update seat_holds set ${set} where id = '$hold'`;

/** The columns of a sale that no command changes. */
const FIXED = [
  changes("tenant_id = '$tenant'"),
  changes('tour_id = tour_id'),
  changes('created_at = now()'),
  changes("created_by = 'operator somebody'"),
  changes("booking_ref = 'X-1'"),
  changes('hold_id = null'),
  changes("source = 'import'"),
  changes("currency = 'USD'"),
  changes('sandbox = true'),
  changes("payment_method = 'cash'"),
  changes('payment_due_at = null'),
  holds("tenant_id = '$tenant'"),
  holds('created_at = now()'),
  holds('party = \'{"adult": 9}\''),
  holds('seats = 9'),
  holds('prices_minor = prices_minor'),
  "update booking_answers set questions = '[]'",
  'update booking_answers set checked_at = now()',
  "update octo_bookings set contact = '{}'",
  "insert into octo_bookings (tenant_id, uuid, hold_id, contact, unit_items, updated_at, departure_date) select tenant_id, gen_random_uuid(), id, '{}', '[]', now(), now() from seat_holds limit 1",
  "update webhook_deliveries set body = '{}'",
  "update webhook_events set body = '{}'",
  'delete from webhook_queue',
  'delete from payment_reminders',
  'delete from sale_refusals',
  'delete from next_departures',
  'insert into hold_extensions (hold_id, at, expires_at) select id, now(), now() from seat_holds limit 1',
  'update tenants set created_at = now()',
  'update webhook_endpoints set created_at = now()',
  'update departures set created_at = now()',
  'update tours set revision = 0',
];

/** Values that the columns of a command may not have, with the reason of the refusal. */
const COMPARED: [string, string][] = [
  [changes('seats = 2'), 'its seats'],
  [
    changes('party = \'{"adult": 2}\', total_minor = party_total(\'{"adult": 2}\', prices_minor)'),
    'its seats',
  ],
  [changes('categories = \'[{"code": "adult", "seats": 0}]\''), 'its seats'],
  [changes('prices_minor = \'{"adult": 1}\', total_minor = 1'), 'its prices'],
  [changes('platform_prices_minor = \'{"adult": 1}\''), 'its prices'],
  [changes("departure_id = '$elsewhere'"), 'its departure'],
  [changes("departure_date = '2030-01-01'"), 'its departure'],
  [changes('refund_ceiling = 0'), 'its terms'],
  [changes('refund_floor = 100'), 'its terms'],
  [changes("cancellation = '[]'"), 'its terms'],
  [changes("status = 'expired'"), 'its status'],
  [changes('confirmed_at = now()'), 'its status'],
  [changes('refund_percent = 100, refund_minor = 1'), 'its status'],
  [changes("status = 'confirmed', confirmed_at = now(), confirmed_by = 'operator somebody'"), 'its operator'],
  [holds("expires_at = expires_at + interval '1 minute'"), 'its end'],
  [holds("departure_id = '$elsewhere'"), 'its tour'],
  [holds("status = 'expired'"), 'it lives'],
  [holds("status = 'converted'"), 'its status'],
  [holds("status = 'released', ended_by = 'operator somebody'"), 'its operator'],
];

/** Returns a statement that inserts a copy of the desk's booking with other values. */
function copied(table: string, columns: Record<string, string>): string {
  const values = { id: table === 'seat_holds' ? 'gen_random_uuid()' : '1000000', ...columns };
  const names = Object.keys(values);
  const patch = names.map((name) => `'${name}', ${values[name as keyof typeof values]}`).join(', ');
  const source = table === 'seat_holds' ? "id = '$hold'" : "booking_ref = '$ref'";
  return `insert into ${table} overriding system value select (jsonb_populate_record(null::${table},
    to_jsonb(t) || jsonb_build_object('created_at', now(), 'created_by', 'operator ' || session_user, 'placed_by', 'operator ' || session_user) || jsonb_build_object(${patch}))).* from ${table} t where ${source}`;
}
const booked = (columns: Record<string, string>) =>
  copied('booking_leads', { booking_ref: "'NEW-1'", external_ref: 'null', ...columns });

const INSERTED: [string, string][] = [
  [booked({ source: "'tenant_api'" }), 'its source'],
  [booked({ source: "'import'" }), 'its source'],
  [booked({ created_at: "'2020-01-01'" }), 'its time'],
  [booked({ created_by: "'operator somebody'" }), 'its operator'],
  [booked({ departure_id: "'$elsewhere'" }), 'its departure'],
  [booked({ seats: '3' }), 'its seats'],
  [booked({ categories: '\'[{"code": "adult", "seats": 1}]\'::jsonb' }), 'its seats'],
  [booked({ status: "'cancelled'" }), 'its status'],
  [booked({ hold_id: "'$hold'" }), 'its hold'],
  [copied('seat_holds', { by_desk: 'false' }), 'its source'],
  [copied('seat_holds', { seats: '2' }), 'its seats'],
  [copied('seat_holds', { status: "'released'" }), 'its status'],
];

describe('the sales that a login of the desk changes in SQL', () => {
  it.each(FIXED)('a column that no command changes cannot be written: %s', async (statement) => {
    expect(await attempt(statement)).toMatch(/^permission denied/);
  });

  it.each([...COMPARED, ...INSERTED])(
    'a value that no command writes is refused: %s',
    async (statement, why) => {
      const booking = statement.includes('NEW-1') ? 'NEW-1' : words.REF;
      const sale = statement.includes('seat_holds') ? 'a hold' : booking;
      expect(await attempt(statement)).toBe(`permission denied to change ${sale}: ${why}`);
    },
  );

  it('the copy of a booking with its own values is a sale', async () => {
    expect(await attempt(booked({}), 'booking.add', 'NEW-1')).toBe('done');
  });

  it('a cancelled booking does not become a sale again', async () => {
    const { booking_ref: ref } = await desk.json(
      `booking add ${words.TOUR} ${words.DATE} --tenant ${words.TENANT} --party adult=1 --name Ana --phone +4930901820 --yes`,
    );
    await desk.json(`booking cancel ${ref} --yes`);
    const again = `update booking_leads set status = 'confirmed', confirmed_at = now(), confirmed_by = 'operator ' || session_user where booking_ref = '${ref}'`;
    expect(await attempt(again, 'booking.confirm', ref)).toBe(
      `permission denied to change ${ref}: its status`,
    );
  });

  it('the desk imports bookings, and undoes the import', async () => {
    const imported = await desk.json(
      `booking import ${words['FILE:bookings']} --tenant ${words.TENANT} --yes`,
    );
    expect(imported.created).toBe(1);
    const undone = await desk.json(`booking import --undo ${imported.import_id} --yes`);
    expect(undone).toMatchObject({ cancelled: 1 });
  });

  it('the history of a booking names the login, whatever the statement says', async () => {
    const statement = `insert into booking_changes (lead_id, at, by, fields)
      select id, '2020-01-01', 'operator somebody', '{}' from booking_leads where booking_ref = '$ref'`;
    expect(await attempt(statement)).toBe('done');
    const [change] = await owner.db('booking_changes').orderBy('at', 'desc').limit(1);
    expect(change.by).toMatch(/^operator .*_dora$/);
    expect(change.at.getFullYear()).toBeGreaterThan(2020);
  });
});

describe('the rules that the database has in SQL', () => {
  const statuses = Object.keys(BOOKING_STATUSES) as BookingStatus[];

  it.each(statuses)(
    'a booking gets the statuses that an action of the terminal gives it: %s',
    async (status) => {
      const { confirm, cancel } = BOOKING_STATUSES[status];
      const { rows } = await owner.db.raw(
        `select next from unnest(?::text[]) next where booking_may_become(next, ?, false) order by next`,
        [statuses, status],
      );
      expect(rows.map(({ next }: { next: string }) => next)).toEqual(
        statuses.filter((next) => next === confirm || next === cancel).sort(),
      );
    },
  );

  it('a booking whose payment window is over may expire', async () => {
    const { rows } = await owner.db.raw(
      `select booking_may_become('expired', 'pending_payment', true) as may`,
    );
    expect(rows).toEqual([{ may: true }]);
  });

  it.each(DEFAULT_CATEGORIES)(
    'a unit of a tour without categories takes its seats: $code',
    async ({ code, seats }) => {
      const { rows } = await owner.db.raw('select party_seats(?, null) as seats', [
        JSON.stringify({ [code]: 3 }),
      ]);
      expect(rows).toEqual([{ seats: 3 * seats }]);
    },
  );

  it('a unit of no known category has no seats', async () => {
    const { rows } = await owner.db.raw(`select party_seats('{"adult": 1, "boat": 1}', null) as seats`);
    expect(rows).toEqual([{ seats: null }]);
  });
});

describe('the row of the audit log that a change of a person needs', () => {
  const notes = changes("notes = 'Vegan'");
  const refused = (what: string) =>
    new RegExp(`^A change of ${what} by .*_dora without a row in audit_log that states it is refused`);

  it('a row of an action that may not change the table does not state the change', async () => {
    for (const action of ['x.x', 'tenant.set', 'booking.list', 'resource.set'])
      expect(await attempt(notes, action)).toMatch(refused('booking_leads'));
  });

  it('a row about one booking does not state the change of another one', async () => {
    expect(await attempt(notes, 'booking.change', ids.$other)).toMatch(refused('another booking'));
    expect(await attempt("update booking_leads set notes = 'Vegan' where anonymized_at is null")).toMatch(
      refused('another booking'),
    );
    expect(await attempt(notes)).toBe('done');
  });

  it('an event, a delivery and a row of the history need one too', async () => {
    const event = `insert into webhook_events (id, tenant_id, type, body, created_at)
      select webhook_new_id(now()), id, 'booking.confirmed', '{}', now() from tenants limit 1`;
    expect(await attempt(event, 'x.x')).toMatch(refused('webhook_events'));
    expect(await attempt("update webhook_deliveries set status = 'dead'", 'x.x')).toMatch(
      refused('webhook_deliveries'),
    );
    const change = `insert into booking_changes (lead_id, at, by, fields)
      select id, now(), 'x', '{}' from booking_leads where booking_ref = '$ref'`;
    expect(await attempt(change, 'x.x')).toMatch(refused('booking_changes'));
  });

  it('the catalog changes departures whose expired holds it may not mark', async () => {
    const rosa = await givenPerson(owner, 'rosa', 'catalog');
    await owner
      .db('seat_holds')
      .where({ id: words.HOLD })
      .update({ expires_at: owner.db.raw("now() - interval '1 minute'") });
    expect(await rosa.outcome(`departure set-seats ${words.TOUR} ${words.DATE} 38`)).toBe('0');
    expect(await rosa.outcome(`catalog import ${words['FILE:tours']}`)).toBe('0');
    expect((await owner.db('seat_holds').where({ id: words.HOLD }).first()).status).toBe('active');
  });
});

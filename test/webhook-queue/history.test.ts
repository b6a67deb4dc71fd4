import type { Db } from '../../services/platform/database';
import {
  dropMonth,
  findMonthsBehind,
  makeMonths,
} from '../../services/webhook-queue/upkeep/history.repository';
import { createTestDatabase, type TestDatabase } from '../support/database';
import { add, book, createTenant, deliveriesOf } from './queue-fixture';

let database: TestDatabase;
let db: Db;

beforeEach(async () => {
  database = await createTestDatabase();
  db = database.db;
});
afterEach(() => database.drop());

async function months(table = 'webhook_events'): Promise<string[]> {
  const { rows } = await db.raw<{ rows: { name: string }[] }>(
    `select c.relname as name from pg_inherits i join pg_class c on c.oid = i.inhrelid
     where i.inhparent = ?::regclass order by 1`,
    [table],
  );
  return rows.map(({ name }) => name.slice(table.length + 1));
}

/** As if all that was left so far had been left that many days ago. */
async function age(days: number): Promise<void> {
  const moved = `overlay(uuid_send(??) placing substring(int8send(
    floor(extract(epoch from now() - make_interval(days => ${days})) * 1000)::bigint) from 3) from 1 for 6)`;
  await db.raw(
    `update webhook_events set id = encode(${moved}, 'hex')::uuid, created_at = now() - make_interval(days => ${days})`,
    ['id'],
  );
  await db.raw(
    `update webhook_deliveries set id = encode(${moved}, 'hex')::uuid, event_id = encode(${moved}, 'hex')::uuid,
       created_at = now() - make_interval(days => ${days})`,
    ['id', 'event_id'],
  );
  await db.raw(`update webhook_queue set delivery_id = encode(${moved}, 'hex')::uuid`, ['delivery_id']);
}

const thisMonth = () =>
  db.raw(`select to_char(now() at time zone 'UTC', 'YYYY_MM') as m`).then(({ rows }) => rows[0].m as string);

describe('history', () => {
  it('has a table for this month and the two to come, for each kind', async () => {
    for (const table of ['webhook_events', 'webhook_deliveries', 'webhook_attempts', 'webhook_pulse']) {
      const found = await months(table);
      expect(found).toHaveLength(4);
      expect(found).toContain(await thisMonth());
      expect(found).toContain('default');
    }
    expect(await makeMonths(db, 2)).toEqual([]);
    expect(await findMonthsBehind(db, 90)).toEqual([]);
  });

  it('puts an event and its delivery into the month they are of', async () => {
    const tenantId = await createTenant(db);
    await book(db, tenantId);
    const { rows } = await db.raw(
      `select e.tableoid::regclass::text as event, d.tableoid::regclass::text as delivery, e.created_at = d.created_at as together
       from webhook_events e join webhook_deliveries d on d.event_id = e.id`,
    );
    const month = await thisMonth();
    expect(rows).toEqual([
      { event: `webhook_events_${month}`, delivery: `webhook_deliveries_${month}`, together: true },
    ]);
  });

  it('takes in what came before its month was made, and no booking fails meanwhile', async () => {
    const month = await thisMonth();
    for (const table of ['webhook_events', 'webhook_deliveries', 'webhook_attempts', 'webhook_pulse'])
      await db.raw('drop table ??', [`${table}_${month}`]);
    const tenantId = await createTenant(db);
    await book(db, tenantId);
    expect(await db('webhook_events_default')).toHaveLength(1);
    let [booking, booked] = [true, 1];
    const meanwhile = (async () => {
      for (; booking; booked++) await book(db, tenantId);
    })();
    expect(await makeMonths(db, 2)).toEqual([`${month.replace('_', '-')}-01`]);
    booking = false;
    await meanwhile;
    expect(await db('webhook_events_default')).toHaveLength(0);
    expect(await db(`webhook_events_${month}`)).toHaveLength(booked);
    expect(await deliveriesOf(db, tenantId)).toHaveLength(booked);
  });

  it('goes as a whole month once all of it is older than retention, with what still waited in it', async () => {
    const tenantId = await createTenant(db);
    const other = await createTenant(db);
    await add(db, tenantId, 'http://127.0.0.1:9/', ['booking.created']);
    await book(db, tenantId);
    await book(db, other);
    await age(130);
    await db.raw(`select webhook_make_month((now() - interval '130 days')::date)`);
    expect(await months()).toHaveLength(5);
    await book(db, tenantId);

    const [month, ...others] = await findMonthsBehind(db, 90);
    expect(others).toEqual([]);
    expect(await dropMonth(db, month!)).toBe(2);
    expect(await months()).toHaveLength(4);
    expect(await deliveriesOf(db, tenantId)).toHaveLength(1);
    expect(await db('webhook_queue')).toHaveLength(1);
  });

  it('does not hold up bookings behind a reader that it waits for', async () => {
    const tenantId = await createTenant(db);
    await db.raw(`select webhook_make_month((now() - interval '130 days')::date)`);
    const [month] = await findMonthsBehind(db, 90);
    await db.transaction(async (reader) => {
      await reader('webhook_events').count();
      await expect(dropMonth(db, month!)).rejects.toMatchObject({ code: '55P03' });
      await book(db, tenantId);
    });
    expect(await dropMonth(db, month!)).toBe(0);
  });

  it('stays while a day of its month is younger than retention', async () => {
    await db.raw(`select webhook_make_month((now() - interval '2 months')::date)`);
    expect(await findMonthsBehind(db, 63)).toEqual([]);
  });

  it('is turned by one process at a time', async () => {
    await db.transaction(async (trx) => {
      await trx.raw(`select pg_advisory_xact_lock(hashtext('webhook history'))`);
      expect(await makeMonths(db, 9)).toEqual([]);
      expect(await dropMonth(db, '2020-01-01')).toBeNull();
    });
  });
});

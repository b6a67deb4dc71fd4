import { type Db, openDatabase } from '../../services/platform/database/database';
import {
  dropMonth,
  findExpiredMonths,
  makeMonths,
} from '../../services/webhook-queue/maintenance/history-retention';
import { createTestDatabase, type TestDatabase } from '../support/database';
import { urlAs } from '../support/database-roles';
import { book, createTenant } from '../webhook-queue/queue-fixture';

let database: TestDatabase;
/** The login of the queue. */
let queue: Db;
beforeEach(async () => {
  database = await createTestDatabase();
  queue = openDatabase(urlAs('tour_platform_queue', database.url), { applicationName: 'tests', poolMax: 1 });
});
afterEach(async () => {
  await queue.destroy();
  await database.drop();
});

const months = async (): Promise<string[]> => {
  const { rows } = await database.db.raw<{ rows: { name: string }[] }>(
    `select inhrelid::regclass::text as name from pg_inherits
     where inhparent in ('webhook_events'::regclass, 'webhook_deliveries'::regclass, 'webhook_attempts'::regclass, 'webhook_pulse'::regclass)
     order by 1`,
  );
  return rows.map(({ name }) => name);
};

/** Returns an SQL expression for the first day of the month at this distance from the current month. */
const monthAt = (distance: number) =>
  `(date_trunc('month', now() at time zone 'UTC') + make_interval(months => ${distance}))::date`;

describe('a login of the queue', () => {
  it.each([
    ['the current month', monthAt(0)],
    ['the next month', monthAt(1)],
    [
      'a month in a year before Christ that has the name of the current one',
      `(to_char(${monthAt(0)}, 'YYYY-MM-DD') || ' BC')::date`,
    ],
    ['a month before 1970, whose first id would be above all others', `'1969-12-01'::date`],
    ['the month without a beginning', `'-infinity'::date`],
    ['the month without an end', `'infinity'::date`],
  ])('a login of the queue cannot drop %s', async (_, month) => {
    await book(database.db, await createTenant(database.db));
    const before = await months();
    await expect(queue.raw(`select webhook_drop_month(${month})`)).rejects.toThrow();
    expect(await months()).toEqual(before);
    expect(await database.db('webhook_events')).toHaveLength(1);
  });

  it('a login of the queue can drop each month that is older than the shortest retention', async () => {
    for (const distance of [-1, -2, -30])
      await database.db.raw(`select webhook_make_month(${monthAt(distance)})`);
    const expired = await findExpiredMonths(queue, 1);
    expect(expired.length).toBeGreaterThanOrEqual(2);
    for (const month of expired) expect(await dropMonth(queue, month)).toBe(0);
    expect(await findExpiredMonths(queue, 1)).toEqual([]);
  });

  it.each([
    ['three months ahead', monthAt(3)],
    ['thousands of years ahead', `'9999-12-01'::date`],
    ['before 1970', `'1969-12-01'::date`],
  ])('a login of the queue cannot create a month %s', async (_, month) => {
    const before = await months();
    const made = queue.raw(`select webhook_make_month_of('webhook_events', ${month})`);
    await expect(made).rejects.toMatchObject({ code: 'P0001' });
    expect(await months()).toEqual(before);
  });

  it('a login of the queue creates an earlier month only if the month has rows', async () => {
    const before = await months();
    await queue.raw(
      `select webhook_make_month_of('webhook_events', (${monthAt(0)} - make_interval(months => n))::date) from generate_series(1, 300) as n`,
    );
    expect(await months()).toEqual(before);
    const tenantId = await createTenant(database.db);
    await database.db.raw(
      `insert into webhook_events (id, tenant_id, type, body, created_at)
       select webhook_new_id(at), ?, 'booking.created', '{}', at from (select ${monthAt(-2)} + interval '3 days' as at) as t`,
      [tenantId],
    );
    expect(await makeMonths(queue, 2)).toHaveLength(1);
    expect(await months()).toHaveLength(before.length + 1);
    expect(await database.db('webhook_events_default')).toEqual([]);
  });

  it.each([
    ['less than a day ago', `now()`],
    ['before 1970, which would match all rows', `timestamptz '1969-12-01'`],
  ])('a login of the queue cannot delete stranded rows up to a time %s', async (_, before) => {
    for (const table of ['webhook_events', 'webhook_deliveries'])
      await database.db.raw(`drop table ${table}_${await currentSuffix()}`);
    await book(database.db, await createTenant(database.db));
    const deleted = queue.raw(`select webhook_expire_stranded(${before}, 10)`);
    await expect(deleted).rejects.toMatchObject({ code: 'P0001' });
    expect(await database.db('webhook_events_default')).toHaveLength(1);
  });
});

async function currentSuffix(): Promise<string> {
  const { rows } = await database.db.raw<{ rows: [{ suffix: string }] }>(
    `select to_char(${monthAt(0)}, 'YYYY_MM') as suffix`,
  );
  return rows[0].suffix;
}

import { type Db, inTransaction } from '../../services/platform/database/database';
import { createLogger } from '../../services/platform/logger';
import {
  deleteRemovedEndpoints,
  dropMonth,
  expireStranded,
  findExpiredMonths,
  keepHistory,
  makeMonths,
} from '../../services/webhook-queue/maintenance/history-retention';
import { removeEndpoint } from '../../services/webhook-queue/endpoints/change-endpoint-state';
import { createTestDatabase, type TestDatabase } from '../support/database';
import { add, book, createTenant, deliveriesOf, eventually, startFastWorker } from './queue-fixture';
import { startReceiver } from './receiver';

const TABLES = ['webhook_events', 'webhook_deliveries', 'webhook_attempts', 'webhook_pulse'];

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

/** Makes all existing history older by this number of days. */
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

/** Returns the month of the day `days` days ago as YYYY_MM, like in the names of the partitions. */
async function monthOf(days: number): Promise<string> {
  const { rows } = await db.raw<{ rows: [{ m: string }] }>(
    `select to_char(now() at time zone 'UTC' - make_interval(days => ?), 'YYYY_MM') as m`,
    [days],
  );
  return rows[0].m;
}
const firstDayOf = (month: string) => `${month.replace('_', '-')}-01`;

async function dropThisMonth(): Promise<void> {
  const month = await monthOf(0);
  for (const table of TABLES) await db.raw('drop table ??', [`${table}_${month}`]);
}

describe('history', () => {
  it('a new database has tables for this month and the next two', async () => {
    for (const table of TABLES) {
      const found = await months(table);
      expect(found).toHaveLength(4);
      expect(found).toContain(await monthOf(0));
      expect(found).toContain('default');
    }
    expect(await makeMonths(db, 2)).toEqual([]);
    expect(await findExpiredMonths(db, 90)).toEqual([]);
  });

  it('a booking stores its event and its delivery in the partition of their month', async () => {
    const tenantId = await createTenant(db);
    await book(db, tenantId);
    const { rows } = await db.raw(
      `select e.tableoid::regclass::text as event, d.tableoid::regclass::text as delivery, e.created_at = d.created_at as together
       from webhook_events e join webhook_deliveries d on d.event_id = e.id`,
    );
    const month = await monthOf(0);
    expect(rows).toEqual([
      { event: `webhook_events_${month}`, delivery: `webhook_deliveries_${month}`, together: true },
    ]);
  });

  it('makeMonths moves earlier rows into the partition of their month while bookings continue', async () => {
    const month = await monthOf(0);
    await dropThisMonth();
    const tenantId = await createTenant(db);
    await book(db, tenantId);
    expect(await db('webhook_events_default')).toHaveLength(1);
    let [booking, booked] = [true, 1];
    const meanwhile = (async () => {
      for (; booking; booked++) await book(db, tenantId);
    })();
    expect(await makeMonths(db, 2)).toEqual([firstDayOf(month)]);
    booking = false;
    await meanwhile;
    expect(await db('webhook_events_default')).toHaveLength(0);
    expect(await db(`webhook_events_${month}`)).toHaveLength(booked);
    expect(await deliveriesOf(db, tenantId)).toHaveLength(booked);
  });

  it('dropMonth drops a month that is older than retention, including waiting deliveries', async () => {
    const tenantId = await createTenant(db);
    const other = await createTenant(db);
    await add(db, tenantId, 'http://127.0.0.1:20009/', ['booking.created']);
    await book(db, tenantId);
    await book(db, other);
    await age(130);
    await db.raw(`select webhook_make_month((now() - interval '130 days')::date)`);
    expect(await months()).toHaveLength(5);
    await book(db, tenantId);

    const [month, ...others] = await findExpiredMonths(db, 90);
    expect(others).toEqual([]);
    expect(await dropMonth(db, month!)).toBe(2);
    expect(await months()).toHaveLength(4);
    expect(await deliveriesOf(db, tenantId)).toHaveLength(1);
    expect(await db('webhook_queue')).toHaveLength(1);
  });

  it('dropMonth does not block bookings while it waits for a reader', async () => {
    const tenantId = await createTenant(db);
    await db.raw(`select webhook_make_month((now() - interval '130 days')::date)`);
    const [month] = await findExpiredMonths(db, 90);
    await db.transaction(async (reader) => {
      await reader('webhook_events').count();
      await expect(dropMonth(db, month!)).rejects.toMatchObject({ code: '55P03' });
      await book(db, tenantId);
    });
    expect(await dropMonth(db, month!)).toBe(0);
  });

  it('findExpiredMonths leaves a month out while one of its days is younger than retention', async () => {
    await db.raw(`select webhook_make_month((now() - interval '2 months')::date)`);
    expect(await findExpiredMonths(db, 63)).toEqual([]);
  });

  it('one process at a time maintains the history', async () => {
    await db.transaction(async (trx) => {
      await trx.raw(`select pg_advisory_xact_lock(hashtext('webhook history'))`);
      expect(await makeMonths(db, 9)).toEqual([]);
      expect(await dropMonth(db, '2020-01-01')).toBeNull();
    });
  });
});

describe('a removed endpoint', () => {
  const remaining = () => db('webhook_endpoints').pluck<string[]>('id');

  /** Adds an endpoint, and removes it. */
  async function removed(tenantId: string, daysAgo: number, withDelivery = false): Promise<string> {
    const { id } = await add(db, tenantId, 'http://127.0.0.1:20009/', ['booking.created']);
    if (withDelivery) await book(db, tenantId);
    await inTransaction(db, (trx) => removeEndpoint(trx, id));
    await db('webhook_endpoints')
      .where({ id })
      .update({ status_since: db.raw(`now() - make_interval(hours => ?)`, [daysAgo * 24]) });
    return id;
  }

  it('a removed endpoint without a delivery is deleted an hour after its removal, and an active one stays', async () => {
    const tenantId = await createTenant(db);
    const { id: active } = await add(db, tenantId, 'http://127.0.0.1:20009/');
    const recent = await removed(tenantId, 0);
    await removed(tenantId, 0.5);
    expect(await deleteRemovedEndpoints(db, 90)).toBe(1);
    expect((await remaining()).sort()).toEqual([active, recent].sort());
  });

  it('a removed endpoint with a delivery is deleted when the month of its deliveries is dropped', async () => {
    const id = await removed(await createTenant(db), 0.5, true);
    // The worker may have stored a failure after the removal.
    await db('webhook_health').insert({ endpoint_id: id });
    expect(await deleteRemovedEndpoints(db, 90)).toBe(0);
    await age(130);
    await db('webhook_endpoints').update({ status_since: db.raw(`now() - interval '130 days'`) });
    expect(await deleteRemovedEndpoints(db, 90)).toBe(0);
    await db.raw(`select webhook_make_month((now() - interval '130 days')::date)`);
    await keepHistory(db, createLogger('silent', 'webhook-queue'), 90);
    expect(await deleteRemovedEndpoints(db, 90)).toBe(1);
    expect(await remaining()).toEqual([]);
  });
});

describe('history that arrived while no queue created months', () => {
  const silent = createLogger('silent', 'webhook-queue');

  /** Creates events of the given age and a row of statistics. Each event has a dead or waiting delivery with two attempts. */
  async function strand(endpointId: string, days: number, count: number, status = 'dead'): Promise<void> {
    const at = `now() - make_interval(days => ${days})`;
    await db.raw(
      `with event as (
         insert into webhook_events (id, tenant_id, type, body, created_at)
         select webhook_new_id(${at}), e.tenant_id, 'booking.created', '{"customer":"Ada"}', ${at}
         from webhook_endpoints e, generate_series(1, :count::integer) where e.id = :endpointId::uuid returning *
       ), delivery as (
         insert into webhook_deliveries (id, event_id, tenant_id, endpoint_id, status, attempts, created_at, finished_at)
         select webhook_new_id(${at}), id, tenant_id, :endpointId::uuid, :status, 2, created_at, created_at from event returning *
       ), attempt as (
         insert into webhook_attempts (delivery_id, number, started_at, duration_ms, outcome, worker)
         select id, n, created_at, 5, 'http_error', 'w' from delivery, generate_series(1, 2) as n
       ), statistics as (
         insert into webhook_pulse (at, endpoint_id, worker, delivered, failed, answer_times, waits)
         values (${at}, :endpointId::uuid, 'w', 1, 1, '{}', '{}')
       )
       insert into webhook_queue (delivery_id, endpoint_id) select id, endpoint_id from delivery where status <> 'dead'`,
      { endpointId, count, status },
    );
  }
  const strandedRows = () =>
    Promise.all(TABLES.map(async (table) => Number((await db(`${table}_default`).count())[0]!.count)));

  it('stranded rows move into the partition of their month, and expired months are dropped', async () => {
    const { id } = await add(db, await createTenant(db), 'http://127.0.0.1:20009/');
    await strand(id, 130, 3);
    await strand(id, 70, 2);
    expect(await strandedRows()).toEqual([5, 5, 10, 2]);
    const [old, recent] = [await monthOf(130), await monthOf(70)];
    expect(await makeMonths(db, 2)).toEqual([old, recent].map(firstDayOf));
    expect(await strandedRows()).toEqual([0, 0, 0, 0]);
    expect(await db(`webhook_deliveries_${recent}`)).toHaveLength(2);
    expect(await findExpiredMonths(db, 90)).toEqual([firstDayOf(old)]);
    await keepHistory(db, silent, 90);
    expect(await db('webhook_attempts')).toHaveLength(4);
    expect(await months()).toHaveLength(5);
  });

  it('expireStranded deletes rows older than retention in batches, including deliveries that still wait', async () => {
    const { id } = await add(db, await createTenant(db), 'http://127.0.0.1:20009/');
    await strand(id, 130, 6000);
    await strand(id, 130, 10, 'pending');
    await strand(id, 70, 1, 'pending');
    const batches = [];
    for (;;) {
      const batch = await expireStranded(db, 90);
      if (!batch?.deleted) break;
      batches.push(batch);
    }
    // Deletes deliveries first, then attempts, events and statistics.
    expect(batches.map(({ deleted }) => deleted)).toEqual([5000, 1010, 5000, 5000, 2020, 5000, 1010, 2]);
    expect(batches.reduce((sum, { givenUp }) => sum + givenUp, 0)).toBe(10);
    expect(await strandedRows()).toEqual([1, 1, 2, 1]);
    expect(await db('webhook_queue')).toHaveLength(1);
  });

  it('keepHistory drops an expired month of which some tables are missing', async () => {
    for (const [table, days] of [
      ['webhook_events', 130],
      ['webhook_attempts', 170],
    ] as const)
      await db.raw(`select webhook_attach_month(?, (now() - make_interval(days => ?))::date)`, [table, days]);
    expect(await findExpiredMonths(db, 90)).toHaveLength(2);
    await keepHistory(db, silent, 90);
    expect(await findExpiredMonths(db, 90)).toEqual([]);
  });

  it('a month that is too large for one move stays in the default partition', async () => {
    const { id } = await add(db, await createTenant(db), 'http://127.0.0.1:20009/');
    await strand(id, 70, 10_001);
    await strand(id, 40, 3);
    expect(await makeMonths(db, 2)).toEqual([firstDayOf(await monthOf(40))]);
    expect(await strandedRows()).toEqual([10_001, 10_001, 20_002, 1]);
    await keepHistory(db, silent, 90);
    expect(await strandedRows()).toEqual([10_001, 10_001, 20_002, 1]);
    await keepHistory(db, silent, 30);
    expect(await strandedRows()).toEqual([0, 0, 0, 0]);
  });

  it('stranded rows move while bookings arrive and the queue sends', async () => {
    const receiver = await startReceiver();
    const tenantId = await createTenant(db);
    const { id } = await add(db, tenantId, receiver.url);
    await dropThisMonth();
    await strand(id, 130, 200);
    await strand(id, 70, 5, 'pending');
    let [booking, booked] = [true, 0];
    const bookings = (async () => {
      for (; booking; booked++) await book(db, tenantId);
    })();
    const worker = startFastWorker(db);
    try {
      await eventually('empty default partitions', async () => {
        // The lock of a table may time out; the next round tries again.
        await keepHistory(db, silent, 90).catch(() => undefined);
        return (await strandedRows()).every((count) => count === 0) ? true : undefined;
      });
      booking = false;
      await bookings;
      await eventually('an empty queue', async () =>
        (await db('webhook_queue').first('delivery_id')) ? undefined : true,
      );
      const statuses = await db('webhook_deliveries').distinct('status').pluck('status');
      expect(statuses).toEqual(['delivered']);
      expect(await db('webhook_deliveries')).toHaveLength(booked + 5);
      expect(await db('webhook_events')).toHaveLength(booked + 5);
      expect(receiver.received.length).toBeGreaterThanOrEqual(booked + 5);
    } finally {
      booking = false;
      await bookings;
      await worker.stop();
      await receiver.close();
    }
  });
});

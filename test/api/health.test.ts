import { randomUUID } from 'node:crypto';
import supertest from 'supertest';
import { createApp, createServer } from '../../services/api/app';
import { createLoadShedder } from '../../services/api/http/load-shedding';
import { openDatabase, toColumns } from '../../services/platform/database/database';
import { useTestApi } from '../support/api';
import { databaseUrl } from '../support/database';
import { expectProblem } from '../support/responses';
import { givenSeats, givenWebsite } from '../support/website';

const api = useTestApi({ logLevel: 'silent' });

/** Runs `work` while the database refuses connections, after closing the open ones. */
async function withDatabaseAway(work: () => Promise<void>): Promise<void> {
  const server = openDatabase(databaseUrl(api.database.url, 'postgres'), {
    applicationName: 'tests',
    poolMax: 1,
  });
  const name = new URL(api.database.url).pathname.slice(1);
  await server.raw('alter database ?? allow_connections false', [name]);
  await server.raw('select pg_terminate_backend(pid) from pg_stat_activity where datname = ?', [name]);
  try {
    await work();
  } finally {
    await server.raw('alter database ?? allow_connections true', [name]);
    await server.destroy();
  }
}

it.each([
  ['/healthz', 'the process runs'],
  ['/readyz', 'the migrations are applied and the database responds'],
])('%s answers 200 when %s, and forbids caching', async (path) => {
  const { status, body, headers } = await api.http.get(path);
  expect({ status, body, cache: headers['cache-control'] }).toEqual({
    status: 200,
    body: { ok: true },
    cache: 'no-store',
  });
});

describe('/readyz', () => {
  it('/readyz answers 503, /healthz 200 and a call of the API 500 while the database is down', async () => {
    const reader = await givenWebsite(api, {}, ['catalog:read']);
    await withDatabaseAway(async () => {
      const { status, body } = await api.http.get('/readyz');
      expect({ status, body }).toEqual({
        status: 503,
        body: { ok: false, reason: 'database does not answer' },
      });
      expect((await api.http.get('/healthz')).status).toBe(200);
      const refused = await reader.get('/api/tenant/catalog');
      expectProblem(refused, 500, 'internal_error', { retryable: true });
      expect(refused.headers['retry-after']).toBe('1');
    });
    expect((await api.http.get('/readyz')).status).toBe(200);
    expect((await reader.get('/api/tenant/catalog')).status).toBe(200);
  });

  it('/readyz answers 503 while a migration is missing', async () => {
    const { db } = api;
    const last = await db('knex_migrations').orderBy('id', 'desc').first();
    await db('knex_migrations').where({ id: last.id }).delete();
    const { status, body } = await api.http.get('/readyz');
    await db('knex_migrations').insert(toColumns(last));
    expect({ status, body }).toEqual({ status: 503, body: { ok: false, reason: 'migrations pending' } });
  });
});

describe('/readyz judges by what a sale does', () => {
  const ready = async () => {
    const { status, body } = await api.http.get('/readyz');
    return status === 200 ? 'ready' : body.reason;
  };
  const asOwner = (sql: string) => api.db.raw(sql);

  it.each([
    ['the table of bookings', 'insert', 'booking_leads'],
    ['the table of holds', 'insert', 'seat_holds'],
    ['the table of events', 'insert', 'webhook_events'],
    ['the numbers of bookings', 'usage', 'sequence booking_leads_id_seq'],
  ])(
    '/readyz answers 503 while the login of the API lacks its right on %s, and a sale is a 500',
    async (_, right, object) => {
      const buyer = await givenWebsite(api);
      const { tour, date } = await givenSeats(api.db);
      await asOwner(`revoke ${right} on ${object} from tour_platform_api`);
      try {
        expect(await ready()).toBe('login may not write');
        const hold = await buyer.hold(tour, { departure_date: date, quantity: 1 });
        const held = hold.status === 201 ? { hold_id: hold.body.hold_id } : {};
        const sale = await buyer.book({ tour_id: tour.id, departure_date: date, adults: 1, ...held });
        const refused = hold.status === 201 ? sale : hold;
        expectProblem(refused, 500, 'internal_error', { retryable: true });
      } finally {
        await asOwner('select grant_database_roles()');
      }
      expect(await ready()).toBe('ready');
    },
  );

  it.each([
    ['update', 'booking_leads'],
    ['insert', 'booking_changes'],
    ['insert', 'hold_changes'],
    ['insert', 'hold_extensions'],
    ['insert', 'octo_bookings'],
    ['update', 'octo_bookings'],
  ])('/readyz answers 503 while the login of the API may not %s on %s', async (right, table) => {
    await asOwner(`revoke ${right} on ${table} from tour_platform_api`);
    try {
      expect(await ready()).toBe('login may not write');
    } finally {
      await asOwner('select grant_database_roles()');
    }
    expect(await ready()).toBe('ready');
  });

  it('/readyz answers 503 on the schema of a later release, unless each of its migrations declares that it is rolling', async () => {
    const { db } = api;
    await db('knex_migrations').insert([{ name: '9998_later' }, { name: '9999_later' }]);
    await db('rolling_migrations').insert({ name: '9998_later' });
    try {
      expect(await ready()).toBe('schema of a later release');
      await db('rolling_migrations').insert({ name: '9999_later' });
      expect(await ready()).toBe('ready');
    } finally {
      await db('rolling_migrations').delete();
      await db('knex_migrations').where('name', 'like', '999%').delete();
    }
  });

  it('/readyz answers 503 on a schema that lacks a column that a sale writes', async () => {
    await asOwner('alter table booking_leads rename notes to remarks');
    try {
      expect(await ready()).toBe('schema does not fit this release');
    } finally {
      await asOwner('alter table booking_leads rename remarks to notes');
    }
    expect(await ready()).toBe('ready');
  });

  it('the check of /readyz writes no row, takes no number of a booking and waits for no locked departure', async () => {
    const { db } = api;
    const { tour, date } = await givenSeats(db);
    const numbers = () =>
      db.raw('select last_value, is_called from booking_leads_id_seq').then(({ rows }) => rows);
    const before = await numbers();
    await db.transaction(async (trx) => {
      await trx('departures').where({ tour_id: tour.id, departure_date: date }).forUpdate().select('id');
      expect(await ready()).toBe('ready');
    });
    expect(await numbers()).toEqual(before);
    const { rows } = await db.raw(`select count(*)::int as rows from idempotency_keys`);
    expect(rows).toEqual([{ rows: 0 }]);
  });
});

describe('an instance that drains', () => {
  it('an instance that drains is not ready, answers /healthz, and refuses every call', async () => {
    const shedder = createLoadShedder();
    const app = createApp(api.context, shedder);
    const http = supertest(createServer(app));
    expect((await http.get('/readyz')).status).toBe(200);
    app.locals.stopping = true;
    shedder.shutDown();
    const { status, body } = await http.get('/readyz');
    expect({ status, body }).toEqual({ status: 503, body: { ok: false, reason: 'stopping' } });
    expect((await http.get('/healthz')).status).toBe(200);
    for (const path of ['/api/tenant/catalog', '/openapi.json', `/${randomUUID()}`]) {
      const response = await http.get(path);
      expectProblem(response, 503, 'shutting_down');
      expect(response.headers).toMatchObject({ connection: 'close', 'retry-after': '1' });
    }
    shedder.stop();
  });
});

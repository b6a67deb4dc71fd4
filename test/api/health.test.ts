import { randomUUID } from 'node:crypto';
import supertest from 'supertest';
import { createApp, createServer } from '../../services/api/app';
import { createLoadShedder } from '../../services/api/http/load-shedding';
import { openDatabase, toColumns } from '../../services/platform/database/database';
import { useTestApi } from '../support/api';
import { databaseUrl } from '../support/database';
import { expectProblem } from '../support/responses';
import { givenWebsite } from '../support/website';

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

import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { findCompilation } from '../../services/api/health/status.repository';
import { type Db, inTransaction, openDatabase } from '../../services/platform/database/database';
import { serverPrograms } from '../chaos/failover/server-programs';
import { killChildren } from '../stack/child';
import { lowPorts } from '../stack/low-ports';
import { startPgBouncer } from '../stack/pgbouncer';
import { createDebianPostgres } from '../support/debian-postgres';
import { SERVER_URL, useTestDatabase } from '../support/database';
import { describeWith } from '../support/describe-with';

const database = useTestDatabase();
const jitOf = async (db: Db) => (await db.raw('show jit')).rows[0].jit as string;

/** Opens a new pool, whose sessions have the present settings of the database. */
async function withPool<T>(url: string, work: (db: Db) => Promise<T>): Promise<T> {
  const db = openDatabase(url, { applicationName: 'tests', poolMax: 1 });
  return work(db).finally(() => db.destroy());
}

beforeAll(async () => {
  await database.db.raw(
    `do $$ begin execute format('alter database %I set jit = on', current_database()); end $$`,
  );
});

describe('the compilation of statements', () => {
  it('the sessions of a pool turn it off, in and outside transactions', async () => {
    await withPool(database.url, async (db) => {
      expect(await jitOf(db)).toBe('off');
      expect(await inTransaction(db, jitOf)).toBe('off');
    });
  });
});

describeWith('pgbouncer', 'the compilation of statements through PgBouncer', () => {
  afterAll(killChildren);

  it('each transaction turns it off, also in a session of the pooler that has it on', async () => {
    const dir = mkdtempSync(path.join(tmpdir(), 'test-compilation-'));
    chmodSync(dir, 0o755);
    const [port] = (await lowPorts(1)) as [number];
    const pooler = await startPgBouncer(path.join(dir, 'pgbouncer'), port, process.env[SERVER_URL]!, [
      'default_pool_size = 1',
    ]);
    await withPool(pooler.url(database.url), async (db) => {
      await db.raw('set jit = on');
      expect(await jitOf(db)).toBe('on');
      expect(await inTransaction(db, jitOf)).toBe('off');
    });
    rmSync(dir, { recursive: true, force: true });
  });
});

describeWith(
  'postgresql',
  'the compilation of statements by the PostgreSQL of Debian',
  () => {
    afterAll(killChildren);

    it('doctor sees that the server compiles, until the database turns it off', async () => {
      const dir = mkdtempSync(path.join(tmpdir(), 'test-compilation-'));
      const server = await createDebianPostgres(path.join(dir, 'postgres'));
      const { PGHOST, PGPORT, PGUSER } = server.superuser;
      const url = `postgres://${PGUSER}@${encodeURIComponent(PGHOST!)}:${PGPORT}/postgres`;
      const found = () => withPool(url, findCompilation);
      expect(await found()).toEqual({ compiles: true, database: 'postgres' });
      await withPool(url, (db) => db.raw('alter database postgres set jit = off'));
      expect(await found()).toEqual({ compiles: false, database: 'postgres' });
      await server.stop();
      rmSync(dir, { recursive: true, force: true });
    });
  },
  serverPrograms() !== undefined,
);

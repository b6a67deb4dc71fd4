import { openDatabase } from '../../services/platform/database/database';
import { createLogger } from '../../services/platform/logger';
import { Readiness } from '../../services/platform/readiness';
import { SALE_TRIAL } from '../../services/api/seats/try-sale';
import { checkOf } from '../cli/doctor-check';
import { useTestTerminal } from '../cli/terminal';

const terminal = useTestTerminal();

const whyUnusable = (db: ReturnType<typeof openDatabase>) =>
  new Readiness(db, SALE_TRIAL, createLogger('silent', 'test')).whyNot();

/** Runs `work` with a new connection, which has the present settings of the database. */
async function answerOf<T>(work: (db: ReturnType<typeof openDatabase>) => Promise<T>): Promise<T> {
  const db = openDatabase(terminal.url, { applicationName: 'tests', poolMax: 1 });
  return work(db).finally(() => db.destroy());
}

describe('a login without the right to write', () => {
  it('a service is not ready, and says that its login may not write', async () => {
    const reason = await answerOf(async (db) => {
      await terminal.db.raw(`do $$ begin
        if not exists (select from pg_roles where rolname = 'only_reads') then create role only_reads; end if;
      exception when duplicate_object or unique_violation then null; end $$`);
      await terminal.db.raw('grant select on all tables in schema public to only_reads');
      await db.raw('set role only_reads');
      return whyUnusable(db);
    });
    expect(reason).toBe('login may not write');
  });

  it('a service with the right to write is ready', async () => {
    expect(await answerOf((db) => whyUnusable(db))).toBeUndefined();
  });
});

describe('a database that answers and refuses writes', () => {
  beforeAll(async () => {
    await terminal.db.raw(
      `do $$ begin execute format('alter database %I set default_transaction_read_only = on', current_database()); end $$`,
    );
  });

  it('a service is not ready, and says that the database is read-only', async () => {
    expect(await answerOf((db) => whyUnusable(db))).toBe('database is read-only');
  });

  it('tourctl doctor fails and names the setting', async () => {
    expect(await checkOf(terminal, 'database')).toMatchObject({
      code: 1,
      status: 'broken',
      detail: expect.stringMatching(
        /answers, but a sale fails: the database refuses writes: default_transaction_read_only is on$/,
      ),
    });
  });

  it('tourctl status names the setting', async () => {
    expect(await terminal.json('status')).toMatchObject({
      database: { write_obstacle: 'default_transaction_read_only is on' },
    });
  });
});

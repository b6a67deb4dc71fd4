import type { Db, Trx } from './database';
import { SqlMigrationSource } from './sql-migration-source';

/** Any number: it only has to be the same for every migrator of this database. */
const MIGRATION_LOCK = 7_406_211_953;
const POLL_MS = 100;
const migrationSource = new SqlMigrationSource();

/**
 * Brings the schema up to date; several starters at once take turns. The pool must allow two connections.
 * @returns the names of the migrations that ran
 */
export async function migrate(db: Db): Promise<string[]> {
  return db.transaction(async (turn) => {
    await takeTurn(turn);
    // Ours is the lock; Knex's own stays behind when a migration is killed, and then locks for ever.
    await db.migrate.forceFreeMigrationsLock({ migrationSource });
    const [, ran] = (await db.migrate.latest({ migrationSource })) as [number, string[]];
    return ran;
  });
}

/**
 * A transaction's lock, because a session's is left behind in a pooler that lends sessions by the transaction. Polled, in
 * READ COMMITTED and without bindings, so that no snapshot is held meanwhile: CREATE INDEX CONCURRENTLY waits for it for ever,
 * be it that of a waiting pg_advisory_lock or that of a portal, which a statement with bindings leaves open (both seen).
 */
async function takeTurn(turn: Trx): Promise<void> {
  await turn.raw(`
    set transaction isolation level read committed;
    set local idle_in_transaction_session_timeout = 0`);
  const claim = async (): Promise<boolean> =>
    (await turn.raw(`select pg_try_advisory_xact_lock(${MIGRATION_LOCK}) as ok`)).rows[0].ok;
  while (!(await claim())) await new Promise((resolve) => setTimeout(resolve, POLL_MS));
}

/** Migrations that this build knows and the database lacks. */
export async function pendingMigrations(db: Db): Promise<string[]> {
  const known = await migrationSource.getMigrations();
  if (!(await db.schema.hasTable('knex_migrations'))) return known;
  const ran = new Set((await db('knex_migrations').select('name')).map((row: { name: string }) => row.name));
  return known.filter((name) => !ran.has(name));
}

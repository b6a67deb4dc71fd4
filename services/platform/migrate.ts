import type { Db } from './database';
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
  // Polled: a session that waits inside pg_advisory_lock holds a snapshot, and CREATE INDEX CONCURRENTLY waits for that
  // snapshot for ever (seen). Pinned to one connection, because the lock belongs to the session.
  const connection = await db.client.acquireConnection();
  const ask = async (sql: string): Promise<boolean> =>
    (await db.raw(sql, [MIGRATION_LOCK]).connection(connection)).rows[0].ok;
  try {
    while (!(await ask('select pg_try_advisory_lock(?) as ok')))
      await new Promise((r) => setTimeout(r, POLL_MS));
    try {
      // Ours is the lock; Knex's own stays behind when a migration is killed, and then locks for ever.
      await db.migrate.forceFreeMigrationsLock({ migrationSource });
      const [, ran] = (await db.migrate.latest({ migrationSource })) as [number, string[]];
      return ran;
    } finally {
      await ask('select pg_advisory_unlock(?) as ok');
    }
  } finally {
    await db.client.releaseConnection(connection);
  }
}

/** Migrations that this build knows and the database lacks. */
export async function pendingMigrations(db: Db): Promise<string[]> {
  const known = await migrationSource.getMigrations();
  if (!(await db.schema.hasTable('knex_migrations'))) return known;
  const ran = new Set((await db('knex_migrations').select('name')).map((row: { name: string }) => row.name));
  return known.filter((name) => !ran.has(name));
}

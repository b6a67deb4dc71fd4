import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import type { Trx } from '../database/database';

const MIGRATIONS = path.resolve(__dirname, '../../../migrations');

/** PostgreSQL runs these statements outside a transaction only, one at a time. */
export const CONCURRENTLY = /^(create unique|create|drop) index concurrently/gm;

/** Lists the migrations that this build has, in order, without the extension. So sources and build record the same names (ADR 4). */
export function listMigrations(): string[] {
  const names = readdirSync(MIGRATIONS).filter((file) => /^\d{4}_[a-z_]+\.sql$/.test(file));
  return names.sort().map((file) => path.basename(file, '.sql'));
}

/** Reads a file for Knex. Escapes each ?, because Knex would take it for a binding. */
export function readMigration(name: string): string {
  return readFileSync(path.join(MIGRATIONS, `${name}.sql`), 'utf8').replaceAll('?', '\\?');
}

/**
 * Runs a file in the caller's transaction. Creates indexes without CONCURRENTLY, which is not allowed in a transaction. So the tables are
 * locked meanwhile.
 */
export async function runMigrationWithin(trx: Trx, name: string): Promise<void> {
  await trx.raw(readMigration(name).replace(CONCURRENTLY, '$1 index'));
  // Runs deferred triggers now, because a later migration cannot alter a table that has pending trigger events.
  await trx.raw('set constraints all immediate; set constraints all deferred');
}

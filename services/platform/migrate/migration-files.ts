import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import type { Trx } from '../database';

export const MIGRATIONS = path.resolve(__dirname, '../../../migrations');

/** PostgreSQL runs these statements outside a transaction only, one at a time. */
export const CONCURRENTLY = /^(create unique|create|drop) index concurrently/gm;

/** Lists the numbered .sql files of a directory in their order, without the extension, so that sources and build agree (ADR 4). */
export function listMigrations(directory = MIGRATIONS): string[] {
  const names = readdirSync(directory).filter((file) => /^\d{4}_[a-z_]+\.sql$/.test(file));
  return names.sort().map((file) => path.basename(file, '.sql'));
}

/** Reads a file for Knex. Escapes each ?, which Knex would take for a binding. */
export function readMigration(name: string, directory = MIGRATIONS): string {
  return readFileSync(path.join(directory, `${name}.sql`), 'utf8').replaceAll('?', '\\?');
}

/** Runs a file in the caller's transaction. Builds its indexes without CONCURRENTLY, which no transaction allows; this locks the tables. */
export async function runMigrationWithin(trx: Trx, name: string, directory = MIGRATIONS): Promise<void> {
  await trx.raw(readMigration(name, directory).replace(CONCURRENTLY, '$1 index'));
  // Runs deferred triggers now, because a later migration cannot alter a table whose triggers wait.
  await trx.raw('set constraints all immediate; set constraints all deferred');
}

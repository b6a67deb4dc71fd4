import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import type { Knex } from 'knex';

const DIRECTORY = path.resolve(__dirname, '../../migrations');

/** Numbered .sql files, forward only. Their names carry no extension, so that sources and build agree (ADR 4). */
export class SqlMigrationSource implements Knex.MigrationSource<string> {
  getMigrations(): Promise<string[]> {
    const names = readdirSync(DIRECTORY).filter((file) => /^\d{4}_[a-z_]+\.sql$/.test(file));
    return Promise.resolve(names.sort().map((file) => path.basename(file, '.sql')));
  }

  getMigrationName(name: string): string {
    return name;
  }

  getMigration(name: string): Promise<Knex.Migration> {
    const sql = readFileSync(path.join(DIRECTORY, `${name}.sql`), 'utf8');
    // To Knex a bare ? is a binding.
    const up = (trx: Knex) => trx.raw(sql.replaceAll('?', '\\?'));
    const down = () => Promise.reject(new Error('Migrations go forward only'));
    return Promise.resolve({ up, down });
  }
}

import path from 'node:path';
import type { Config } from './config';
import { type DatabaseOptions, type Db, openDatabase } from './database';
import { joinEmbeddedPostgres } from './embedded-postgres';
import type { Logger } from './logger';

export interface ServiceDatabase {
  openPool(options: DatabaseOptions): Db;
  /** Closes every pool and leaves an embedded server. */
  close(): Promise<void>;
}

/** Opens the database of DATABASE_URL, or the embedded database of DATA_DIR, which it starts if necessary. */
export async function openServiceDatabase(config: Config, log: Logger): Promise<ServiceDatabase> {
  const onNotice = (line: string) => log.info(line);
  const server = config.databaseUrl
    ? { url: config.databaseUrl, leave: () => Promise.resolve() }
    : await joinEmbeddedPostgres(path.resolve(config.dataDir), { onNotice });
  const canPrepare = config.preparedStatements || !config.databaseUrl;
  const pools: Db[] = [];
  return {
    openPool(options) {
      const pool = openDatabase(server.url, { ...options, canPrepare });
      pools.push(pool);
      return pool;
    },
    async close() {
      await Promise.all(pools.map((pool) => pool.destroy()));
      await server.leave();
    },
  };
}

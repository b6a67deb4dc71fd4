import path from 'node:path';
import type { Config } from './config';
import { type DatabaseOptions, type Db, openDatabase } from './database';
import { joinEmbeddedPostgres } from './embedded-postgres';
import type { Logger } from './logger';

export interface ServiceDatabase {
  db: Db;
  close(): Promise<void>;
}

/** The database of the configuration: DATABASE_URL, or the embedded one of DATA_DIR, which is started where nobody did. */
export async function openServiceDatabase(
  config: Config,
  log: Logger,
  options: DatabaseOptions,
): Promise<ServiceDatabase> {
  if (config.databaseUrl) {
    const db = openDatabase(config.databaseUrl, options);
    return { db, close: () => db.destroy() };
  }
  const onNotice = (line: string) => log.info(line);
  const embedded = await joinEmbeddedPostgres(path.resolve(config.dataDir), { onNotice });
  const db = openDatabase(embedded.url, options);
  return {
    db,
    close: async () => {
      await db.destroy();
      await embedded.leave();
    },
  };
}

import path from 'node:path';
import type { Config } from './config';
import { type Db, openDatabase } from './database';
import { joinEmbeddedPostgres } from './embedded-postgres';

export interface ServiceDatabase {
  db: Db;
  close(): Promise<void>;
}

/** The database of the configuration: DATABASE_URL, or the embedded one of DATA_DIR, which is started where nobody did. */
export async function openServiceDatabase(config: Config, applicationName: string, poolMax?: number): Promise<ServiceDatabase> {
  if (config.databaseUrl) {
    const db = openDatabase(config.databaseUrl, { applicationName, poolMax });
    return { db, close: () => db.destroy() };
  }
  const embedded = await joinEmbeddedPostgres(path.resolve(config.dataDir));
  const db = openDatabase(embedded.url, { applicationName, poolMax });
  return {
    db,
    close: async () => {
      await db.destroy();
      await embedded.leave();
    },
  };
}

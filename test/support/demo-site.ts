import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { seedDemo } from '../../services/api/demo/seed-demo';
import { inTransaction } from '../../services/platform/database/database';
import { startApiProcess } from './api-process';
import { createTestDatabase, type TestDatabase } from './database';
import { freePorts } from './free-ports';
import { daysFromToday, PEPPER } from './given';
import { startShop } from './shop-process';

export interface DemoSite {
  database: TestDatabase;
  /** The address of the API. */
  api: string;
  /** The address of the example shop, which sells the demo catalog. */
  shop: string;
  /** The address of the embed page of the demo tenant. */
  embed: string;
  stop(): Promise<void>;
}

/** Starts an API with the demo catalog and the example shop, each in its own process, on a new database. */
export async function startDemoSite(): Promise<DemoSite> {
  const folder = await mkdtemp(path.join(tmpdir(), 'demo-site-'));
  const database = await createTestDatabase();
  const demo = await inTransaction(database.db, (trx) => seedDemo(trx, daysFromToday(0), PEPPER));
  const api = await startApiProcess(database.url);
  const [port] = await freePorts();
  const shop = await startShop(folder, {
    api: api.baseUrl,
    key: demo.api_key,
    webhookSecret: `whsec_${Buffer.alloc(32).toString('base64')}`,
    port,
  });
  return {
    database,
    api: api.baseUrl,
    shop: shop.address,
    embed: `${api.baseUrl}/embed/tours?token=${demo.widget_token}`,
    stop: async () => {
      await shop.stop();
      await api.stop();
      await database.drop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

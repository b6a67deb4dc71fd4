import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { type Db, openDatabase } from '../../../services/platform/database/database';
import { joinEmbeddedPostgres } from '../../../services/platform/embedded-postgres/embedded-postgres';
import { migrate } from '../../../services/platform/migrate/migrate';
import { superuserUrl } from '../../../services/platform/embedded-postgres/cluster';
import { databaseUrl } from '../../support/database';
import { CONTENDERS, type ContenderName } from './contender';
import { openGraphileQueue, openPgBossQueue } from './other-queues';
import { openOurQueue } from './our-queue';
import type { Queue } from './queue';

export interface BenchServer {
  /** Creates a separate database for each contender. */
  queues: Record<ContenderName, Queue>;
  /** Connection to the database of our queue. */
  db: Db;
  stop(): Promise<void>;
}

/** Starts an embedded PostgreSQL in a temporary directory with its default durability. */
export async function startBenchServer(): Promise<BenchServer> {
  const directory = mkdtempSync(path.join(tmpdir(), 'bench-webhooks-'));
  const embedded = await joinEmbeddedPostgres(directory);
  const cluster = path.join(directory, 'pg18');
  const { port, pathname } = new URL(embedded.url);
  // The role of the services can neither create databases nor change settings.
  const serverUrl = superuserUrl(cluster, Number(port), pathname.slice(1));
  const db = openDatabase(serverUrl, { applicationName: 'bench', poolMax: 4 });
  await migrate(db);
  await refuseUnsafe(db);
  const urls = CONTENDERS.map((name) => [name, databaseUrl(serverUrl, `bench_${name}`)] as const);
  for (const name of CONTENDERS.slice(1)) await db.raw('create database ??', [`bench_${name}`]);
  const url = Object.fromEntries(urls) as Record<ContenderName, string>;
  const queues = {
    ours: openOurQueue(serverUrl),
    'graphile-worker': await openGraphileQueue(url['graphile-worker']),
    'pg-boss': await openPgBossQueue(url['pg-boss']),
  };
  return {
    queues,
    db,
    stop: async () => {
      await Promise.all([...Object.values(queues).map((queue) => queue.close()), db.destroy()]);
      await embedded.leave();
      rmSync(directory, { recursive: true, force: true });
    },
  };
}

/** Refuses a server that does not wait for its disk. */
async function refuseUnsafe(db: Db): Promise<void> {
  const { rows } = await db.raw<{ rows: [Record<string, string>] }>(
    `select current_setting('fsync') as fsync, current_setting('synchronous_commit') as synchronous_commit,
       current_setting('full_page_writes') as full_page_writes`,
  );
  for (const [name, value] of Object.entries(rows[0]))
    if (value !== 'on') throw new Error(`${name} is ${value}`);
}

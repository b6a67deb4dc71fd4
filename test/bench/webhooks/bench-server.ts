import { mkdtempSync, rmSync } from 'node:fs';
import { availableParallelism, cpus, tmpdir } from 'node:os';
import path from 'node:path';
import { type Db, openDatabase } from '../../../services/platform/database/database';
import { joinEmbeddedPostgres } from '../../../services/platform/embedded-postgres/embedded-postgres';
import { migrate } from '../../../services/platform/migrate/migrate';
import { superuserUrl } from '../../../services/platform/embedded-postgres/cluster';
import { findServer, stopServer } from '../../../services/platform/embedded-postgres/server';
import { databaseUrl } from '../../support/database';
import { CONTENDERS, type ContenderName } from './contender';
import { openGraphileQueue, openPgBossQueue } from './other-queues';
import { openOurQueue } from './our-queue';
import type { Queue } from './queue';
import { serverCpuMs } from '../cpu-time';
import { countStatements } from './statements';

import { PROFILE } from './processes';

export interface BenchServer {
  /** Machine and database in one line, for table headings. */
  described: string;
  /** Creates a separate database for each contender. */
  queues: Record<ContenderName, Queue>;
  /** Connection to the database of our queue. */
  db: Db;
  /** CPU time of the server in milliseconds. */
  cpuMs(): number;
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
  // Only stops the server. The next connection of a process that has joined the embedded server starts it again.
  if (PROFILE) await countStatements(db, () => stopServer(cluster));
  const version = await refuseUnsafe(db);
  const urls = CONTENDERS.map((name) => [name, databaseUrl(serverUrl, `bench_${name}`)] as const);
  for (const name of CONTENDERS.slice(1)) await db.raw('create database ??', [`bench_${name}`]);
  const { pid } = (await findServer(cluster))!;
  const url = Object.fromEntries(urls) as Record<ContenderName, string>;
  const queues = {
    ours: openOurQueue(serverUrl),
    'graphile-worker': await openGraphileQueue(url['graphile-worker']),
    'pg-boss': await openPgBossQueue(url['pg-boss']),
  };
  return {
    described: `${availableParallelism()} cores (${cpus()[0]?.model ?? 'unknown'}), Node ${process.versions.node}, PostgreSQL ${version}, fsync and synchronous_commit on`,
    queues,
    db,
    cpuMs: () => serverCpuMs(pid),
    stop: async () => {
      await Promise.all([...Object.values(queues).map((queue) => queue.close()), db.destroy()]);
      await embedded.leave();
      rmSync(directory, { recursive: true, force: true });
    },
  };
}

/** Refuses a server that does not wait for its disk. @returns its version */
async function refuseUnsafe(db: Db): Promise<string> {
  const { rows } = await db.raw<{ rows: [Record<string, string>] }>(
    `select current_setting('fsync') as fsync, current_setting('synchronous_commit') as synchronous_commit,
       current_setting('full_page_writes') as full_page_writes, current_setting('server_version') as version`,
  );
  const { version, ...settings } = rows[0];
  for (const [name, value] of Object.entries(settings))
    if (value !== 'on') throw new Error(`${name} is ${value}`);
  return version!;
}

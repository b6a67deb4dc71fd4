import { chmodSync, mkdirSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { accountFor } from '../../../services/platform/embedded-postgres/account';
import { bundledRelease, usableBinaries } from '../../../services/platform/embedded-postgres/binaries';
import { createCluster, superuserUrl } from '../../../services/platform/embedded-postgres/cluster';
import { findServer, startServer, stopServer } from '../../../services/platform/embedded-postgres/server';

/** A PostgreSQL server that is started again whenever it ends. It keeps its port. */
export interface KeptPostgres {
  url: string;
  /** Ends the server without a checkpoint; the next start recovers. */
  crash(): Promise<void>;
  /** Writes a file that takes the free space of the disk. */
  fillDisk(): void;
  freeDisk(): void;
  stop(): Promise<void>;
}

/** Small enough for a disk of 256 MiB. COMMIT waits for the WAL, so that a crash loses nothing. */
const DURABLE = {
  wal_level: 'minimal',
  max_wal_senders: '0',
  min_wal_size: '32MB',
  max_wal_size: '64MB',
  max_connections: '200',
  scram_iterations: '1',
  timezone: 'UTC',
};

/** @param disk an existing directory that all accounts can pass through */
export async function keepPostgres(disk: string, port: number): Promise<KeptPostgres> {
  const binaries = await usableBinaries(bundledRelease(), accountFor());
  const parent = path.join(disk, 'postgres');
  mkdirSync(parent);
  chmodSync(parent, 0o711);
  const cluster = { directory: path.join(parent, 'pg'), account: accountFor() };
  await createCluster(cluster, binaries, DURABLE);
  await startServer(cluster, binaries, port);
  const filler = path.join(disk, 'filler');
  let stopped = false;
  const keep = async () => {
    for (; !stopped; await sleep(50)) {
      // A start fails while the disk is full.
      if (!(await findServer(cluster.directory)))
        await startServer(cluster, binaries, port).catch(() => sleep(200));
    }
  };
  const keeping = keep();
  return {
    url: superuserUrl(cluster.directory, port, 'postgres'),
    crash: () => stopServer(cluster.directory, 'immediate'),
    fillDisk() {
      const { bavail, bsize } = statfsSync(disk);
      try {
        writeFileSync(filler, Buffer.alloc(bavail * bsize));
      } catch (error) {
        // The disk may become full earlier, because PostgreSQL writes to the same disk.
        if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error;
      }
    },
    freeDisk: () => rmSync(filler, { force: true }),
    async stop() {
      stopped = true;
      await keeping;
      await stopServer(cluster.directory, 'immediate');
    },
  };
}

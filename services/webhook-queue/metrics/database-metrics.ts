import { Gauge } from 'prom-client';
import type { Db } from '../../platform/database/database';
import { findWriteObstacle } from '../../platform/database/write-obstacle';
import { shareSample } from './shared-sample';

interface DatabaseHealth {
  /** Null: the owner of the database may not see the standbys. */
  standbys: number | null;
  replicationLagSeconds: number | null;
  backupAgeSeconds: number;
  archiveFailingSeconds: number;
}

const GAUGES: Record<keyof DatabaseHealth, { name: string; help: string }> = {
  standbys: { name: 'database_standbys', help: 'Synchronous standbys that stream from the primary' },
  replicationLagSeconds: {
    name: 'database_replication_lag_seconds',
    help: 'Longest time that a standby needs to replay a commit',
  },
  backupAgeSeconds: {
    name: 'database_backup_age_seconds',
    help: 'Time since the last backup; without one, since the installation',
  },
  archiveFailingSeconds: {
    name: 'database_archive_failing_seconds',
    help: 'Time since the last archived WAL file, if archiving fails; otherwise 0',
  },
};

/**
 * Registers gauges of the writes, the standbys, the last backup and the WAL archive. The webhook queue exports them, so that an alert needs
 * no exporter beside each kind of PostgreSQL installation.
 * @param expectedStandbys DATABASE_STANDBYS
 */
export function registerDatabaseGauges(db: Db, expectedStandbys: number): void {
  const readSample = shareSample(() => readDatabaseHealth(db));
  for (const [key, { name, help }] of Object.entries(GAUGES)) {
    new Gauge({
      name,
      help,
      async collect() {
        this.set((await readSample())?.[key as keyof DatabaseHealth] ?? NaN);
      },
    });
  }
  const readWritable = shareSample(async () => (await findWriteObstacle(db)) === undefined);
  new Gauge({
    name: 'database_writable',
    help: '1: the database accepts writes. 0: it is read-only, as a standby, or a managed server whose disk is nearly full',
    async collect() {
      const isWritable = await readWritable();
      this.set(isWritable === undefined ? NaN : Number(isWritable));
    },
  });
  new Gauge({
    name: 'database_standbys_expected',
    help: 'Synchronous standbys that the database should have: DATABASE_STANDBYS',
  }).set(expectedStandbys);
}

async function readDatabaseHealth(db: Db): Promise<DatabaseHealth> {
  const { rows } = await db.raw<{ rows: [DatabaseHealth] }>('select * from database_health()');
  return rows[0];
}

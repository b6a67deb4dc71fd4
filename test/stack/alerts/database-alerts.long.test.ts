import { execFileSync } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  createPrimary,
  describeServer,
  makeFolder,
  onServer,
  type PostgresServer,
  waitForStandby,
} from '../../chaos/failover/postgres-server';
import { serverPrograms } from '../../chaos/failover/server-programs';
import { openDatabase } from '../../../services/platform/database/database';
import { migrate } from '../../../services/platform/migrate/migrate';
import { type ApiProcess, startApiProcess } from '../../support/api-process';
import { describeWith, isInstalled } from '../../support/describe-with';
import { freePorts } from '../../support/free-ports';
import { type QueueProcess, startQueueProcess } from '../../support/queue-process';
import { useTemporaryFolder } from '../../support/temporary-folder';
import { eventually } from '../../webhook-queue/queue-fixture';
import { killChildren } from '../child';
import { startPgBouncer } from '../pgbouncer';
import { ALERTS, expectAlerts, type Scrape, scrape } from './timeline';

const folder = useTemporaryFolder();
let primary: PostgresServer;
let standby: PostgresServer;
let queue: QueueProcess;

const scrapeQueue = () =>
  scrape([{ job: 'webhook-queue', instance: 'queue-1', metrics: () => queue.metrics() }]);
const valueOf = (samples: Scrape, metric: string) =>
  samples.get(`${metric}{job="webhook-queue",instance="queue-1"}`)!;

/** Scrapes again until the condition holds. A sample is up to two seconds old. */
function scrapeUntil(metric: string, holds: (value: number) => boolean): Promise<Scrape> {
  return eventually(metric, async () => {
    const samples = await scrapeQueue();
    return holds(valueOf(samples, metric)) ? samples : undefined;
  });
}

const onPrimary = (...statements: string[]) =>
  onServer(primary, async (db) => {
    for (const statement of statements) await db.raw(statement);
  });
/** Runs a statement on the standby with psql, because openDatabase refuses a standby. */
function onStandby(statement: string): void {
  execFileSync('psql', [standby.url, '-c', statement], { stdio: 'pipe' });
}

describeWith(
  'prometheus',
  'the alerts of the database',
  () => {
    beforeAll(async () => {
      makeFolder(folder);
      const [one, two] = await freePorts();
      primary = describeServer(folder, 'a', one);
      standby = describeServer(folder, 'b', two);
      await createPrimary(primary, folder);
      await onPrimary(`alter system set archive_mode = 'on'`, `alter system set archive_command = 'true'`);
      await primary.stop();
      await primary.start();
      const db = openDatabase(primary.url, { applicationName: 'test', poolMax: 2 });
      await migrate(db);
      await db.destroy();
      await standby.rebuildFrom(primary);
      await waitForStandby(primary, standby);
      queue = await startQueueProcess(primary.url, { DATABASE_STANDBYS: '1' });
    });
    afterAll(async () => {
      queue?.kill();
      await killChildren();
    });

    it('no alert fires while the standby follows and a backup was made', async () => {
      const scrapes = [await scrapeUntil('database_standbys', (count) => count === 1)];
      const names = ALERTS.map(({ alert }) => alert).filter((name) => !name.startsWith('Api'));
      await expectAlerts(names, { scrapes, repeat: true, atMinutes: 40 }, []);
    });

    it('ReplicationLags fires if the standby does not replay', async () => {
      const lag = 'database_replication_lag_seconds';
      onStandby('select pg_wal_replay_pause()');
      await onPrimary('create table written (n integer)');
      const first = await scrapeUntil(lag, (seconds) => seconds > 0.5);
      const second = await scrapeUntil(lag, (seconds) => seconds > valueOf(first, lag));
      onStandby('select pg_wal_replay_resume()');
      await expectAlerts(['ReplicationLags'], { scrapes: [first, second], atMinutes: 2 }, []);
      await expectAlerts(['ReplicationLags'], { scrapes: [first, second], atMinutes: 9 }, [
        { alertname: 'ReplicationLags' },
      ]);
    });

    it('BackupOld fires if the last backup is older than 26 hours', async () => {
      const age = 'database_backup_age_seconds';
      await onPrimary("update knex_migrations set migration_time = now() - interval '2 days'");
      await scrapeUntil(age, (seconds) => seconds > 86_400);
      await onPrimary(
        `insert into audit_log (actor, host, action, subject) values ('olga', 'host', 'backup.complete', 'tours.backup')`,
      );
      const first = await scrapeUntil(age, (seconds) => seconds < 60);
      const second = await scrapeUntil(age, (seconds) => seconds > valueOf(first, age));
      const timeline = { scrapes: [first, second], stepMinutes: 10 };
      await expectAlerts(['BackupOld'], { ...timeline, atMinutes: 25 * 60 }, []);
      await expectAlerts(['BackupOld'], { ...timeline, atMinutes: 27 * 60 }, [{ alertname: 'BackupOld' }]);
    });

    it('BackupOld counts the backups of CloudNativePG too', async () => {
      const age = 'database_backup_age_seconds';
      const first = await scrapeQueue();
      const second = await scrapeUntil(age, (seconds) => seconds > valueOf(first, age));
      // A line of the plugin's documentation. The time in the timeline begins at 0.
      const metrics = (at: number) => () =>
        Promise.resolve(`barman_cloud_cloudnative_pg_io_last_available_backup_timestamp ${at}\n`);
      const at = async (seconds: number) => {
        const plugin = await scrape([
          { job: 'cloudnative-pg', instance: 'database-1', metrics: metrics(seconds) },
        ]);
        return [first, second].map((samples) => new Map([...samples, ...plugin]));
      };
      const timeline = { stepMinutes: 10, atMinutes: 27 * 60 };
      await expectAlerts(['BackupOld'], { ...timeline, scrapes: await at(20 * 3600) }, []);
      await expectAlerts(['BackupOld'], { ...timeline, scrapes: await at(0) }, [{ alertname: 'BackupOld' }]);
    });

    it('DatabaseReadOnly fires if the database refuses writes', async () => {
      await onPrimary('alter system set default_transaction_read_only = on', 'select pg_reload_conf()');
      const first = await scrapeUntil('database_writable', (value) => value === 0);
      await onPrimary('alter system reset default_transaction_read_only', 'select pg_reload_conf()');
      await scrapeUntil('database_writable', (value) => value === 1);
      const timeline = { scrapes: [first, first] };
      await expectAlerts(['DatabaseReadOnly'], { ...timeline, atMinutes: 3 }, [
        { alertname: 'DatabaseReadOnly' },
      ]);
    });

    it('ArchiveFails fires if no WAL file can be archived', async () => {
      const failing = 'database_archive_failing_seconds';
      await onPrimary(
        `alter system set archive_command = 'false'`,
        'select pg_reload_conf()',
        'select pg_switch_wal()',
      );
      const first = await scrapeUntil(failing, (seconds) => seconds > 0);
      const second = await scrapeUntil(failing, (seconds) => seconds > valueOf(first, failing));
      await onPrimary(`alter system set archive_command = 'true'`, 'select pg_reload_conf()');
      await expectAlerts(['ArchiveFails'], { scrapes: [first, second], atMinutes: 10 }, []);
      await expectAlerts(['ArchiveFails'], { scrapes: [first, second], atMinutes: 20 }, [
        { alertname: 'ArchiveFails' },
      ]);
    });

    it('StandbyMissing fires if the owner of the database may not see the standbys', async () => {
      const before = await scrapeUntil('database_standbys', (count) => count === 1);
      await onPrimary(
        'create role plain',
        'grant select on audit_log, knex_migrations to plain',
        'alter function database_health() owner to plain',
      );
      const after = await scrapeUntil('database_standbys', Number.isNaN);
      await onPrimary('alter function database_health() owner to tours');
      await expectAlerts(['StandbyMissing'], { scrapes: [before, after], atMinutes: 3 }, [
        { alertname: 'StandbyMissing' },
      ]);
    });

    it('StandbyMissing fires if the standby is lost', async () => {
      const before = await scrapeUntil('database_standbys', (count) => count === 1);
      standby.crash();
      const after = await scrapeUntil('database_standbys', (count) => count === 0);
      await expectAlerts(['StandbyMissing'], { scrapes: [before, after], atMinutes: 3 }, [
        { alertname: 'StandbyMissing' },
      ]);
    });

    describeWith('pgbouncer', 'behind PgBouncer', () => {
      it('PgBouncerWaits fires if all its connections to PostgreSQL are in use', async () => {
        // Otherwise each commit would wait for the lost standby.
        await waitForStandby(primary, undefined);
        const [port] = await freePorts();
        const settings = ['max_db_connections = 1', 'default_pool_size = 1'];
        const pooler = await startPgBouncer(`${folder}/pgbouncer`, port, primary.url, settings);
        const pooled = pooler.url(primary.url);
        const api: ApiProcess = await startApiProcess(pooled);
        const scrapeApi = () => scrape([{ job: 'api', instance: 'api-1', metrics: () => api.metrics() }]);
        const scrapes = [await scrapeApi()];
        await onServer({ ...primary, url: pooled }, (db) =>
          db.transaction(async (trx) => {
            await trx.raw('select 1');
            await sleep(4000);
            scrapes.push(await scrapeApi());
          }),
        );
        await api.kill();
        await pooler.child.stop();
        await expectAlerts(['PgBouncerWaits'], { scrapes, repeat: true, atMinutes: 6 }, [
          { alertname: 'PgBouncerWaits', instance: 'api-1' },
        ]);
      });
    });
  },
  isInstalled('promtool') && serverPrograms() !== undefined,
);

import { flag, type DatabaseVerb, type OfflineVerb } from '../engine/command';
import type { Context } from '../engine/context';
import { fileName, sinceFlag } from '../engine/flags';

/*
 * Declares the verbs that need no noun. They start, check and migrate this installation; `monitor` opens the page of its
 * webhook queue.
 */

export const upVerb: OfflineVerb = {
  usage: 'up',
  about: 'Run everything on this machine: database, API and webhook queue',
  flags: [flag('--no-demo', 'leave the demo catalog and tenant out')],
  examples: ['up', 'up --no-demo'],
  runOffline: () => (require('./installation/up') as typeof import('./installation/up')).upCommand,
};

export const doctorVerb: OfflineVerb = {
  usage: 'doctor',
  about: 'Check that every promise holds, and say what to do; exit 1 if one does not',
  examples: ['doctor', 'doctor --json'],
  // Opens the database itself: a database that does not answer is a result of the check.
  runOffline: () =>
    (require('./installation/doctor') as typeof import('./installation/doctor')).doctorCommand,
};

export const seedVerb: DatabaseVerb = {
  usage: 'seed',
  about: 'Create the demo catalog and tenant, or move their departures forward',
  creates: true,
  run: () => (require('./installation/demo') as typeof import('./installation/demo')).seedCommand,
};

export const migrateVerb: DatabaseVerb = {
  usage: 'migrate',
  about: 'Bring the schema of the database up to date',
  schema: 'as-is',
  creates: true,
  run: () => migrateCommand,
};

/** Writes the audit row after the migrations, because they may create its table. */
async function migrateCommand({ audited, db, output }: Context): Promise<void> {
  const { migrate } =
    require('../../services/platform/migrate') as typeof import('../../services/platform/migrate');
  const applied = await migrate(db);
  if (applied.length > 0) {
    await audited({ action: 'migrate' }, async (_, note) => note(null, { applied }));
  }
  output.answer({ applied }, () => (applied.length > 0 ? applied.join('\n') : 'The schema is up to date'));
}

export const backupVerb: DatabaseVerb = {
  usage: 'backup',
  about: 'Write the whole database to one file, while the services go on',
  flags: [
    flag('--out <file>', 'the new file', {
      parse: fileName,
      otherwise: 'a name with the time, in this directory',
    }),
  ],
  examples: ['backup', 'backup --out /backups/tours.backup'],
  run: () => (require('./installation/backup') as typeof import('./installation/backup')).backupCommand,
};

const restore = () => require('./installation/backup') as typeof import('./installation/backup');

export const restoreVerb: OfflineVerb = {
  usage: 'restore [file]',
  about: 'Load a backup into an empty database, with all webhook endpoints paused',
  flags: [
    flag('--in-place', 'complete a point-in-time recovery of this database instead: no file'),
    flag('--resume-webhooks', 'leave active endpoints active: this installation replaces the lost one'),
  ],
  check: (options: { inPlace?: boolean }, file?: string) => restore().checkRestore(options, file),
  examples: ['restore tours.backup', 'restore tours.backup --resume-webhooks', 'restore --in-place'],
  // Opens the database itself: the file is checked before a database is created.
  runOffline: () => restore().restoreCommand,
};

export const monitorVerb: DatabaseVerb = {
  usage: 'monitor',
  about: 'Print a link to the monitoring page of the webhook queue: valid once, for five minutes',
  run: () => (require('./installation/monitor') as typeof import('./installation/monitor')).monitorCommand,
};

export const statusVerb: DatabaseVerb = {
  usage: 'status',
  about: 'Show on one screen what runs and since when, what waits, and what failed today',
  schema: 'as-is',
  examples: ['status', 'status --json'],
  run: () => (require('./installation/status') as typeof import('./installation/status')).statusCommand,
};

export const logsVerb: OfflineVerb = {
  usage: 'logs',
  about: 'Show the logs of the services that npm start runs; with --json, their JSON lines as they are',
  flags: [
    flag('--service <service>', 'only of this service', { choices: ['api', 'queue'], otherwise: 'both' }),
    { ...sinceFlag('lines'), otherwise: 'the last 100 lines' },
    flag('--follow', 'go on with new lines until Ctrl-C'),
  ],
  examples: ['logs', 'logs --service queue --since 10m', 'logs --follow'],
  runOffline: () => (require('./installation/logs') as typeof import('./installation/logs')).logsCommand,
};

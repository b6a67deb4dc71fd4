import { flag, type DatabaseVerb, type OfflineVerb } from '../engine/command';
import type { Context } from '../engine/context';

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
  run: () => (require('./installation/demo') as typeof import('./installation/demo')).seedCommand,
};

export const migrateVerb: DatabaseVerb = {
  usage: 'migrate',
  about: 'Bring the schema of the database up to date',
  schema: 'as-is',
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

export const monitorVerb: DatabaseVerb = {
  usage: 'monitor',
  about: 'Print a link to the monitoring page of the webhook queue: valid once, for five minutes',
  run: () => monitorCommand,
};

/** Prints a sign-in link; its user acts as this operator on the page and in the audit log. */
async function monitorCommand({ audited, config, operator, output }: Context): Promise<void> {
  const { createMonitorLink } =
    require('../../services/webhook-queue/monitor/sign-in/session') as typeof import('../../services/webhook-queue/monitor/sign-in/session');
  const { reachable } = require('./installation/up') as typeof import('./installation/up');
  const { name, host } = operator;
  const { token, expiresAt } = await audited({ action: 'monitor.link' }, async (trx, note) => {
    const link = await createMonitorLink(trx, { operator: name, host });
    note(null, { expires_at: link.expiresAt.toISOString() }, { subject: link.id });
    return link;
  });
  const url = `http://${reachable(config.host)}:${config.webhookQueuePort}/sign-in/${token}`;
  output.answer({ url, expires_at: expiresAt.toISOString() }, () => url);
  output.note(`Valid once, until ${expiresAt.toISOString()}, in any browser that reaches the webhook queue.`);
}

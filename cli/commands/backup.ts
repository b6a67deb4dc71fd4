import { refuseUnwritableFile } from '../../services/api/backup/backup-file';
import type { BackupHeader } from '../../services/api/backup/backup-header';
import {
  checkBackup,
  completeRecovery,
  LOST_NUMBERS,
  restoreBackup,
} from '../../services/api/backup/restore-backup';
import { writeBackup } from '../../services/api/backup/write-backup';
import { listPeople } from '../../services/platform/people/people.repository';
import { inspectSecrets } from '../../services/platform/secrets';
import { opensSealed } from '../../services/webhook-queue/endpoints/endpoint-secrets';
import { pauseActiveEndpoints } from '../../services/webhook-queue/endpoints/endpoint.repository';
import { flag, type VerbBody } from '../engine/command';
import { mayAsk } from '../engine/confirm';
import type { AuditedContext, OpeningTerminal, Terminal } from '../engine/context';
import { UsageError } from '../engine/failure';
import { fileName, line } from '../engine/values';
import { readVersion } from '../terminal/io';
import type { Output } from '../terminal/output';
import { askText } from '../terminal/prompts';
import { countIs, countOf } from '../terminal/text';

export const backupVerb: VerbBody = {
  flags: [
    flag('--out <file>', 'the new file', {
      parse: fileName,
      otherwise: 'a name with the time, in this directory',
    }),
    flag('--record <tool>', 'write no file: record that this tool has just made a backup, for the alert', {
      parse: line(40),
    }),
  ],
  check: checkBackupOptions,
  examples: ['backup', 'backup --out /backups/tours.backup', 'backup --record pgbackrest'],
  audits: true,
  run: backupCommand,
};

export const restoreVerb: VerbBody = {
  flags: [
    flag('--in-place', 'complete a point-in-time recovery of this database instead: no file'),
    flag('--resume-webhooks', 'leave active endpoints active: this installation replaces the lost one'),
  ],
  check: checkRestore,
  examples: ['restore tours.backup', 'restore tours.backup --resume-webhooks', 'restore --in-place'],
  // The command opens the database itself, because it checks the file before a database is created.
  needs: 'database-on-demand',
  audits: true,
  run: restoreCommand,
};

const PAUSED = 'A restore paused it, so that a copy sends nothing: tourctl webhook resume';

interface BackupOptions {
  out?: string;
  record?: string;
}

function checkBackupOptions({ out, record }: BackupOptions): void {
  if (out !== undefined && record !== undefined)
    throw new UsageError('--record writes no file: leave out --out');
}

/** Writes a backup, or records the backup of another tool. */
function backupCommand(context: AuditedContext, { out, record }: BackupOptions): Promise<void> {
  if (record !== undefined) return recordBackup(context, record);
  return writeBackupFile(context, out ?? defaultName());
}

async function recordBackup({ audited, output }: AuditedContext, tool: string): Promise<void> {
  await audited({ action: 'backup.complete', subject: tool }, () => Promise.resolve());
  await output.answer({ recorded: tool }, () => `Recorded a backup by ${tool}`);
}

/**
 * Writes a backup. Writes one audit row first, because even an interrupted backup has written names of people to the file, and a second one
 * at the end: the metrics show its age.
 */
async function writeBackupFile({ audited, db, io, output }: AuditedContext, out: string): Promise<void> {
  const begun = performance.now();
  refuseUnwritableFile(out);
  await audited({ action: 'backup', subject: out }, (_, note) => Promise.resolve(note(null, { file: out })));
  const header = await writeBackup(db, out, { version: readVersion(io), signal: io.interrupted });
  await audited({ action: 'backup.complete', subject: out }, () => Promise.resolve());
  const document = documentOf(out, header, begun);
  await output.answer(document, () => `${out}: ${describeRows(document)}, as of ${header.made_at}`);
  output.note('It has the personal data of customers: keep it as safe as the database.');
  output.note(
    'It has no secret of DATA_DIR: keep secrets.json, or SECRETS_KEY, CURSOR_KEY and KEY_PEPPER, somewhere else.',
  );
}

/** Returns a name with the present time, such as tour-platform-20261122T214500Z.backup. */
function defaultName(): string {
  const time = new Date().toISOString().replace(/[-:]|\.\d+/g, '');
  return `tour-platform-${time}.backup`;
}

interface RestoreOptions {
  inPlace?: boolean;
  resumeWebhooks?: boolean;
}

/** Refuses a file together with --in-place. If neither is given, the command asks for the file. */
function checkRestore({ inPlace = false }: RestoreOptions, file?: string): void {
  if (inPlace && file !== undefined)
    throw new UsageError('--in-place takes no <file>: it completes a recovery that was made by other means');
}

async function restoreCommand(
  terminal: OpeningTerminal<AuditedContext>,
  options: RestoreOptions,
  given?: string,
): Promise<void> {
  if (options.inPlace) return terminal.withDatabase({}, (context) => completeInPlace(context, options));
  const file = given ?? (await askFile(terminal));
  const begun = performance.now();
  // Checks the file before a database is created, so that a wrong file or wrong secrets leave nothing behind.
  await checkBackup(terminal.config, file);
  await terminal.withDatabase({ schema: 'as-is', creates: true }, (context) =>
    restoreFile(context, options, file, begun),
  );
}

function askFile(terminal: Terminal): Promise<string> {
  if (!mayAsk(terminal)) throw new UsageError('<file> is missing');
  return askText(terminal.io, 'File:', (answer) => (answer === '' ? 'It must not be empty' : undefined));
}

async function restoreFile(
  { audited, config, db, output }: AuditedContext,
  { resumeWebhooks = false }: RestoreOptions,
  file: string,
  begun: number,
): Promise<void> {
  const { header, paused } = await audited({ action: 'restore', subject: file }, async (trx, note) => {
    const header = await restoreBackup(trx, file);
    // If the file has no check value of SECRETS_KEY, tests whether this key opens the restored webhook secrets.
    await inspectSecrets(trx, config, opensSealed);
    const paused = resumeWebhooks ? 0 : await pauseActiveEndpoints(trx, PAUSED);
    note(null, { file, made_at: header.made_at, version: header.version, paused_endpoints: paused });
    return { header, paused };
  });
  const document = documentOf(file, header, begun);
  const { departures, seats } = header.seats;
  await output.answer(document, () =>
    [
      `${file}: ${describeRows(document)}, as of ${header.made_at}`,
      `Recounted: every table has the rows and the checksum of the backup, and ${countIs(seats, 'seat')} taken on ${countOf(departures, 'departure')}`,
    ].join('\n'),
  );
  notePaused(output, paused);
  output.note(
    `What was revoked or anonymized after ${header.made_at} is not: do that again before you start the services.`,
  );
  const people = (await listPeople(db)).filter(({ login }) => login === null).map(({ name }) => name);
  if (people.length > 0)
    output.note(
      `People without a login on this server: ${people.join(', ')}. tourctl people add makes one for each.`,
    );
  output.note('Next: tourctl doctor');
}

async function completeInPlace(
  { audited, output }: AuditedContext,
  { resumeWebhooks = false }: RestoreOptions,
): Promise<void> {
  const document = await audited({ action: 'restore.in_place' }, async (trx, note) => {
    const sequences = await completeRecovery(trx);
    const paused = resumeWebhooks ? 0 : await pauseActiveEndpoints(trx, PAUSED);
    const document = { sequences, endpoints_paused: paused };
    note(null, document);
    return document;
  });
  await output.answer(
    document,
    () =>
      `${countOf(Object.keys(document.sequences).length, 'sequence')} moved on by ${LOST_NUMBERS.toLocaleString('en')}`,
  );
  notePaused(output, document.endpoints_paused);
  output.note(
    'What was revoked or anonymized after the time of the recovery is not: do that again before you start the services.',
  );
  output.note('Next: tourctl doctor');
}

function notePaused(output: Output, paused: number): void {
  if (paused === 0) return;
  output.note(
    `${countIs(paused, 'webhook endpoint')} paused: tourctl webhook list, then tourctl webhook resume <id>`,
  );
}

function documentOf(file: string, { tables }: BackupHeader, begun: number) {
  return {
    file,
    tables: Object.fromEntries(tables.map(({ name, rows }) => [name, rows])),
    seconds: Math.round(performance.now() - begun) / 1000,
  };
}

function describeRows({ tables, seconds }: ReturnType<typeof documentOf>): string {
  const rows = Object.values(tables).reduce((sum, count) => sum + count, 0);
  return `${countOf(rows, 'row')} of ${Object.keys(tables).length} tables in ${seconds.toFixed(1)} s`;
}

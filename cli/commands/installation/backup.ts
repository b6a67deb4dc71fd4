import { type BackupHeader, refuseUnwritableFile } from '../../../services/api/backup/backup-file';
import { checkBackup, restoreBackup } from '../../../services/api/backup/restore-backup';
import { writeBackup } from '../../../services/api/backup/write-backup';
import { pauseActiveEndpoints } from '../../../services/webhook-queue/endpoints/endpoint.repository';
import type { Context } from '../../engine/context';
import { readVersion } from '../../terminal/io';
import { countIs, countOf } from '../../terminal/text';

const PAUSED = 'A restore paused it, so that a copy sends nothing: tourctl webhook resume';

/** Records first: an interrupted backup has already written names. */
export async function backupCommand(
  { audited, db, io, output }: Context,
  { out = defaultName() }: { out?: string },
): Promise<void> {
  const begun = performance.now();
  refuseUnwritableFile(out);
  await audited({ action: 'backup', subject: out }, (_, note) => Promise.resolve(note(null, { file: out })));
  const header = await writeBackup(db, out, { version: readVersion(io), signal: io.interrupted });
  const document = documentOf(out, header, begun);
  output.answer(document, () => `${out}: ${describeRows(document)}, as of ${header.made_at}`);
  output.note('It has the personal data of customers: keep it as safe as the database.');
  output.note(
    'It has no secret of DATA_DIR: keep secrets.json, or SECRETS_KEY, CURSOR_KEY and KEY_PEPPER, somewhere else.',
  );
}

/** Returns tour-platform-20261122T214500Z.backup. */
function defaultName(): string {
  const time = new Date().toISOString().replace(/[-:]|\.\d+/g, '');
  return `tour-platform-${time}.backup`;
}

export async function restoreCommand(
  { audited, config, output }: Context,
  { resumeWebhooks = false }: { resumeWebhooks?: boolean },
  file: string,
): Promise<void> {
  const begun = performance.now();
  await checkBackup(config, file);
  const { header, paused } = await audited({ action: 'restore', subject: file }, async (trx, note) => {
    const header = await restoreBackup(trx, file);
    const paused = resumeWebhooks ? 0 : await pauseActiveEndpoints(trx, PAUSED);
    note(null, { file, made_at: header.made_at, version: header.version, paused_endpoints: paused });
    return { header, paused };
  });
  const document = documentOf(file, header, begun);
  const { departures, seats } = header.seats;
  output.answer(document, () =>
    [
      `${file}: ${describeRows(document)}, as of ${header.made_at}`,
      `Recounted: every table has the rows and the checksum of the backup, and ${countIs(seats, 'seat')} taken on ${countOf(departures, 'departure')}`,
    ].join('\n'),
  );
  if (paused > 0)
    output.note(
      `${countIs(paused, 'webhook endpoint')} paused: tourctl webhook list, then webhook resume <id>`,
    );
  output.note(
    `What was revoked or anonymized after ${header.made_at} is not: do that again before you start the services.`,
  );
  output.note('Next: tourctl doctor');
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

import { constants, createWriteStream, mkdtempSync, openSync, renameSync, rmSync, statSync } from 'node:fs';
import { Socket } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { detectFileType } from '../../../services/api/catalog-import/read-catalog-file';
import type { WatchImport } from '../../../services/api/catalog-import/catalog-file';
import {
  type ComparedImport,
  withComparedFiles,
  writeImport,
} from '../../../services/api/catalog-import/import-catalog';
import type {
  ImportReport,
  PastDepartures,
  Removals,
} from '../../../services/api/catalog-import/import-report';
import { CatalogRefusedError } from '../../../services/api/catalog-import/import.errors';
import type { Context } from '../../engine/context';
import { describeReport } from './import-text';
import { STANDARD_INPUT } from '../../engine/flags';
import type { Io } from '../../terminal/io';
import { countIs, countOf } from '../../terminal/text';
import { type ProgressBar, showProgress } from './progress-bar';

/** The files to read, and their names on the command line. */
interface ImportedFiles {
  files: string[];
  given: string[];
}

interface Options {
  dryRun?: boolean;
  prune?: boolean;
  yes?: boolean;
}

/** Reads and compares before the transaction begins, so that it only locks and writes changes. */
export async function importCatalogCommand(
  context: Context,
  options: Options,
  given: string[],
): Promise<void> {
  const { io, output } = context;
  const progress = showProgress(io, output.json);
  const report = await withSpooledPipes(given, io, async (files, nameOf) => {
    const found = await importFiles(context, options, { files, given }, progress).finally(progress.clear);
    return { ...found, errors: found.errors.map((issue) => ({ ...issue, file: nameOf(issue.file) })) };
  });
  output.answer(report, () => describeReport(report));
  if (report.past_departures) output.warn(describePast(report.past_departures));
  // Answers with the report even after a refusal; the error names the reason.
  if (report.errors.length > 0) throw new CatalogRefusedError(report);
  if (options.dryRun) output.note('Nothing was written: this was a dry run');
}

/**
 * Compares, asks before removals, compares again, and writes. No transaction is open while it asks. If the removals have changed by
 * then, it asks again.
 */
async function importFiles(
  context: Context,
  { dryRun = false, prune = false, yes = false }: Options,
  { files, given }: ImportedFiles,
  progress: ProgressBar,
): Promise<ImportReport> {
  const { confirm, db, output } = context;
  let agreed: Removals | undefined;
  for (;;) {
    const mayWrite = ({ removals }: ComparedImport) =>
      yes || removals.named.length === 0 || removals.digest === agreed?.digest;
    const done = await withComparedFiles(db, files, { prune, dryRun }, progress.watch, async (compared) => {
      const { report, removals } = compared;
      progress.clear();
      if (dryRun || !compared.hasChanges) return { report };
      return mayWrite(compared)
        ? { report: await write(context, compared, given, progress.watch) }
        : { report, removals };
    });
    if (!done.removals) return done.report;
    if (agreed) output.note(describeOvertaken(agreed, done.removals));
    await confirm(pruningQuestion(done.report));
    agreed = done.removals;
  }
}

async function write(
  { audited }: Context,
  compared: ComparedImport,
  given: string[],
  watch: WatchImport,
): Promise<ImportReport> {
  const subject = given.map((file) => path.basename(file)).join(' ');
  try {
    return await audited({ action: 'catalog.import', subject }, async (trx, note) => {
      const { errors: _, ...written } = await writeImport(trx, compared, watch);
      note(null, written);
      return { ...written, errors: [] };
    });
  } catch (error) {
    if (error instanceof CatalogRefusedError) return error.report;
    throw error;
  }
}

function pruningQuestion({ pruned }: ImportReport): string {
  const { tours_archived: tours, departures_deleted: deleted, departures_cancelled: cancelled } = pruned!;
  const steps = [
    tours > 0 && `archive ${countOf(tours, 'tour')}`,
    deleted > 0 && `delete ${countOf(deleted, 'departure')}`,
    cancelled > 0 && `cancel ${countOf(cancelled, 'departure')}`,
  ].filter((step) => step !== false);
  const last = steps.pop()!;
  const question = steps.length > 0 ? `${steps.join(', ')} and ${last}` : last;
  return `${question.charAt(0).toUpperCase()}${question.slice(1)}?`;
}

function describePast({ departures, first: { tour, departure_date: date } }: PastDepartures): string {
  const many = countIs(departures, 'new departure');
  return `${many} in the past and cannot be booked: ${tour} on ${date}${departures === 1 ? '' : ' and others'}`;
}

const MOST_SHOWN = 5;

function describeOvertaken(before: Removals, after: Removals): string {
  const changed = [
    ...after.named.filter((what) => !before.named.includes(what)).map((what) => `now also: ${what}`),
    ...before.named.filter((what) => !after.named.includes(what)).map((what) => `no longer: ${what}`),
  ];
  const more = changed.length > MOST_SHOWN ? [`and ${changed.length - MOST_SHOWN} more`] : [];
  const shown = [...changed.slice(0, MOST_SHOWN), ...more].map((line) => `\n  ${line}`);
  return `The catalog or the files have changed since you were asked.${shown.join('')}`;
}

/**
 * Copies standard input and named pipes into temporary files for the time of `work`, as an import may read a file more than once, and must
 * not keep a transaction open while it waits for a writer.
 * @param work receives the files to read, with their names for messages
 */
async function withSpooledPipes<T>(
  files: string[],
  { stdin, interrupted: stop }: Io,
  work: (readable: string[], nameOf: (file: string) => string) => Promise<T>,
): Promise<T> {
  const isSpooled = (file: string) => file === STANDARD_INPUT || isPipe(file);
  if (!files.some(isSpooled)) return work(files, (file) => file);
  const folder = mkdtempSync(path.join(tmpdir(), 'tourctl-import-'));
  const removeFolder = () => rmSync(folder, { recursive: true, force: true });
  // An interrupted command exits before the `finally` below runs.
  process.once('exit', removeFolder);
  try {
    const names = new Map<string, string>();
    for (const [i, file] of files.entries()) {
      const copy = path.join(folder, `${i}${path.extname(file)}`);
      if (file === STANDARD_INPUT) names.set(await spoolInput(stdin, copy, stop), file);
      else names.set(isPipe(file) ? await spoolPipe(file, copy, stop) : file, file);
    }
    return await work([...names.keys()], (file) => names.get(file) ?? file);
  } finally {
    process.off('exit', removeFolder);
    removeFolder();
  }
}

function isPipe(file: string): boolean {
  return statSync(file, { throwIfNoEntry: false })?.isFIFO() ?? false;
}

/** Opens with O_NONBLOCK: otherwise a pipe without a writer blocks a thread, and the process cannot end. */
async function spoolPipe(pipe: string, copy: string, stop: AbortSignal | undefined): Promise<string> {
  const descriptor = openSync(pipe, constants.O_RDONLY | constants.O_NONBLOCK);
  const source = new Socket({ fd: descriptor, readable: true, writable: false });
  await pipeline(source, createWriteStream(copy, { mode: 0o600 }), { signal: stop });
  return copy;
}

/** Names the copy by its format. */
async function spoolInput(stdin: Readable, copy: string, stop: AbortSignal | undefined): Promise<string> {
  await pipeline(stdin, createWriteStream(copy, { mode: 0o600 }), { signal: stop });
  const named = `${copy}${await detectFileType(copy)}`;
  renameSync(copy, named);
  return named;
}

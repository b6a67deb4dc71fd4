import { randomUUID } from 'node:crypto';
import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import {
  BookingMapError,
  BookingsRefusedError,
  ImportNotFoundError,
} from '../../../services/api/booking-import/booking-import.errors';
import { checkBookings, type CheckedImport } from '../../../services/api/booking-import/check-bookings';
import { writeBookings } from '../../../services/api/booking-import/write-bookings';
import type {
  BookingImportReport,
  TenfoldTotal,
} from '../../../services/api/booking-import/booking-import-report';
import { addWords, parseImportMap } from '../../../services/api/booking-import/import-map';
import { lockImport } from '../../../services/api/booking-import/imports.repository';
import { BOOKING_FILE_TYPES, type BookingFile } from '../../../services/api/booking-import/read-booking-file';
import type { RowIssue } from '../../../services/api/booking-import/row-issues';
import { writeRejects } from '../../../services/api/booking-import/write-rejects';
import { isStanding } from '../../../services/api/bookings/booking-status';
import { undoImport } from '../../../services/api/seats/changes/undo-import';
import { performBulk } from '../../../services/api/seats/perform';
import { byOperator } from '../../../services/api/tenants/actor';
import { refreshStatistics } from '../../../services/api/customers/refresh-statistics';
import { eraseCustomer } from '../../../services/webhook-queue/deliveries/erase-customer';
import { changeSeats } from '../../engine/change-seats';
import { flag, type Verb } from '../../engine/command';
import { mayAsk } from '../../engine/confirm';
import type { AuditedContext } from '../../engine/context';
import { sellingTenant, tenantToSellFor } from '../../engine/desk-sale';
import { FileNotWrittenError, refuseMistakes, UsageError } from '../../engine/failure';
import { fileToImport, withSpooledPipes } from '../../engine/imported-files';
import { fileName, formatMoney, slug, uuidStart } from '../../engine/values';
import { sections, tableOf } from '../../terminal/table';
import { countOf } from '../../terminal/text';
import { askWords } from './ask-map';

/** The flags of `booking import`. */
interface ImportOptions {
  tenant?: string;
  map?: string;
  dryRun?: boolean;
  addSeats?: boolean;
  skipFaulty?: boolean;
  rejects?: string;
  /** False with --no-policy. */
  policy?: boolean;
  sendEvents?: boolean;
  undo?: string;
}

/** The flags of an import of files. */
const OF_FILES = ['tenant', 'map', 'dryRun', 'addSeats', 'skipFaulty', 'rejects', 'sendEvents'] as const;

const UNDO_FLAG = flag(
  '--undo <import id>',
  'cancel what this import made and nothing has changed since, erase its customers and free its references',
  { parse: uuidStart },
);

export const importBookingsVerb: Verb = {
  usage: 'import <file...>',
  about:
    'Take over the standing bookings of another system: all of them or none, without events unless --send-events',
  args: { file: bookingFile },
  argsUnless: UNDO_FLAG,
  flags: [
    flag('--tenant <slug>', 'the tenant of the bookings, instead of that of tourctl use', { parse: slug }),
    flag('--map <file>', 'a JSON file with the words of the other system', { parse: fileName }),
    flag('--dry-run', 'check and report, and write nothing'),
    flag('--add-seats', 'give the departures the seats that they lack; they keep them'),
    flag('--skip-faulty', 'import the other rows; needs --rejects'),
    flag('--rejects <file>', 'write the faulty rows with their issues into this new file (0600)', {
      parse: fileName,
    }),
    flag('--no-policy', 'the bookings lock no cancellation policy'),
    flag('--send-events', 'send booking.created of each booking, as a sale does'),
    UNDO_FLAG,
  ],
  check: (options: ImportOptions, files: string[] = []) => {
    const { skipFaulty = false, rejects, undo, policy } = options;
    if (skipFaulty && rejects === undefined)
      throw new UsageError('--skip-faulty needs --rejects: the file of the rows that it leaves out');
    const isAlone = files.length === 0 && policy !== false && OF_FILES.every((name) => !(name in options));
    if (undo !== undefined && !isAlone)
      throw new UsageError(
        '--undo takes no files and no other flags: it undoes the whole import, without a dry run',
      );
  },
  asks: ({ dryRun = false }: ImportOptions) => !dryRun,
  examples: [
    'booking import bookings.csv --tenant acme --dry-run',
    'booking import old.csv --tenant acme --map map.json --skip-faulty --rejects faulty.csv',
    'booking import --undo 01987f3c-5a1b-7c2d-8e4f-0a1b2c3d4e5f',
  ],
  audits: true,
  run: importBookingsCommand,
};

function bookingFile(text: string, name: string): string {
  return fileToImport(text, name, BOOKING_FILE_TYPES);
}

async function importBookingsCommand(
  context: AuditedContext,
  options: ImportOptions,
  given: string[] | undefined,
): Promise<void> {
  if (options.undo !== undefined) return undoCommand(context, options.undo);
  return withSpooledPipes(given!, context.io, (paths, nameOf) =>
    importFiles(
      context,
      options,
      paths.map((readable) => ({ name: nameOf(readable), path: readable })),
    ),
  );
}

async function importFiles(
  context: AuditedContext,
  options: ImportOptions,
  files: BookingFile[],
): Promise<void> {
  const { confirm, output } = context;
  const checked = await check(context, options, files);
  const { issues, report } = checked;
  const errors = issues.listed(files.map(({ name }) => name));
  const { warnings } = issues;
  warnOfFiles(output, warnings);
  if (issues.count > 0 && options.rejects !== undefined) await reject(options.rejects, files, checked);
  const answer = (done: BookingImportReport) =>
    output.answer({ ...done, errors, ...(warnings.length > 0 && { warnings }) }, (screen) =>
      describeReport(done, errors, screen),
    );
  if (issues.count > 0 && !(options.skipFaulty && issues.canSkip)) {
    await answer({ ...report, created: 0 });
    throw new BookingsRefusedError(issues.count, issues.canSkip);
  }
  if (options.dryRun || checked.rows.size === 0) {
    await answer(report);
    output.note(options.dryRun ? 'Nothing was written: this was a dry run' : 'Nothing is left to import');
    return;
  }
  if (!output.json) output.note(describeReport(report, errors, output.screen));
  await confirm(questionOf(report));
  await answer(await write(context, checked));
}

/** Warns of files that may be cut off. With --json, the answer has the warnings. */
function warnOfFiles(output: AuditedContext['output'], warnings: readonly RowIssue[]): void {
  if (output.json) return;
  for (const { file, line, message } of warnings) output.warn(`${file}, line ${line}: ${message}`);
}

async function check(
  context: AuditedContext,
  options: ImportOptions,
  files: BookingFile[],
): Promise<CheckedImport> {
  const { db, secrets } = context;
  const { addSeats = false, policy = true, sendEvents = false } = options;
  const named = sellingTenant(context, options);
  refuseMistakes([
    named === undefined && '--tenant is missing: name the tenant of the bookings, or run tourctl use',
  ]);
  const tenant = await db.transaction((trx) => tenantToSellFor(trx, named!));
  const { cursorKey: key } = await secrets('cursorKey');
  const terms = { tenant, key, addsSeats: addSeats, hasPolicy: policy, isSilent: !sendEvents };
  let text = options.map === undefined ? '{}' : readMap(options.map);
  for (;;) {
    const map = parseImportMap(text);
    const checked = await checkBookings(db, files, { ...terms, map });
    const words = mayAsk(context) ? await askWords(context, { tenant, map }, checked.issues) : [];
    if (words.length === 0) return checked;
    text = addWords(text, words);
    writeMap(context, options.map ?? mapBeside(files[0]!.name), text);
  }
}

/** Returns the name of the map of a file without --map. */
function mapBeside(file: string): string {
  const { dir, name } = path.parse(file);
  return path.join(dir, `${name}.map.json`);
}

/** Writes the map with the answers of the person, so that the next import asks nothing. @throws FileNotWrittenError */
function writeMap({ output }: AuditedContext, file: string, text: string): void {
  const draft = `${file}.${randomUUID()}`;
  try {
    writeFileSync(draft, text, { mode: 0o600, flag: 'wx' });
    renameSync(draft, file);
  } catch (error) {
    rmSync(draft, { force: true });
    throw new FileNotWrittenError(file, String((error as NodeJS.ErrnoException).code));
  }
  output.note(`The answers are in ${file}: name it with --map the next time`);
}

/** @throws BookingMapError for a file that cannot be read */
function readMap(file: string): string {
  try {
    return readFileSync(file, 'utf8').replace(/^\ufeff/, '');
  } catch (error) {
    throw new BookingMapError(`${file} cannot be read (${(error as NodeJS.ErrnoException).code})`);
  }
}

async function reject(out: string, files: BookingFile[], { issues, options }: CheckedImport): Promise<void> {
  const encoding = options.map.formats.encoding ?? 'utf-8';
  await writeRejects(out, files, { issues, encoding }).catch((error: unknown) => {
    throw new FileNotWrittenError(out, String((error as NodeJS.ErrnoException).code));
  });
}

function questionOf({ created, departures, tenfold_totals: tenfold }: BookingImportReport): string {
  const totals =
    tenfold.length > 0
      ? ` The total of ${countOf(tenfold.length, 'row')} above differs tenfold from that of today.`
      : '';
  return `Import ${countOf(created, 'booking')} on ${countOf(departures.length, 'departure')}?${totals}`;
}

function describeTenfold({ file, line, total, today, currency }: TenfoldTotal): string {
  const [written, usual] = [total, today].map((amount) => formatMoney(amount, currency));
  return `${file}, line ${line}: ${written}, and ${usual} at the prices of today`;
}

async function write(context: AuditedContext, checked: CheckedImport): Promise<BookingImportReport> {
  const { tenant } = checked.options;
  const entry = { action: 'booking.import', tenantId: tenant.id };
  return changeSeats(context, entry, async (transaction, note) => {
    await tenantToSellFor(transaction.trx, tenant.slug);
    const by = byOperator(context.operator);
    const report = await writeBookings(transaction, checked, { importId: randomUUID(), by });
    const { import_id, rows, created, equal, changed, left_out, faulty, totals } = report;
    const { addsSeats, hasPolicy, isSilent } = checked.options;
    const terms = { add_seats: addsSeats, policy: hasPolicy, silent: isSilent };
    const after = { import_id, rows, created, equal, changed, left_out, faulty, totals, ...terms };
    note(null, after, { subject: import_id!, tenantId: tenant.id });
    return report;
  });
}

const describeDepartures = tableOf<BookingImportReport['departures'][number]>(
  [
    { heading: 'date', cell: (one) => one.departure_date },
    { heading: 'time', cell: (one) => one.departure_time },
    { heading: 'tour', cell: (one) => one.tour, least: 10 },
    { heading: 'imported', cell: (one) => one.imported },
    { heading: 'seats before', cell: (one) => one.seats_before },
    { heading: 'after', cell: (one) => one.seats_after },
    { heading: 'of', cell: (one) => one.seats_total },
  ],
  'No departure gets a booking',
);

function describeReport(
  report: BookingImportReport,
  errors: RowIssue[],
  screen: Parameters<typeof describeDepartures>[1],
): string {
  const { import_id, rows, created, equal, changed, left_out, faulty, totals } = report;
  const counts = `${countOf(rows, 'row')}: ${created} new, ${equal} equal, ${changed} changed, ${left_out} left out, ${faulty} faulty`;
  const issues = errors.map(
    ({ file, line, field, message }) => `${file}, line ${line}: ${[field, message].join(' ').trim()}`,
  );
  const changedRows = report.changed_rows.map(
    (one) => `${one.file}, line ${one.line}: differs from the row that was imported; the booking stays`,
  );
  return sections([
    [import_id === null ? '' : `Import ${import_id}`, counts],
    ['', describeDepartures(report.departures, screen)],
    ['', totals.map(({ currency, amount }) => `Total: ${formatMoney(amount, currency)}`).join('\n')],
    ['', report.tenfold_totals.map(describeTenfold).join('\n')],
    ['', changedRows.join('\n')],
    ['', issues.join('\n')],
  ]);
}

/** Undoes an import in one transaction, and lists the bookings that it leaves. */
async function undoCommand(context: AuditedContext, importId: string): Promise<void> {
  const { confirm, db, operator, output } = context;
  await confirm(
    `Cancel the bookings of the import ${importId} that nothing has changed since, and erase their customers?`,
  );
  const by = byOperator(operator);
  const done = await changeSeats(
    context,
    { action: 'booking.import_undo', subject: importId },
    async (transaction, note) => {
      const { trx } = transaction;
      const found = await lockImport(trx, importId);
      if (!found) throw new ImportNotFoundError();
      const bulk = await undoImport(trx, { importId, isSilent: found.silent, by });
      const { undone, left } = await performBulk(transaction, bulk);
      for (const { bookingRef } of found.silent ? [] : undone)
        await eraseCustomer(
          trx,
          { bookingRef, hold: null },
          { identifiesPerson: () => false, evenUndelivered: true },
        );
      note(null, { cancelled: undone.length, left: left.length }, { tenantId: found.tenantId });
      return { undone, left };
    },
  );
  await refreshStatistics(db);
  const left = done.left.map(({ bookingRef, status }) => ({
    booking_ref: bookingRef,
    why: isStanding({ status }) ? 'changed since the import' : `is ${status}`,
  }));
  const document = { import_id: importId, cancelled: done.undone.length, left };
  await output.answer(document, () =>
    [
      `${countOf(document.cancelled, 'booking')} cancelled; customers erased, references free`,
      ...left.map(({ booking_ref, why }) => `left: ${booking_ref} ${why}`),
    ].join('\n'),
  );
}

import path from 'node:path';
import {
  CATALOG_FILE_TYPES,
  type Issue,
  type WatchImport,
} from '../../../services/api/catalog-import/catalog-file';
import type { ImportReport } from '../../../services/api/catalog-import/import-report';
import {
  PRUNED_PERCENT_MAX,
  largePrune,
  type TenfoldPrice,
} from '../../../services/api/catalog-import/risky-changes';
import {
  type ComparedImport,
  withComparedFiles,
  writeImport,
} from '../../../services/api/catalog-import/import-catalog';
import { CatalogRefusedError } from '../../../services/api/catalog-import/import.errors';
import { nameDeparture } from '../../../services/api/catalog/start-time';
import type { AuditedContext, Context } from '../../engine/context';
import { fileToImport, withSpooledPipes } from '../../engine/imported-files';
import { STANDARD_STREAM } from '../../engine/values';
import { countOf } from '../../terminal/text';
import { describePast, describeReport, warnOfReport } from './describe-import';
import { type ProgressBar, showProgress } from './progress-bar';

/** The files to read, and their names on the command line. */
interface ImportedFiles {
  files: string[];
  given: string[];
  /** Returns the name on the command line of a file to read. */
  nameOf: (file: string) => string;
}

interface Options {
  dryRun?: boolean;
  prune?: boolean;
  /** In percent. */
  pruneAtMost?: number;
  yes?: boolean;
}

/** Reads and compares the files before the transaction begins, so that the transaction only locks rows and writes changes. */
export async function importCatalogCommand(
  context: AuditedContext,
  options: Options,
  given: string[],
): Promise<void> {
  await answerReport(context, given, (files, progress) => importFiles(context, options, files, progress));
  if (options.dryRun) context.output.note('Nothing was written: this was a dry run');
}

/** Checks the files as an import does, and answers with the same report. Writes nothing. */
export async function checkCatalogCommand(context: Context, _: object, given: string[]): Promise<void> {
  await answerReport(context, given, ({ files, nameOf }, progress) =>
    withComparedFiles(
      context.db,
      files,
      { prune: false, dryRun: true },
      progress.watch,
      ({ report: { changes: _, changes_left_out: __, ...report } }) => {
        progress.clear();
        warnOfReport(context.output, withNames(report, nameOf));
        return Promise.resolve(report);
      },
    ),
  );
  context.output.note('No faults: an import makes these changes. Nothing was written');
}

/**
 * Reads the files, also from pipes, and answers with the report of `work`, also if it has issues.
 * @throws CatalogRefusedError if the report has issues
 */
async function answerReport(
  { io, output }: Context,
  given: string[],
  work: (files: ImportedFiles, progress: ProgressBar) => Promise<ImportReport>,
): Promise<void> {
  const progress = showProgress(io, output.json);
  const report = await withSpooledPipes(given, io, async (files, nameOf) => {
    const found = await work({ files, given, nameOf }, progress).finally(progress.clear);
    return withNames(found, nameOf);
  });
  await output.answer(report, () => describeReport(report));
  if (report.past_departures) output.warn(describePast(report.past_departures));
  if (report.errors.length > 0) throw new CatalogRefusedError(report);
}

function withNames(report: ImportReport, nameOf: (file: string) => string): ImportReport {
  const rename = (issue: Issue) => ({ ...issue, file: nameOf(issue.file) });
  const { errors, warnings } = report;
  return { ...report, errors: errors.map(rename), ...(warnings && { warnings: warnings.map(rename) }) };
}

/**
 * Compares the files with the catalog, asks for agreement to removals and tenfold prices, compares again, and writes. No transaction is open
 * during the questions. If the removals or prices have changed since the person agreed, asks again.
 * @throws PruneTooLargeError
 */
async function importFiles(
  context: AuditedContext,
  { dryRun = false, prune = false, pruneAtMost = PRUNED_PERCENT_MAX, yes = false }: Options,
  { files, given, nameOf }: ImportedFiles,
  progress: ProgressBar,
): Promise<ImportReport> {
  const { confirm, db, output } = context;
  let agreed: Agreement | undefined;
  for (;;) {
    const done = await withComparedFiles(db, files, { prune, dryRun }, progress.watch, async (compared) => {
      const { report, removals } = compared;
      progress.clear();
      if (!agreed) warnOfReport(output, withNames(report, nameOf));
      const refusal = largePrune(removals, pruneAtMost);
      if (dryRun && refusal) output.warn(refusal.message);
      if (dryRun || !compared.hasChanges) return { report };
      if (refusal) throw refusal;
      const needed = agreementTo(compared);
      return yes || needed.questions.length === 0 || needed.digest === agreed?.digest
        ? { report: await write(context, compared, given, progress.watch) }
        : { report, needed };
    });
    if (!done.needed) return done.report;
    if (agreed) output.note(describeOvertaken(agreed, done.needed));
    for (const question of done.needed.questions) await confirm(question);
    agreed = done.needed;
  }
}

/** The changes that a person must agree to before the import is written. */
interface Agreement {
  /** Digest of all removals and prices, to detect that they have changed. */
  digest: string;
  /** Texts that name the first removals and prices. */
  named: string[];
  questions: string[];
}

function agreementTo({ report, removals }: ComparedImport): Agreement {
  const { tenfold_prices: prices = [], tenfold_prices_total: total = prices.length } = report;
  const named = prices.map(nameTenfold);
  return {
    digest: [removals.digest, total, ...named].join('\n'),
    named: [...removals.named, ...named],
    questions: [
      ...(removals.named.length > 0 ? [pruningQuestion(report)] : []),
      ...(total > 0 ? [tenfoldQuestion(named, total)] : []),
    ],
  };
}

/** Names a price and its change: `alps 2031-06-01 prices.adult 149 → 14.9 EUR`. */
function nameTenfold({ tour, departure_date, start_time, field, before, after, currency }: TenfoldPrice) {
  const departure = departure_date === undefined ? [] : [nameDeparture(departure_date, start_time ?? null)];
  return [tour, ...departure, field, before, '→', after, currency].join(' ');
}

function tenfoldQuestion(named: string[], total: number): string {
  const shown = named.slice(0, SHOWN_MAX);
  const more = total > shown.length ? [`and ${total - shown.length} more`] : [];
  return `Change ${countOf(total, 'price')} by a factor of 10 or more: ${[...shown, ...more].join('; ')}?`;
}

async function write(
  { audited }: AuditedContext,
  compared: ComparedImport,
  given: string[],
  watch: WatchImport,
): Promise<ImportReport> {
  const subject = given.map((file) => path.basename(file)).join(' ');
  try {
    return await audited({ action: 'catalog.import', subject }, async (trx, note) => {
      const { errors: _, warnings, ...written } = await writeImport(trx, compared, watch);
      note(null, written);
      return { ...written, errors: [], ...(warnings && { warnings }) };
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

const SHOWN_MAX = 5;

function describeOvertaken(before: Agreement, after: Agreement): string {
  const changed = [
    ...after.named.filter((what) => !before.named.includes(what)).map((what) => `now also: ${what}`),
    ...before.named.filter((what) => !after.named.includes(what)).map((what) => `no longer: ${what}`),
  ];
  const more = changed.length > SHOWN_MAX ? [`and ${changed.length - SHOWN_MAX} more`] : [];
  const shown = [...changed.slice(0, SHOWN_MAX), ...more].map((line) => `\n  ${line}`);
  return `The catalog or the files have changed since you were asked.${shown.join('')}`;
}

/** Describes the columns of both CSV files for the help. A test compares these names with the columns that an import reads. */
export const CSV_COLUMN_HELP = {
  tours: {
    slug: 'required; 2 to 63 of a-z, 0-9 and inner dashes',
    name: 'required',
    continent: 'required; a lower-case slug: south-america',
    country: 'required; ISO 3166: DE',
    duration_days: 'required; 1 to 366',
    currency: 'required; ISO 4217: EUR',
    base_price: 'required; with a decimal point: 1299.50',
    summary: 'one line',
    description: 'paragraphs',
    image_url: 'https, or a path that begins with /',
    images: 'JSON: [{"url": "https://…", "alt": "…"}]',
    tags: 'separated by |',
    time_zone: 'IANA name: Europe/Berlin; UTC if empty',
    status: 'published (if empty), draft or archived',
    group_size_max: 'a whole number',
    languages: 'separated by |',
    'start_location.name': 'a place',
    'start_location.lat': '-90 to 90',
    'start_location.lng': '-180 to 180',
    'start_location.google_place_id': 'for resellers by OCTO',
    'end_location.name': 'a place',
    'end_location.lat': '-90 to 90',
    'end_location.lng': '-180 to 180',
    'end_location.google_place_id': 'for resellers by OCTO',
    itinerary: 'JSON: [{"day": 1, "title": "…"}]',
    inclusions: 'separated by |',
    exclusions: 'separated by |',
    cancellation_policy: 'paragraphs',
    cancellation: 'JSON; null says nothing: see below',
    categories: 'JSON; null for adult, child, single_supplement',
    questions: 'JSON; null asks nothing: see below',
    pickup: 'JSON; null fetches nobody: see below',
    start_time: 'a local time: 09:30',
    booking_cutoff: 'closes before the start: 90m, 36h or 3d',
    uses: 'JSON: [{"resource": "boat-maria"}]; see below',
    language: 'of the texts, as a tag: pt-BR; en if empty',
  },
  departures: {
    tour_slug: 'required; the slug of the tour',
    departure_date: 'required; YYYY-MM-DD',
    start_time: 'a local time: 09:30; that of the tour if empty',
    seats_total: 'required; 1 to 100000',
    'prices.adult': 'required; in the currency of the tour',
    'prices.child': 'a price',
    'prices.single_supplement': 'a price',
    return_date: 'YYYY-MM-DD',
    status: 'scheduled (if empty) or cancelled',
    closes_at: 'a time with its zone (RFC 3339)',
    closes_before: 'in place of closes_at: 90m, 36h or 3d',
    uses: 'JSON; [] for none, null for those of the tour',
  },
};

/** Returns the columns as the end of a help text. */
export function describeCsvColumns(): string {
  const width = Math.max(
    ...Object.values(CSV_COLUMN_HELP).flatMap((columns) => Object.keys(columns).map((name) => name.length)),
  );
  const list = (columns: Record<string, string>) =>
    Object.entries(columns)
      .map(([name, about]) => `  ${name.padEnd(width)}  ${about}`)
      .join('\n');
  return [
    'Columns of a CSV file of tours; an empty cell keeps the stored value:',
    list(CSV_COLUMN_HELP.tours),
    '',
    'Each language has columns of its own, such as translations.de.name, for name,',
    'summary, description, itinerary, inclusions, exclusions, cancellation_policy,',
    'tags, categories (JSON: {"senior": "…"}) and questions (JSON: {"weight":',
    '{"label": "…"}}); at most 30 languages. In JSON, null clears a text or a',
    'language:',
    '"translations": {"de": {"name": "…"}, "fr": null}',
    '',
    'Columns of a CSV file of departures:',
    list(CSV_COLUMN_HELP.departures),
    '',
    'A tour with other price categories has a column for each, such as',
    'prices.senior. The first category needs a price. categories is a list of 1 to',
    '12: [{"code": "adult", "kind": "adult"}, {"code": "infant", "kind": "infant",',
    '"age_to": 3, "seats": 0, "with": ["adult"]}]. Each may also have name, age_from,',
    'people, min, max and at_most. Kinds: adult, youth, child, infant, senior,',
    'student, family, military, group, supplement, other.',
    '',
    'questions is a list of 0 to 20, which the sale asks: [{"code": "weight",',
    '"label": "Weight in kg", "type": "number", "per": "traveller", "required": true,',
    '"min": 30, "max": 150}]. Types: text, number, date, choice (with choices:',
    '[{"code": "open", "label": "Open Water"}]), yes_no, country. per is booking or',
    'traveller, with categories for some of them. A required answer is due before the',
    'booking is confirmed, or with the booking: "until": "booking".',
    '',
    'pickup says where guests are fetched: {"required": true, "elsewhere": true,',
    '"points": [{"point": "station", "minutes_before": 30}]}. tourctl pickup add',
    'makes the points; with elsewhere, a guest may name another place. A JSON file',
    'may have the points too: {"pickup_points": [{"code": "station",',
    '"name": "Station", "address": "Europaplatz 1", "lat": 52.52, "lng": 13.37}],',
    '"tours": […]}, and JSON lines a line {"pickup_point": {…}}.',
    '',
    'tourctl catalog export --out tours.csv writes both files with these columns.',
    '',
    'A tour in JSON may also have schedules, which add the departures that do not',
    'exist yet: [{"every": "sat,sun", "from": "2027-05-01", "to": "2027-09-30",',
    '"start_times": ["09:30", "14:30"], "except": ["2027-06-05"], "seats_total": 12,',
    '"prices": {"adult": 39}, "closes_before": "2h"}]',
    '',
    'cancellation says what a cancellation refunds: each tier until so long before',
    'the start, at most 8, until and refund_percent falling. {"tiers": []} refunds',
    'nothing; null says nothing. An example: {"tiers": [{"until": "30d",',
    '"refund_percent": 100}, {"until": "7d", "refund_percent": 50}]}',
    '',
    'uses names the boats, buses, guides and rooms of a departure, at most 4:',
    '[{"resource": "boat-maria", "shared": true, "minutes": 180, "before": "30m",',
    '"after": "1h"}]. shared: tours with the same start are one trip. Without minutes',
    'a departure keeps them until its last day ends. A JSON file may have the',
    'resources too: {"resources": [{"code": "boat-maria", "name": "Boat Maria",',
    '"places": 12, "turnaround": "30m"}], "tours": […]}, and JSON lines a line',
    '{"resource": {…}}.',
  ].join('\n');
}

/** Parses the name of a file to import. @throws UsageError */
export function catalogFile(text: string, name: string): string {
  return text === STANDARD_STREAM ? text : fileToImport(text, name, CATALOG_FILE_TYPES);
}

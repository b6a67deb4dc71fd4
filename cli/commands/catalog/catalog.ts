import { changeTourStatus } from '../../../services/api/catalog-import/change-tour-status';
import { exportTour, type FileEntry } from '../../../services/api/catalog-import/export-catalog';
import { PRUNED_PERCENT_MAX } from '../../../services/api/catalog-import/risky-changes';
import type { CancellationPolicy } from '../../../services/api/catalog/cancellation-policy';
import { NO_CUTOFF } from '../../../services/api/catalog/cutoff';
import { findTour, listTours } from '../../../services/api/catalog/find-tour';
import { type CatalogTour, TOUR_STATUSES, type TourStatus } from '../../../services/api/catalog/tour';
import { translateFields, type TranslatedFields } from '../../../services/api/catalog/tour-text';
import { describeAnswerForm } from '../../../services/api/questions/answer-text';
import type { Question } from '../../../services/api/questions/question';
import { categoriesOf, type Category } from '../../../services/api/parties/category';
import { toMajor } from '../../../services/api/pricing/currency';
import type { Db } from '../../../services/platform/database/database';
import { flag, type Verb } from '../../engine/command';
import type { AuditedContext, Context } from '../../engine/context';
import { refuseMistakes, UsageError } from '../../engine/failure';
import { afterFlag, LIST_FLAGS, listOf } from '../../engine/list';
import { REPLACE_FLAG, forceWithoutFile } from '../../engine/output-file';
import {
  continent,
  formatMoney,
  language,
  line,
  outputFile,
  percent,
  slug,
  STANDARD_STREAM,
  wholeNumber,
  withMoney,
} from '../../engine/values';
import { properties, sections, tableOf } from '../../terminal/table';
import { countOf } from '../../terminal/text';
import { exportCatalogCommand, exportFormat, type ExportOptions } from './export';
import { catalogFile, checkCatalogCommand, describeCsvColumns, importCatalogCommand } from './import';

interface CheckedExport extends ExportOptions {
  json?: boolean;
  force?: boolean;
}

function checkExport(options: CheckedExport): void {
  const { json, out, only, missing } = options;
  const format = exportFormat(options);
  refuseMistakes([
    forceWithoutFile(options),
    only !== undefined && format !== 'csv' && '--only needs --format csv',
    only !== undefined && missing !== undefined && '--only does not go with --missing, which lists tours',
    json &&
      format !== 'json' &&
      out === undefined &&
      `--format ${format} needs --out with --json, which answers with one document`,
    writesTwoFiles(options) &&
      out === undefined &&
      '--format csv writes two files: add --out, or --only tours or --only departures',
  ]);
}

function writesTwoFiles(options: CheckedExport): boolean {
  return exportFormat(options) === 'csv' && options.only === undefined && options.missing === undefined;
}

function refuseSecondInput(files: string[]): void {
  if (files.filter((file) => file === STANDARD_STREAM).length > 1)
    throw new UsageError('- may be given only once: there is one standard input');
}

export const catalogVerbs: Verb[] = [
  {
    usage: 'import <file...>',
    about:
      'Create and change tours and departures from .json, .jsonl or .csv files, all or nothing; - is standard input',
    args: { file: catalogFile },
    check: ({ prune, pruneAtMost }: { prune?: boolean; pruneAtMost?: number }, files: string[]) => {
      refuseSecondInput(files);
      if (pruneAtMost !== undefined && !prune) throw new UsageError('--prune-at-most needs --prune');
    },
    flags: [
      flag('--dry-run', 'only list what would change, field by field'),
      flag(
        '--prune',
        'archive tours that the files lack; delete departures missing from a list, or cancel booked ones',
      ),
      flag('--prune-at-most <percent>', 'the largest share of the tours or departures that --prune removes', {
        parse: percent(wholeNumber(0, 100)),
        otherwise: `${PRUNED_PERCENT_MAX}%`,
      }),
    ],
    asks: ({ prune, dryRun }: { prune?: boolean; dryRun?: boolean }) => prune === true && dryRun !== true,
    examples: [
      'catalog import tours.json --dry-run',
      'catalog import tours.csv departures.csv',
      'catalog import everything.jsonl --prune',
      'catalog import - < tours.csv',
    ],
    more: describeCsvColumns,
    audits: true,
    run: importCatalogCommand,
  },
  {
    usage: 'check <file...>',
    about:
      'Check the files of an import, and write nothing: each issue with its file, line and field, and what is right',
    args: { file: catalogFile },
    check: (_: object, files: string[]) => refuseSecondInput(files),
    examples: [
      'catalog check tours.json',
      'catalog check tours.csv departures.csv',
      'catalog check - < tours.csv',
    ],
    run: checkCatalogCommand,
  },
  {
    usage: 'export',
    about: 'Write the whole catalog to a file; importing it changes nothing. CSV files name every column',
    flags: [
      flag('--out <file>', 'a new file; standard output if it is -, or left out', { parse: outputFile }),
      REPLACE_FLAG,
      flag('--format <format>', 'format of the file', {
        choices: ['json', 'jsonl', 'csv'],
        otherwise: 'json, or by the name of the file',
      }),
      flag(
        '--only <part>',
        'this part of a CSV export; without it, --out tours.csv also writes tours-departures.csv',
        { choices: ['tours', 'departures'] },
      ),
      flag(
        '--missing <language>',
        'only list the tours with texts that are not translated: slug, name, missing',
        {
          parse: language,
        },
      ),
    ],
    check: checkExport,
    examples: [
      'catalog export --out catalog.json',
      'catalog export --format jsonl | wc -l',
      'catalog export --out tours.csv',
      'catalog export --format csv --only departures > departures.csv',
      'catalog export --missing de --format csv > untranslated.csv',
    ],
    run: exportCatalogCommand,
  },
  {
    usage: 'list',
    about: 'List tours by name',
    flags: [
      flag('--status <status>', 'only these', { choices: TOUR_STATUSES }),
      flag('--continent <name>', 'only tours there', { parse: continent }),
      flag('--q <text>', 'only names with this in them', { parse: line(100) }),
      ...LIST_FLAGS,
      afterFlag('slug', slug),
    ],
    examples: ['catalog list --continent europe --q alps'],
    run: listOf({
      find: async (db: Db, { status, continent, q, after, limit }: Filter & { limit: number }) =>
        (await listTours(db, { status, continent, q, after, limit })).map(toTourDocument),
      columns: [
        'slug',
        { heading: 'name', least: 10 },
        { heading: 'continent', aside: true },
        { heading: 'status', tones: { published: 'good', draft: 'waiting', archived: 'quiet' } },
        { heading: 'from', right: true, cell: (tour) => formatMoney(tour.price_from, tour.currency) },
        { heading: 'departures', right: true, aside: true, cell: (tour) => tour.upcoming_departures },
        { heading: 'next', aside: true, cell: (tour) => tour.next_departure_date },
      ],
      empty: 'No tours',
      after: ({ slug }) => slug,
    }),
  },
  {
    usage: 'show <tour>',
    about: 'Show a tour of any status with all its fields',
    flags: [
      flag('--lang <language>', 'its texts as a visitor of this language sees them', { parse: language }),
    ],
    examples: ['catalog show lofoten-by-sail --lang de'],
    run: showTourCommand,
  },
  {
    usage: 'publish <tour>',
    about: 'Put a draft or archived tour on sale for the tenants that see it',
    audits: true,
    run: publishTourCommand,
  },
  {
    usage: 'archive <tour>',
    about: 'Take a tour off sale for every tenant; its departures, holds and bookings stay',
    audits: true,
    run: archiveTourCommand,
  },
];

interface Filter {
  status?: TourStatus;
  continent?: string;
  q?: string;
  /** Slug of the last tour on the previous page. */
  after?: string;
}

function toTourDocument(tour: CatalogTour) {
  return {
    id: tour.id,
    slug: tour.slug,
    name: tour.name,
    continent: tour.continent,
    country: tour.country,
    status: tour.status,
    currency: tour.currency,
    base_price: toMajor(tour.basePriceMinor, tour.currencyDigits),
    price_from: toMajor(tour.priceFromMinor, tour.currencyDigits),
    time_zone: tour.timeZone,
    upcoming_departures: tour.upcomingDepartures,
    next_departure_date: tour.nextDepartureDate,
    updated_at: tour.updatedAt.toISOString(),
  };
}

interface ItineraryDay {
  day: number;
  title: string;
}

async function showTourCommand(
  { db, output }: Context,
  { lang }: { lang?: string },
  idOrSlug: string,
): Promise<void> {
  const tour = await findTour(db, idOrSlug);
  const fields = await exportTour(db, tour.id);
  const document = { ...toTourDocument(tour), ...(lang === undefined ? fields : textsIn(fields, lang)) };
  await output.answer(document, (screen) => {
    const {
      itinerary,
      images,
      start_location,
      end_location,
      translations,
      booking_cutoff,
      cancellation,
      categories,
      questions,
      ...fields
    } = document as typeof document & Record<string, unknown>;
    const shown = {
      ...withMoney(fields, ['base_price', 'price_from']),
      translations: Object.keys(translations ?? {}),
      booking_cutoff: booking_cutoff ?? NO_CUTOFF,
      cancellation: describeCancellation(cancellation as CancellationPolicy | null),
      categories: categoriesOf(categories as Category[] | null).map(describeCategory),
      questions: ((questions ?? []) as Question[]).map(describeQuestion),
      start_location: describeLocation(start_location),
      end_location: describeLocation(end_location),
      images: (images as { url: string }[]).map(({ url }) => url),
    };
    const isFilled = (value: unknown) => value !== null && !(Array.isArray(value) && value.length === 0);
    const days = itinerary as ItineraryDay[];
    return sections([
      [
        '',
        properties(Object.fromEntries(Object.entries(shown).filter(([, value]) => isFilled(value))), screen),
      ],
      ['', describeDays(days, screen)],
    ]);
  });
}

/**
 * Returns the fields of a tour with its texts in the language. Replaces the translations by `lang`, the language of the name, and
 * `missing`, the names of the texts that are not translated.
 */
function textsIn({ translations, ...fields }: FileEntry, lang: string): FileEntry {
  const { texts, language, missing } = translateFields({ ...fields, translations } as TranslatedFields, lang);
  return { ...fields, ...texts, lang: language, missing };
}

const describeDays = tableOf<ItineraryDay>(
  ['day', { heading: 'itinerary', least: 20, cell: ({ title }) => title }],
  '',
);

/** Formats a policy for a person: `100% until 30d, 50% until 7d before the start`. */
function describeCancellation(policy: CancellationPolicy | null): string {
  if (policy === null) return 'not stated';
  if (policy.tiers.length === 0) return 'refunds nothing';
  const tiers = policy.tiers.map(({ until, refund_percent: percent }) => `${percent}% until ${until}`);
  return `${tiers.join(', ')} before the start`;
}

/** Formats a category for a person: `infant, 0 to 3 years, 0 seats, with adult or senior`. */
function describeQuestion(question: Question): string {
  const { code, label, per, required, until } = question;
  const due = required ? `, required until ${until === 'confirm' ? 'it is confirmed' : 'it is booked'}` : '';
  return `${code}: ${label}, per ${per}: ${describeAnswerForm(question)}${due}`;
}

function describeCategory(category: Category): string {
  const { code, age_from: from, age_to: to, seats, people, min, max, with: companions, at_most } = category;
  const parts = [
    code,
    from !== undefined || to !== undefined ? `${from ?? 0} to ${to ?? 99} years` : undefined,
    seats === 1 ? undefined : countOf(seats, 'seat'),
    people === seats ? undefined : `for ${people}`,
    min === undefined ? undefined : `at least ${min}`,
    max === undefined ? undefined : `at most ${max}`,
    companions && `with ${companions.join(' or ')}`,
    at_most && `at most the number of ${at_most}`,
  ];
  return parts.filter((part) => part !== undefined).join(', ');
}

function describeLocation(location: unknown): string | null {
  if (location === null) return null;
  const { name, lat, lng } = location as { name: string; lat?: number; lng?: number };
  return lat === undefined || lng === undefined ? name : `${name} (${lat}, ${lng})`;
}

async function publishTourCommand(context: AuditedContext, _: object, idOrSlug: string): Promise<void> {
  const document = await changeStatus(context, 'publish', idOrSlug, 'published');
  const { slug, upcoming_departures: departures } = document;
  await context.output.answer(
    document,
    () => `${slug} is published; ${countOf(departures, 'departure')} can be booked`,
  );
  if (departures === 0)
    context.output.warn(
      `${slug} has no departure that can be booked: tourctl departure add ${slug} <date> adds one`,
    );
}

async function archiveTourCommand(context: AuditedContext, _: object, idOrSlug: string): Promise<void> {
  const document = await changeStatus(context, 'archive', idOrSlug, 'archived');
  await context.output.answer(
    document,
    () => `${document.slug} is archived: no tenant sees it; its holds and bookings stay`,
  );
}

async function changeStatus(
  { audited, db }: AuditedContext,
  verb: string,
  idOrSlug: string,
  status: TourStatus,
) {
  const tour = await findTour(db, idOrSlug);
  const entry = { action: `catalog.${verb}`, subject: tour.slug };
  return audited(entry, async (trx, note) => {
    const { before, after } = await changeTourStatus(trx, tour, status);
    note({ status: before.status }, { status: after.status });
    return toTourDocument(after);
  });
}

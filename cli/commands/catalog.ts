import { TOUR_STATUSES } from '../../services/api/catalog/tour';
import type { Noun } from '../engine/command';
import { refuseMistakes, UsageError } from '../engine/failure';
import { exportFormat, type ExportOptions } from './catalog/export-options';
import { afterFlag, catalogFile, continentFlag, fileName, LIST_FLAGS, STANDARD_INPUT } from '../engine/flags';
import { line, slug } from '../engine/values';

function checkExport(options: ExportOptions & { json?: boolean; force?: boolean }): void {
  const { json, out, only, force } = options;
  const format = exportFormat(options);
  refuseMistakes([
    force && out === undefined && '--force needs --out: it replaces an existing file',
    only !== undefined && format !== 'csv' && '--only needs --format csv',
    json &&
      format !== 'json' &&
      out === undefined &&
      `--format ${format} needs --out with --json, which answers with one document`,
    format === 'csv' &&
      out === undefined &&
      only === undefined &&
      '--format csv writes two files: add --out, or --only tours or --only departures',
  ]);
}

const tourActions = () => require('./catalog/tour') as typeof import('./catalog/tour');

export const catalog: Noun = {
  name: 'catalog',
  about: 'The central catalog of tours and their departures',
  verbs: [
    {
      usage: 'import <file...>',
      about:
        'Create and change tours and departures from .json, .jsonl or .csv files, all or nothing; - is standard input',
      args: { file: catalogFile },
      check: (_: object, files: string[]) => {
        if (files.filter((file) => file === STANDARD_INPUT).length > 1)
          throw new UsageError('- may be given only once: there is one standard input');
      },
      flags: [
        { flags: '--dry-run', about: 'only list what would change, field by field' },
        {
          flags: '--prune',
          about:
            'archive tours that the files lack; delete departures missing from a list, or cancel booked ones',
        },
      ],
      asks: ({ prune, dryRun }: { prune?: boolean; dryRun?: boolean }) => prune === true && dryRun !== true,
      examples: [
        'catalog import tours.json --dry-run',
        'catalog import tours.csv departures.csv',
        'catalog import everything.jsonl --prune',
        'catalog import - < tours.csv',
      ],
      more: () =>
        (require('./catalog/csv-columns') as typeof import('./catalog/csv-columns')).describeCsvColumns(),
      run: () => (require('./catalog/import') as typeof import('./catalog/import')).importCatalogCommand,
    },
    {
      usage: 'export',
      about: 'Write the whole catalog to a file; importing it changes nothing. CSV files name every column',
      flags: [
        { flags: '--out <file>', about: 'a new file instead of standard output', parse: fileName },
        { flags: '--force', about: 'replace the file if it exists' },
        {
          flags: '--format <format>',
          about: 'format of the file',
          choices: ['json', 'jsonl', 'csv'],
          otherwise: 'json, or by the name of the file',
        },
        {
          flags: '--only <part>',
          about: 'this part of a CSV export; without it, --out tours.csv also writes tours-departures.csv',
          choices: ['tours', 'departures'],
        },
      ],
      check: checkExport,
      examples: [
        'catalog export --out catalog.json',
        'catalog export --format jsonl | wc -l',
        'catalog export --out tours.csv',
        'catalog export --format csv --only departures > departures.csv',
      ],
      run: () => (require('./catalog/export') as typeof import('./catalog/export')).exportCatalogCommand,
    },
    {
      usage: 'list',
      about: 'List tours by name',
      flags: [
        { flags: '--status <status>', about: 'only these', choices: TOUR_STATUSES },
        continentFlag('only tours there'),
        { flags: '--q <text>', about: 'only names with this in them', parse: line(100) },
        ...LIST_FLAGS,
        afterFlag('slug', slug),
      ],
      examples: ['catalog list --continent europe --q alps'],
      run: () => (require('./catalog/list') as typeof import('./catalog/list')).listCatalogCommand,
    },
    {
      usage: 'show <tour>',
      about: 'Show a tour of any status with all its fields',
      run: () => tourActions().showTourCommand,
    },
    {
      usage: 'publish <tour>',
      about: 'Put a draft or archived tour on sale for the tenants that see it',
      run: () => tourActions().publishTourCommand,
    },
    {
      usage: 'archive <tour>',
      about: 'Take a tour off sale for every tenant; its departures, holds and bookings stay',
      run: () => tourActions().archiveTourCommand,
    },
  ],
};

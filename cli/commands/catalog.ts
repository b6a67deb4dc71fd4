import { TOUR_STATUSES } from '../../services/api/catalog/tour';
import type { Noun } from '../engine/command';
import { UsageError } from '../engine/failure';
import { afterFlag, catalogFile, continentFlag, LIMIT_FLAG } from '../engine/flags';
import { line, slug } from '../engine/values';

interface ExportFlags {
  json?: boolean;
  format?: string;
  out?: string;
  force?: boolean;
}

export const catalog: Noun = {
  name: 'catalog',
  about: 'The central catalog of tours and their departures',
  verbs: [
    {
      usage: 'import <file...>',
      about: 'Create and change tours and departures from .json, .jsonl or .csv files, all or nothing',
      args: { file: catalogFile },
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
      ],
      run: () => (require('./catalog/import') as typeof import('./catalog/import')).importCatalogCommand,
    },
    {
      usage: 'export',
      about: 'Write the whole catalog to a file; importing it changes nothing',
      flags: [
        { flags: '--out <file>', about: 'a new file instead of standard output' },
        { flags: '--force', about: 'replace the file if it exists' },
        {
          flags: '--format <format>',
          about: 'format of the file',
          choices: ['json', 'jsonl'],
          otherwise: 'json',
        },
      ],
      check: ({ json, format, out, force }: ExportFlags) => {
        if (force && out === undefined)
          throw new UsageError('--force needs --out: it replaces an existing file');
        if (json && format === 'jsonl' && out === undefined) {
          throw new UsageError('--format jsonl needs --out with --json, which answers with one document');
        }
      },
      examples: ['catalog export --out catalog.json', 'catalog export --format jsonl | wc -l'],
      run: () => (require('./catalog/export') as typeof import('./catalog/export')).exportCatalogCommand,
    },
    {
      usage: 'list',
      about: 'List tours by name',
      flags: [
        { flags: '--status <status>', about: 'only these', choices: TOUR_STATUSES },
        continentFlag('only tours there'),
        { flags: '--q <text>', about: 'only names with this in them', parse: line(100) },
        LIMIT_FLAG,
        afterFlag('slug', slug),
      ],
      examples: ['catalog list --continent europe --q alps'],
      run: () => (require('./catalog/list') as typeof import('./catalog/list')).listCatalogCommand,
    },
  ],
};

import { statSync } from 'node:fs';
import path from 'node:path';
import { CATALOG_FILE_TYPES } from '../../services/api/catalog-import/catalog-file';
import { isCalendarDate, isSlug } from '../../services/platform/text-forms';
import { flag, type Flag } from './command';
import { UsageError } from './failure';
import { decimal, limit, line, moment, slug } from './values';

/* Declares flags that several nouns share, and the parsers of catalog values. */

export const TENANT_FLAG = flag('--tenant <slug>', 'only of this tenant', { parse: slug });
export const EXTERNAL_REF_FLAG = flag(
  '--external-ref <ref>',
  "only with this reference of the tenant's own",
  {
    parse: line(128),
  },
);
export const REVEAL_FLAG = flag(
  '--reveal',
  'show names, phones and emails, which are masked otherwise; leaves an audit row',
);

export const DEFAULT_LIMIT = 100;

/** Flags of every list. `--wide` takes effect where the output is opened (program.ts). */
export const LIST_FLAGS = [
  flag('--limit <number>', 'maximum number', { parse: limit, otherwise: '100' }),
  flag('--wide', 'show all columns without a cut, also wider than the screen'),
];

/** Filters by time. @param what the compared time, for the help: `created` */
export const sinceFlag = (what: string): Flag =>
  flag('--since <time>', `only ${what} from then on: a date, a time, or 24h for a day ago`, {
    parse: moment,
  });

/** Continues a list after the last item shown; new items before it do not shift the page. */
export const afterFlag = (value: string, parse: Flag['parse']): Flag =>
  flag(`--after <${value}>`, 'continue after this one, the last that was shown', { parse });

/** Names a tour by slug or id. */
export const tourFlag = (about: string): Flag => flag('--tour <slug>', about);
export const continentFlag = (about: string): Flag => flag('--continent <name>', about, { parse: continent });

function continent(text: string, name: string): string {
  const lowered = text.toLowerCase();
  if (!isSlug(lowered)) throw new UsageError(`${name} must be a slug such as south-america`);
  return lowered;
}

/** Parses a travel date; values.moment parses times. */
export function travelDate(text: string, name: string): string {
  if (!isCalendarDate(text))
    throw new UsageError(`${name} must be a date of the calendar such as 2027-05-01`);
  return text;
}

/** Parses the step that prices are rounded to, above 0. */
export function roundingStep(text: string, name: string): string {
  const step = decimal(0, 1_000_000, 4)(text, name);
  if (Number(step) === 0) throw new UsageError(`${name} must be more than 0`);
  return step;
}

/** Parses the name of a file that the command writes. */
export function fileName(text: string, name: string): string {
  if (text === '') throw new UsageError(`${name} must name a file`);
  return text;
}

/** The name of standard input instead of a file. */
export const STANDARD_INPUT = '-';

export function catalogFile(text: string, name: string): string {
  if (text === STANDARD_INPUT) return text;
  if (!CATALOG_FILE_TYPES.some((type) => type === path.extname(text).toLowerCase())) {
    throw new UsageError(
      `${name} must be a ${CATALOG_FILE_TYPES.join(', ')} file, and ${text} has another ending`,
    );
  }
  const found = statSync(text, { throwIfNoEntry: false });
  if (!found) throw new UsageError(`${name} must be a file that exists, and ${text} does not`);
  if (found.isDirectory()) throw new UsageError(`${name} must be a file, and ${text} is a directory`);
  if (!found.isFile() && !found.isFIFO())
    throw new UsageError(`${name} must be a file or a named pipe, and ${text} is neither`);
  return text;
}

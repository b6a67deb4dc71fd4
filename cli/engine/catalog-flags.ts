import { statSync } from 'node:fs';
import path from 'node:path';
import { CATALOG_FILE_TYPES } from '../../services/api/catalog-import/catalog-file';
import { isCalendarDate, isSlug } from '../../services/platform/text-forms';
import type { Flag } from './command';
import { UsageError } from './failure';
import { decimal } from './values';

/** Parsers and flags of the catalog's commands; see values.ts. */

/** Parses a travel date; values.moment parses times. */
export function travelDate(text: string, name: string): string {
  if (!isCalendarDate(text))
    throw new UsageError(`${name} must be a date of the calendar such as 2027-05-01`);
  return text;
}

function continent(text: string, name: string): string {
  const slug = text.toLowerCase();
  if (!isSlug(slug)) throw new UsageError(`${name} must be a slug such as south-america`);
  return slug;
}

/** Parses the step that prices are rounded to, above 0. */
export function roundingStep(text: string, name: string): string {
  const step = decimal(0, 1_000_000, 4)(text, name);
  if (Number(step) === 0) throw new UsageError(`${name} must be more than 0`);
  return step;
}

export function catalogFile(text: string, name: string): string {
  if (!CATALOG_FILE_TYPES.some((type) => type === path.extname(text).toLowerCase())) {
    throw new UsageError(
      `${name} must be a ${CATALOG_FILE_TYPES.join(', ')} file, and ${text} is none by its name`,
    );
  }
  const found = statSync(text, { throwIfNoEntry: false });
  if (!found) throw new UsageError(`${name} must be a file that exists, and ${text} does not`);
  if (found.isDirectory()) throw new UsageError(`${name} must be a file, and ${text} is a directory`);
  if (!found.isFile() && !found.isFIFO())
    throw new UsageError(`${name} must be a file or a named pipe, and ${text} is neither`);
  return text;
}

/** Flag for a tour by slug or id. */
export const tourFlag = (about: string): Flag => ({ flags: '--tour <slug>', about });
export const continentFlag = (about: string): Flag => ({
  flags: '--continent <name>',
  about,
  parse: continent,
});

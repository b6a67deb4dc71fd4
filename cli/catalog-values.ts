import { statSync } from 'node:fs';
import path from 'node:path';
import { CATALOG_FILE_TYPES } from '../services/api/catalog/files/catalog-file-types';
import { isCalendarDate, isSlug } from '../services/platform/text-forms';
import type { Flag } from './command';
import { UsageError } from './usage-error';
import { decimal } from './values';

/** What the flags of the catalog's commands must be; see values.ts. */

/** Travel dates; times have values.moment. */
export function travelDate(text: string, name: string): string {
  if (!isCalendarDate(text))
    throw new UsageError(`${name} must be a date of the calendar such as 2027-05-01`);
  return text;
}

function continent(text: string, name: string): string {
  if (!isSlug(text)) throw new UsageError(`${name} must be a lower-case slug such as south-america`);
  return text;
}

/** More than 0: what prices are rounded to. */
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
  return text;
}

/** A tour by slug or id, in the way every command takes it. */
export const tourFlag = (about: string): Flag => ({ flags: '--tour <slug>', about });
export const continentFlag = (about: string): Flag => ({
  flags: '--continent <name>',
  about,
  parse: continent,
});

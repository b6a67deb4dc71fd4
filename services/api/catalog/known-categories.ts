import type { Db } from '../../platform/database/database';
import { AppError } from '../../platform/errors';
import { type Category, DEFAULT_CATEGORIES } from '../parties/category';

const DEFAULT_LIST = `'${JSON.stringify(DEFAULT_CATEGORIES)}'::jsonb`;

/** Returns the SQL of the codes of categories as an array, in their order. @param categories SQL of a column `categories` */
export function codesOf(categories: string): string {
  return `array(select category->>'code' from jsonb_array_elements(coalesce(${categories}, ${DEFAULT_LIST})) as category)`;
}

/** Returns the codes of the price categories of all tours, of any status: the default ones first, if a tour has them. */
export async function findCategoryCodes(db: Db): Promise<string[]> {
  const { rows }: { rows: { code: string }[] } = await db.raw(
    `select distinct listed.code collate "C" as code from tours t cross join unnest(${codesOf('t.categories')}) as listed (code) order by 1`,
  );
  const codes = rows.map(({ code }) => code);
  const defaults = DEFAULT_CATEGORIES.map(({ code }) => code);
  return [
    ...defaults.filter((code) => codes.includes(code)),
    ...codes.filter((code) => !defaults.includes(code)),
  ];
}

/** An operator named a category that the tour, or every tour, does not have. */
class UnknownCategoryError extends AppError {
  readonly code = 'category_not_found';

  constructor(code: string, owner: string, known: string[]) {
    super(`${owner} has no category ${code}: known are ${known.join(', ')}`);
  }
}

/** @throws UnknownCategoryError for a category that the tour does not have */
export function checkCategory(code: string, categories: readonly Category[]): void {
  const known = categories.map((category) => category.code);
  if (!known.includes(code)) throw new UnknownCategoryError(code, 'The tour', known);
}

/**
 * Checks the category of a new rule for several tours, because a rule for a misspelt category would have no effect. An empty catalog has no
 * categories yet, so any category is accepted then.
 * @throws UnknownCategoryError
 */
export async function checkKnownCategory(db: Db, code: string): Promise<void> {
  const known = await findCategoryCodes(db);
  if (known.length > 0 && !known.includes(code)) throw new UnknownCategoryError(code, 'The catalog', known);
}

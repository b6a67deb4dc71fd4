import { SEATS_MAX, UNITS_MAX } from './party-rules';

/** The kinds of a category. OCTO has a unit type for each; a supplement is no traveller. */
export const CATEGORY_KINDS = [
  'adult',
  'youth',
  'child',
  'infant',
  'senior',
  'student',
  'family',
  'military',
  'group',
  'supplement',
  'other',
] as const;
export type CategoryKind = (typeof CATEGORY_KINDS)[number];

/** A price category of a tour, with the names of files, answers and the database. A booking has a number of units of each category. */
export interface Category {
  /**
   * 2 to 32 of `a-z`, `0-9` and `_`. Prices and parties go by this code.
   * @example "senior"
   */
  code: string;
  kind: CategoryKind;
  /**
   * The name in the language of the answer. Absent: it follows from the kind.
   * @example "Senior"
   */
  name?: string;
  /**
   * The youngest age, in years. Absent: no limit.
   * @isInt
   * @example 65
   */
  age_from?: number;
  /**
   * The oldest age, in years. Absent: no limit.
   * @isInt
   * @example 99
   */
  age_to?: number;
  /**
   * The seats that one unit takes: 0 for an infant, 4 for a ticket of a family of four.
   * @isInt
   * @example 1
   */
  seats: number;
  /**
   * The travellers of one unit; 0 for a supplement.
   * @isInt
   * @example 1
   */
  people: number;
  /**
   * The fewest units in a booking that has some.
   * @isInt
   * @example 1
   */
  min?: number;
  /**
   * The most units in a booking.
   * @isInt
   * @example 20
   */
  max?: number;
  /**
   * Codes of categories, of which the booking must have at least one unit.
   * @example ["adult", "senior"]
   */
  with?: string[];
  /**
   * The code of a category whose units may not be exceeded.
   * @example "adult"
   */
  at_most?: string;
}

/** The categories of a tour that states none. */
export const DEFAULT_CATEGORIES: readonly Category[] = [
  { code: 'adult', kind: 'adult', age_from: 18, age_to: 99, seats: 1, people: 1 },
  { code: 'child', kind: 'child', age_from: 0, age_to: 17, seats: 1, people: 1 },
  { code: 'single_supplement', kind: 'supplement', seats: 0, people: 0, at_most: 'adult' },
];

/** Returns the categories of a tour, a hold or a booking. @param stored the column `categories`; null: the default list */
export function categoriesOf(stored: readonly Category[] | null): readonly Category[] {
  return stored ?? DEFAULT_CATEGORIES;
}

/** Returns the value of the column `categories`. */
export function storedCategories(categories: readonly Category[]): readonly Category[] | null {
  return categories === DEFAULT_CATEGORIES ? null : categories;
}

/** The oldest age of a category, in years. */
export const AGE_MAX = 120;

/** The most categories of a tour. */
export const CATEGORIES_MAX = 12;

/** Codes that files may not use: a price list has `deposit`, and every object of JavaScript has the other two. */
const RESERVED = ['deposit', 'constructor', '__proto__'];

/** Returns the default of `people`: the seats of one unit; 1 for a unit without a seat; 0 for a supplement. */
export function peopleOfUnit({ kind, seats }: Pick<Category, 'kind' | 'seats'>): number {
  if (kind === 'supplement') return 0;
  return seats === 0 ? 1 : seats;
}

/** An issue of a list of categories. `path`: its place in the list, such as `[1, 'with']`. */
export interface CategoryIssue {
  path: [number, keyof Category];
  message: string;
}

/**
 * Returns the first issue of each category, of categories that are valid one by one.
 * @rule which categories a tour may have: test/catalog/categories.long.test.ts
 */
export function categoryIssues(categories: readonly Category[]): CategoryIssue[] {
  return categories.flatMap((category, index): CategoryIssue[] => {
    const before = categories.slice(0, index);
    const issue =
      (index === 0 ? firstIssue(category) : undefined) ??
      rangeIssue(category) ??
      issueOf(category, before, categories);
    return issue ? [{ path: [index, issue.field], message: issue.message }] : [];
  });
}

interface FieldIssue {
  field: keyof Category;
  message: string;
}

/** Returns the issue of a category that cannot be the first one. */
function firstIssue({ code, kind, seats }: Category): FieldIssue | undefined {
  if (seats > 0 && kind !== 'supplement') return undefined;
  return {
    field: kind === 'supplement' ? 'kind' : 'seats',
    message: `the first category, ${code}, must take a seat and must be no supplement`,
  };
}

function rangeIssue({
  code,
  age_from = 0,
  age_to = AGE_MAX,
  min = 0,
  max = UNITS_MAX,
  seats,
}: Category): FieldIssue | undefined {
  if (age_from > age_to)
    return { field: 'age_to', message: `of ${code} must be at least its age_from, ${age_from}` };
  if (min > max) return { field: 'max', message: `of ${code} must be at least its min, ${min}` };
  if (seats * min <= SEATS_MAX) return undefined;
  const message = `of ${code} needs ${seats * min} seats, and one booking takes at most ${SEATS_MAX}`;
  return { field: 'min', message };
}

function issueOf(
  category: Category,
  before: readonly Category[],
  all: readonly Category[],
): FieldIssue | undefined {
  const { code, at_most } = category;
  const known = (other: string) => other !== code && all.some((one) => one.code === other);
  if (RESERVED.includes(code)) return { field: 'code', message: `must not be ${code}, which is reserved` };
  if (before.some((one) => one.code === code))
    return { field: 'code', message: `must be unique: ${code} comes twice` };
  const unknown = category.with?.find((other) => !known(other));
  if (unknown !== undefined)
    return { field: 'with', message: `of ${code} must name other categories of the tour, not ${unknown}` };
  const supplement = category.with?.find((other) => isSupplement(other, all));
  if (supplement !== undefined && category.kind !== 'supplement')
    return { field: 'with', message: `of ${code} must name categories that travel, not ${supplement}` };
  if (at_most !== undefined && !known(at_most))
    return { field: 'at_most', message: `of ${code} must name another category of the tour, not ${at_most}` };
  if (startsCycle(code, before, all))
    return {
      field: 'with',
      message: `of ${code} must not lead back to ${code} through the other categories`,
    };
  return undefined;
}

function isSupplement(code: string, all: readonly Category[]): boolean {
  return all.some((one) => one.code === code && one.kind === 'supplement');
}

/** Returns whether `with` of a category leads back to it, and the cycle has no category before it: one cycle is one issue. */
function startsCycle(code: string, before: readonly Category[], all: readonly Category[]): boolean {
  const reached = reachedFrom(code, all);
  const isOfCycle = (one: Category) => reached.has(one.code) && reachedFrom(one.code, all).has(code);
  return reached.has(code) && !before.some(isOfCycle);
}

/** Returns the codes to which `with` of a category leads, directly or through other categories. */
function reachedFrom(code: string, all: readonly Category[]): Set<string> {
  const reached = new Set<string>();
  const follow = (from: string) => {
    for (const companion of all.find((one) => one.code === from)?.with ?? []) {
      if (reached.has(companion)) continue;
      reached.add(companion);
      follow(companion);
    }
  };
  follow(code);
  return reached;
}

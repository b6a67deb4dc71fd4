import { z } from 'zod';
import { NAME_MAX } from '../../platform/forms/lengths';
import { isCategoryCode } from '../../platform/forms/text-forms';
import {
  AGE_MAX,
  type Category,
  CATEGORY_KINDS,
  categoryIssues,
  CATEGORIES_MAX,
  peopleOfUnit,
} from '../parties/category';
import { SEATS_MAX, UNITS_MAX } from '../parties/party-rules';
import { MINOR_UNITS_MAX } from '../pricing/currency';
import {
  amountField,
  choiceField,
  expecting,
  integerField,
  lineField,
  listField,
  objectField,
  textField,
} from './field-checks';
import type { WrittenNumber } from './written-numbers';

// Checks the price categories of a tour, and prices by category. issues.repository.ts checks what depends on the catalog.

const CODE_RULE = 'must be 2 to 32 of a-z, 0-9 and _';
const NO_CODE = `names no category: a code ${CODE_RULE}`;

const code = textField(isCategoryCode, CODE_RULE);
const CATEGORY_NAME = lineField(NAME_MAX);
/** The most travellers of one unit. */
const PEOPLE_MAX = 99;
const CATEGORY = objectField({
  code,
  kind: choiceField(...CATEGORY_KINDS),
  name: CATEGORY_NAME.nullish(),
  age_from: integerField(0, AGE_MAX).nullish(),
  age_to: integerField(0, AGE_MAX).nullish(),
  seats: integerField(0, SEATS_MAX).nullish(),
  people: integerField(0, PEOPLE_MAX).nullish(),
  min: integerField(1, UNITS_MAX).nullish(),
  max: integerField(1, UNITS_MAX).nullish(),
  with: listField(code, CATEGORIES_MAX).nullish(),
  at_most: code.nullish(),
});

/** The price categories of a tour. Each message names the category. Fills in `seats` and `people`. */
export const CATEGORIES = listField(z.unknown(), CATEGORIES_MAX)
  .min(1, 'must have at least one entry')
  .transform((given, context): Category[] => {
    const categories = given.map((item, index) => readCategory(item, index, context));
    const valid = categories.filter((category) => category !== undefined);
    if (valid.length < categories.length) return z.NEVER;
    for (const { path, message } of categoryIssues(valid))
      context.addIssue({ code: 'custom', path, message });
    return valid;
  });

/** Returns the category with its defaults. Adds the issues of an invalid one, and returns undefined. */
function readCategory(item: unknown, index: number, context: z.RefinementCtx): Category | undefined {
  const { data, error } = CATEGORY.safeParse(item);
  if (data) return withDefaults(data);
  const name = typeof item === 'object' ? (item as { code?: unknown } | null)?.code : undefined;
  const subject = typeof name === 'string' && isCategoryCode(name) ? `of ${name} ` : '';
  for (const issue of error.issues) {
    const keys = issue.code === 'unrecognized_keys' ? issue.keys.map((key) => [key]) : [[]];
    for (const key of keys)
      context.addIssue({
        code: 'custom',
        path: [index, ...issue.path, ...key],
        message: `${subject}${issue.message}`,
      });
  }
  return undefined;
}

/** Builds a category with the fields that it has. A unit takes one seat, unless the file says otherwise. */
function withDefaults({ seats, people, with: companions, ...given }: z.infer<typeof CATEGORY>): Category {
  const filled = {
    ...given,
    seats: seats ?? 1,
    people: people ?? peopleOfUnit({ kind: given.kind, seats: seats ?? 1 }),
    with: companions?.length ? companions : null,
  };
  return Object.fromEntries(Object.entries(filled).filter(([, value]) => value !== null)) as never;
}

export const AMOUNT = amountField(MINOR_UNITS_MAX);
const PRICE = AMOUNT.nullish();

/** Prices by the code of the category, in major units. Null: the category gets no price. */
export type PricesEntry = Record<string, number | WrittenNumber | null>;

/** Prices by category. parsePrices finds the issue of each price. */
export const PRICES = z.custom<PricesEntry>(
  (value) => isObject(value) && Object.entries(value).every((price) => issueOfPrice(price) === undefined),
  expecting('must be an object of prices by category, such as {"adult": 480}'),
);

/** A price with an issue, as it is staged: the category is not without a price. */
export const PRICE_WITH_ISSUE = '';

/** Returns the prices of an object. Calls `report` for each price with an issue, and returns PRICE_WITH_ISSUE for it. */
export function parsePrices(
  value: object,
  report: (code: string, message: string) => void,
): Record<string, PricesEntry[string] | typeof PRICE_WITH_ISSUE> {
  const prices = new Map<string, PricesEntry[string] | typeof PRICE_WITH_ISSUE>();
  for (const [key, amount] of Object.entries(value as PricesEntry)) {
    const issue = issueOfPrice([key, amount]);
    if (issue !== undefined) report(key, issue);
    if (isCategoryCode(key)) prices.set(key, issue === undefined ? amount : PRICE_WITH_ISSUE);
  }
  return Object.fromEntries(prices);
}

function issueOfPrice([key, amount]: [string, unknown]): string | undefined {
  if (!isCategoryCode(key)) return NO_CODE;
  return PRICE.safeParse(amount).error?.issues[0]!.message;
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The names of categories in one language, by code. */
export const CATEGORY_NAMES = z
  .record(
    z.string(),
    z.unknown(),
    expecting('must be an object of names by category, such as {"senior": "…"}'),
  )
  .transform((given, context) => {
    const names = Object.entries(given).map(([key, text]) => {
      const { data, error } = CATEGORY_NAME.safeParse(text);
      const message = isCategoryCode(key) ? error?.issues[0]!.message : NO_CODE;
      if (message !== undefined) context.addIssue({ code: 'custom', path: [key], message });
      return [key, data];
    });
    return Object.fromEntries(names) as Record<string, string>;
  });

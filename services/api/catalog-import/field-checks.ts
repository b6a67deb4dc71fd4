import leven from 'leven';
import { z } from 'zod';
import type { Form } from '../../platform/forms/form';
import { lineForm, proseForm } from '../../platform/forms/texts';
import { WrittenNumber } from './written-numbers';

// Creates the checks of the fields of catalog files. Each check has the message of its issue.

const LINE_BREAKS = /[ \t]*[\t\n\v\f\r\u0085\u2028\u2029]\s*/g;

/** Returns the error option of a schema: `is required` for a missing field, otherwise the message. */
export function expecting(message: string): { error: (issue: { input?: unknown }) => string } {
  return { error: ({ input }) => (input === undefined || input === null ? 'is required' : message) };
}

/** @param message such as `must be a language tag` */
export function textField(isText: (value: string) => boolean, message: string) {
  return z.custom<string>((value) => typeof value === 'string' && isText(value), expecting(message));
}

/** Reads a text by a form that requests have too. @param fold changes the text before, because a file may write it otherwise */
export function formField<T>(form: Form<T>, fold = (text: string) => text) {
  return z.string(expecting('must be a text')).transform((text, context): T => {
    const { issue, value } = form(fold(text));
    if (issue === undefined) return value;
    context.addIssue({ code: 'custom', message: issue });
    return z.NEVER;
  });
}

/** Returns the text as one line: replaces each line break by a space. */
export const foldLine = (text: string) => text.replace(LINE_BREAKS, ' ');
/** Returns the text of several lines with each line break as one line feed. */
export const foldParagraphs = (text: string) => text.replace(/\r\n?|\u2028|\u2029/g, '\n');

export const lineField = (most: number) => formField(lineForm(most), foldLine);
export const paragraphsField = (most: number) => formField(proseForm(most), foldParagraphs);

/** @param min included @param max included */
export function integerField(min: number, max: number) {
  const message = `must be a whole number from ${min} to ${max}`;
  return z.int(expecting(message)).refine((value) => value >= min && value <= max, message);
}

const DECIMAL = 'must be a number with a decimal point and no separators, such as 1299.50';

/** A number, however it is written. */
export const numberField = (message: string) =>
  z.preprocess(
    (value) => (value instanceof WrittenNumber ? Number(value) : value),
    z.number(expecting(message)),
  );

/** @param min included @param max included */
export function decimalField(min: number, max: number) {
  return numberField(DECIMAL).refine(
    (value) => value >= min && value <= max,
    `must be a number from ${min} to ${max}`,
  );
}

/** Checks an amount in major units: a number, or a WrittenNumber. issues.repository.ts checks the decimals by the currency. */
export function amountField(most: number) {
  return z
    .custom<number | WrittenNumber>(
      (value) => typeof value === 'number' || (value instanceof WrittenNumber && !value.hasExponent),
      expecting(DECIMAL),
    )
    .refine((value) => Number(value) >= 0 && Number(value) <= most, `must be a number from 0 to ${most}`);
}

export function choiceField<T extends string>(...known: T[]) {
  return z.enum(known, expecting(`must be one of ${known.join(', ')}`));
}

const BAD_JSON = 'must be valid JSON, with each key once';

/** Returns whether a value is a cell of a CSV file that should have been JSON. */
function isJsonText(value: unknown): boolean {
  return typeof value === 'string' && /^[{[]/.test(value);
}

/** @param most the largest number of entries */
export function listField<T extends z.ZodType>(item: T, most: number) {
  const error = ({ input }: { input?: unknown }) =>
    expecting(isJsonText(input) ? BAD_JSON : 'must be a list').error({ input });
  // The check of zod itself counts the characters of a text too, and a text that should have been a list has one issue.
  return z.array(item, { error }).refine((list) => list.length <= most, {
    error: `must have at most ${most} entries`,
    when: ({ value }) => Array.isArray(value),
  });
}

/** Refuses fields that the shape does not have, and names those that it has. */
export function objectField<S extends z.ZodRawShape>(shape: S) {
  return z.strictObject(shape, {
    error: ({ code, input }) => {
      if (code === 'unrecognized_keys')
        return `is not known here; known are ${Object.keys(shape).join(', ')}`;
      return expecting(isJsonText(input) ? BAD_JSON : 'must be an object').error({ input });
    },
  });
}

/**
 * Returns the known name with the fewest typing errors. Returns undefined if the errors are more than a quarter of its letters. Compares
 * only letters, and ignores case.
 */
export function nearestName(name: string, known: string[]): string | undefined {
  const plain = (text: string) => text.toLowerCase().replace(/[^a-z]/g, '');
  const wanted = plain(name);
  const distances = known.map((other) => ({ other, distance: typingErrors(wanted, plain(other)) }));
  const [best] = distances.sort((a, b) => a.distance - b.distance);
  return best && best.distance * 4 <= plain(best.other).length ? best.other : undefined;
}

function typingErrors(from: string, to: string): number {
  // Does not compare a text that is more than twice as long: it is no typing error, and the comparison would take long.
  return from.length > 2 * to.length ? from.length : leven(from, to);
}

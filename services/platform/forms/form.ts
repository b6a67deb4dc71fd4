import { InputError, type InputIssue, InvalidInputError, type InputPlace } from '../errors';

/** A value that a reader has read, or what is wrong with the given value: the end of a sentence that begins with the name of its field. */
export type Reading<T> = { value: T; issue?: undefined } | { value?: undefined; issue: string };

/** Reads a value that a request, a file or a flag has. The edges add the name of the field, and decide how the issue is answered. */
export type Form<T> = (given: unknown) => Reading<T>;

/** Returns a form that refuses values which are no text. */
export function ofText<T>(read: (text: string) => Reading<T>): Form<T> {
  return (given) => (typeof given === 'string' ? read(given) : { issue: 'must be a text' });
}

/** Returns a form that keeps the text. @param rule such as `must be a UUID` */
export function matching(accepts: (text: string) => boolean, rule: string): Form<string> {
  return ofText((text) => (accepts(text) ? { value: text } : { issue: rule }));
}

/** Returns a form that reads by `first`, and its result by `next`. */
export function chain<A, B>(first: Form<A>, next: (value: A) => Reading<B>): Form<B> {
  return (given) => {
    const reading = first(given);
    return reading.issue === undefined ? next(reading.value) : reading;
  };
}

/** Reads a value by its form. @throws InvalidInputError with the name of the field */
export function readInput<T>(place: InputPlace, field: string, given: unknown, form: Form<T>): T {
  const reading = form(given);
  if (reading.issue !== undefined) throw new InvalidInputError(place, field, reading.issue);
  return reading.value;
}

/** Runs all readers, so that one error can report all issues. Returns what they read, and the issues of those that refuse. */
export function readEach<T extends object>(readers: { [K in keyof T]: () => T[K] }): {
  parts: T;
  issues: InputIssue[];
} {
  const issues: InputIssue[] = [];
  const parts: Partial<T> = {};
  for (const name in readers) {
    try {
      parts[name] = readers[name]();
    } catch (error) {
      if (!(error instanceof InputError)) throw error;
      issues.push(...error.errors);
    }
  }
  return { parts: parts as T, issues };
}

import { InvalidInputError } from '../../platform/errors';
import { type Form, readEach, readInput } from '../../platform/forms/form';
import { BadInputError } from './http.errors';

/** Reads a field of a body. @throws InvalidInputError (400) */
export function bodyInput<T>(field: string, given: unknown, form: Form<T>): T {
  return readInput('body', field, given, form);
}

/** Reads a field of a body. Returns undefined if it is missing. @throws InvalidInputError (400) */
export function givenInput<T>(field: string, given: unknown, form: Form<T>): T | undefined {
  return given === undefined ? undefined : bodyInput(field, given, form);
}

/** Reads a field of a body. Returns null if it is missing. @throws InvalidInputError (400) */
export function optionalInput<T>(field: string, given: unknown, form: Form<T>): T | null {
  return givenInput(field, given, form) ?? null;
}

/** Reads a field of a body. Returns undefined if it is missing, and null for null, which clears the field. @throws InvalidInputError (400) */
export function clearableInput<T>(field: string, given: unknown, form: Form<T>): T | null | undefined {
  return given === null ? null : givenInput(field, given, form);
}

/** Reads a parameter of the query. Returns undefined if it is missing. @throws InvalidInputError (400) */
export function queryInput<T>(name: string, given: string | undefined, form: Form<T>): T | undefined {
  return given === undefined ? undefined : readInput('query', name, given, form);
}

/** Converts a continent to lower case, as in its slug. */
export function continentInput(value: string | undefined): string | undefined {
  return value?.toLowerCase();
}

/** Converts a country code to upper case. Leaves any other text unchanged: no tour has such a country. */
export function countryInput(value: string | undefined): string | undefined {
  return value !== undefined && /^[a-z]{2}$/i.test(value) ? value.toUpperCase() : value;
}

/** Runs all readers, and collects their issues in one error. @throws BadInputError with all issues (400) */
export function readAll<T extends object>(readers: { [K in keyof T]: () => T[K] }): T {
  const { parts, issues } = readEach(readers);
  if (issues.length > 0) throw new BadInputError('validation_failed', issues);
  return parts;
}

/** Refuses a change that names no field. @throws InvalidInputError (400) */
export function assertNotEmpty(body: object, field = 'body'): void {
  if (Object.keys(body).length === 0)
    throw new InvalidInputError('body', field, 'must name at least one field to change');
}

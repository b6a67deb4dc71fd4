import type { FieldErrors } from '@tsoa/runtime';
import type { InputFault, InputPlace } from '../../platform/errors';
import { BadInputError, fieldName, UNKNOWN_FIELD } from './http.errors';

/**
 * What tsoa's validation found, in our words. Its fields carry the client's values, in `value` and in some messages too:
 * only names, and what a value must be, go on.
 * @param fields by path; one without `body` is a query parameter's
 */
export function validationFaults(fields: FieldErrors): BadInputError {
  const faults = Object.entries(fields).map(([path, { message, value }]): InputFault => {
    const place: InputPlace = path === 'body' || path.startsWith('body.') ? 'body' : 'query';
    const field = path.replace(/^body\./, '');
    const excess = /^"(.+)" is an excess property/s.exec(message)?.[1];
    if (excess !== undefined) {
      return { in: place, field: fieldName(nested(path, excess)), message: UNKNOWN_FIELD };
    }
    return {
      in: place,
      field: fieldName(field),
      message: value === undefined ? 'is required' : plain(message),
    };
  });
  const onlyUnknown = faults.every((fault) => fault.message === UNKNOWN_FIELD);
  return new BadInputError(onlyUnknown ? 'unknown_parameter' : 'validation_failed', faults);
}

/** tsoa names the field that is too many, or the object that it stands in. */
function nested(path: string, excess: string): string {
  const parent = path.replace(/^body\.?/, '');
  return parent === '' || parent === excess || parent.endsWith(`.${excess}`)
    ? parent || excess
    : `${parent}.${excess}`;
}

const TYPE_WORDS: Record<string, string> = {
  string: 'a text',
  float: 'a number',
  double: 'a number',
  integer: 'a whole number',
  object: 'an object',
};

function plain(message: string): string {
  const union = /^Could not match the union against any of the items. Issues: (.*)$/s.exec(message)?.[1];
  if (union !== undefined) return `must be one of ${literals(union).join(', ')}`;
  const type = /^invalid (\w+)(?: value| number)?$/.exec(message)?.[1];
  if (type !== undefined) return `must be ${TYPE_WORDS[type] ?? `of type ${type}`}`;
  return message.slice(0, 200);
}

/** Parsed, because the same text has the client's value in it: a choice is only what tsoa itself says. */
function literals(issues: string): string[] {
  const found = JSON.parse(issues) as Record<string, { message: string }>[];
  const messages = found.flatMap((issue) => Object.values(issue).map(({ message }) => message));
  return messages.flatMap(
    (message) => /^should be one of the following; \['([a-z_]+)'\]$/.exec(message)?.[1] ?? [],
  );
}

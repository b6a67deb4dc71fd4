import { invalidField, Refusal } from './problems.ts';

/** A percent sign that encodes nothing means itself, as in `q=100%`. */
const BARE_PERCENT = /%(?![0-9a-f]{2})/gi;

/**
 * Reads the query of a call. The platform checks the values; the names are checked here, so that no credential and no unknown filter of a
 * visitor reaches it.
 * @param text what follows the question mark
 * @throws Refusal unknown_parameter, duplicate_parameter or validation_failed (400)
 */
export function readQuery(text: string, allowed: readonly string[]): URLSearchParams {
  assertDecodable(text);
  // A colon would stay with the name, and so would a second question mark: URLSearchParams drops only the first one of its text.
  const query = new URLSearchParams(`?${text}`);
  const names = [...query.keys()];
  const unknown = [...new Set(names.filter((name) => !allowed.includes(name)))];
  if (unknown.length > 0) throw invalidNames('unknown_parameter', unknown, 'is not a parameter of this call');
  const repeated = [...new Set(names.filter((name, at) => names.indexOf(name) !== at))];
  if (repeated.length > 0) throw invalidNames('duplicate_parameter', repeated, 'must be sent once');
  // One address for the same question, however it is written.
  query.sort();
  return query;
}

function assertDecodable(text: string): void {
  try {
    decodeURIComponent(text.replace(BARE_PERCENT, '%25'));
  } catch {
    throw invalidField('query', 'query', 'must be percent-encoded UTF-8');
  }
}

const NAMES_MAX = 20;

function invalidNames(
  code: 'unknown_parameter' | 'duplicate_parameter',
  names: string[],
  message: string,
): Refusal {
  const shown = names
    .slice(0, NAMES_MAX)
    .map((name) => (/^[\w.-]{1,64}$/.test(name) ? name : '(unreadable)'));
  return new Refusal(code, `${shown.join(', ')} ${message}.`, {
    errors: shown.map((field) => ({ in: 'query', field, message })),
  });
}

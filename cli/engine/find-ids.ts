import { findIdsBeginningWith } from '../../services/api/health/known-names.repository';
import type { Db } from '../../services/platform/database/database';
import { AppError } from '../../services/platform/errors';
import { isUuid } from '../../services/platform/forms/text-forms';
import { findQueueIdsBeginningWith } from '../../services/webhook-queue/inspect-queue';
import { flagName, optionKey, type Verb } from './command';
import type { CompletedLine } from './complete-values';
import { UsageError } from './failure';
import { argumentsOf, type IdKind, isIdKind, namedByFlag, OBJECT_NAMES } from './named-values';
import { pluralOf } from '../terminal/text';

/** The code of the error that the commands throw for an unknown id. */
const UNKNOWN: Record<IdKind, string> = {
  apiKey: 'api_key_not_found',
  widgetToken: 'widget_token_not_found',
  hold: 'hold_not_found',
  endpoint: 'endpoint_not_found',
  delivery: 'delivery_not_found',
  import: 'import_not_found',
};

class UnknownIdError extends AppError {
  readonly code: string;

  constructor(kind: IdKind, start: string) {
    super(`There is no ${OBJECT_NAMES[kind]} whose id begins with ${start}`);
    this.code = UNKNOWN[kind];
  }
}

/**
 * Replaces the beginning of each id in a command line by the whole id. Keeps a complete id, because the command itself refuses an unknown
 * one.
 * @throws UsageError if several ids begin with the text; UnknownIdError
 */
export async function findIds(
  db: Db,
  verb: Verb,
  noun: string | undefined,
  { args, options }: CompletedLine,
): Promise<CompletedLine> {
  const found = { args: [...args], options: { ...options } };
  for (const [i, { name, kind }] of argumentsOf(verb, noun).entries()) {
    if (isIdKind(kind)) found.args[i] = await findId(db, kind, `<${name}>`, args[i]);
  }
  for (const flag of verb.flags ?? []) {
    const kind = namedByFlag(flag);
    const key = optionKey(flag);
    if (isIdKind(kind)) found.options[key] = await findId(db, kind, flagName(flag), options[key]);
  }
  return found;
}

/** The most candidates that an error lists. */
const LISTED_MAX = 10;

/** @param name name of the argument or flag in messages; @param given undefined: not given */
async function findId(db: Db, kind: IdKind, name: string, given: unknown): Promise<string | undefined> {
  if (typeof given !== 'string' || isComplete(kind, given)) return given as string | undefined;
  const ids = await findBeginningWith(db, kind, given, LISTED_MAX + 1);
  if (ids[0] === undefined) throw new UnknownIdError(kind, given);
  if (ids.length === 1) return ids[0];
  const listed = ids.length > LISTED_MAX ? [...ids.slice(0, LISTED_MAX), '…'] : ids;
  const objects = pluralOf(OBJECT_NAMES[kind]);
  throw new UsageError(
    `${name} ${given} is the beginning of several ids of ${objects}; give more of it:\n${listed.join('\n')}`,
  );
}

function isComplete(kind: IdKind, text: string): boolean {
  return kind === 'apiKey' || kind === 'widgetToken' ? text.length === 12 : isUuid(text);
}

function findBeginningWith(db: Db, kind: IdKind, start: string, limit: number): Promise<string[]> {
  return kind === 'endpoint' || kind === 'delivery'
    ? findQueueIdsBeginningWith(db, kind, start, limit)
    : findIdsBeginningWith(db, kind, start, limit);
}

import type { CredentialKind } from '../../services/api/credentials/token';
import { listCredentials } from '../../services/api/credentials/manage-credentials';
import { findIdsBeginningWith } from '../../services/api/health/known-names.repository';
import { listHolds } from '../../services/api/holds/find-hold';
import { ANY_TENANT } from '../../services/api/tenants/tenant';
import type { Db } from '../../services/platform/database';
import { AppError } from '../../services/platform/errors';
import { isUuid } from '../../services/platform/text-forms';
import { findDeliveries } from '../../services/webhook-queue/deliveries/find-deliveries';
import { listEndpoints } from '../../services/webhook-queue/endpoints/endpoint.repository';
import { findQueueIdsBeginningWith } from '../../services/webhook-queue/inspect-queue';
import type { CompletedLine } from './complete-values';
import type { Basics, Context } from './context';
import { UsageError } from './failure';
import type { IdKind, IdPlace } from './named-values';
import { askFromList, type Choice } from '../terminal/prompts';
import { shortTime } from '../terminal/table';
import { countOf, pluralOf } from '../terminal/text';

/* Finds the ids of a command line: completes the beginning of an id, and lets the person choose a missing id. */

/** The objects of one kind of ids. */
interface IdSource {
  /** Name of one object in messages. */
  name: string;
  /** The code of the error that the commands throw for an unknown id. */
  unknown: string;
  isComplete: (text: string) => boolean;
  /** Returns the ids that begin with the text. */
  beginningWith: (db: Db, start: string, limit: number) => Promise<string[]>;
  /** Returns the objects that a person may mean, newest first. */
  choices: (db: Db, limit: number) => Promise<Choice[]>;
}

const SOURCES: Record<IdKind, IdSource> = {
  apiKey: credentials('apiKey', 'api_key', 'API key'),
  widgetToken: credentials('widgetToken', 'widget_token', 'widget token'),
  hold: {
    name: 'hold',
    unknown: 'hold_not_found',
    isComplete: isUuid,
    beginningWith: (db, start, limit) => findIdsBeginningWith(db, 'hold', start, limit),
    choices: async (db, limit) => {
      const holds = await listHolds(db, ANY_TENANT, { status: 'active', limit });
      return holds.map(({ id, tenant, tour, departureDate, quantity }) =>
        choice(id, tenant.slug, tour.slug, departureDate, countOf(quantity, 'seat')),
      );
    },
  },
  endpoint: {
    name: 'webhook endpoint',
    unknown: 'endpoint_not_found',
    isComplete: isUuid,
    beginningWith: (db, start, limit) => findQueueIdsBeginningWith(db, 'endpoint', start, limit),
    choices: async (db, limit) => {
      const endpoints = await listEndpoints(db, { limit });
      return endpoints.map(({ id, tenant, status, url }) => choice(id, tenant, status, url));
    },
  },
  delivery: {
    name: 'delivery',
    unknown: 'delivery_not_found',
    isComplete: isUuid,
    beginningWith: (db, start, limit) => findQueueIdsBeginningWith(db, 'delivery', start, limit),
    choices: async (db, limit) => {
      const deliveries = await findDeliveries(db, {}, limit);
      return deliveries.map(({ id, tenant, status, eventType, bookingRef }) =>
        choice(id, tenant, status, eventType, bookingRef),
      );
    },
  },
};

function credentials(names: 'apiKey' | 'widgetToken', kind: CredentialKind, name: string): IdSource {
  return {
    name,
    unknown: `${kind}_not_found`,
    isComplete: (text) => text.length === 12,
    beginningWith: (db, start, limit) => findIdsBeginningWith(db, names, start, limit),
    choices: async (db, limit) => {
      const live = await listCredentials(db, kind, undefined, { status: 'live', limit });
      return live.map((one) => {
        const purpose = 'scopes' in one ? (one.name ?? one.website) : one.origins.join(' ');
        return choice(one.id, one.tenant, shortTime(one.createdAt), purpose);
      });
    },
  };
}

/** @param facts facts that distinguish this object from others, the most useful one first */
function choice(id: string, ...facts: (string | null)[]): Choice {
  return { value: id, name: [id, ...facts.filter((fact) => fact !== null)].join('  ') };
}

/** The most objects to choose from, and the most candidates that an error names. */
const MOST = { choices: 200, candidates: 10 };

class UnknownIdError extends AppError {
  readonly code: string;

  constructor({ name, unknown }: IdSource, start: string) {
    super(`There is no ${name} whose id begins with ${start}`);
    this.code = unknown;
  }
}

/**
 * Completes the ids of a command line. Lets the person choose a missing id from a list. Replaces the beginning of an id by the whole id.
 * Keeps a complete id, because the command itself refuses an unknown one.
 * @throws UsageError if several ids begin with the text, or if there is nothing to choose from; UnknownIdError; CancelledError
 */
export async function findIds(
  { db, io, output }: Context,
  places: IdPlace[],
  { args, options }: CompletedLine,
): Promise<CompletedLine> {
  const found = { args: [...args], options: { ...options } };
  for (const { kind, name, at } of places) {
    const values = (typeof at === 'number' ? found.args : found.options) as Record<string | number, unknown>;
    const given = values[at] as string | undefined;
    // An argument is missing here only on a terminal. A flag that is missing here is optional.
    if (given !== undefined) values[at] = await completeId(db, kind, name, given);
    else if (typeof at === 'number') values[at] = await chooseId(db, kind, name, { io, output });
  }
  return found;
}

async function completeId(db: Db, kind: IdKind, name: string, given: string): Promise<string> {
  const source = SOURCES[kind];
  if (source.isComplete(given)) return given;
  const ids = await source.beginningWith(db, given, MOST.candidates + 1);
  if (ids.length > 1) throw ambiguous(source, name, given, ids);
  if (ids[0] === undefined) throw new UnknownIdError(source, given);
  return ids[0];
}

function ambiguous(source: IdSource, name: string, given: string, ids: string[]): UsageError {
  const [shown, more] = [ids.slice(0, MOST.candidates), ids.length > MOST.candidates ? ['…'] : []];
  const sentence = `${name} ${given} is the beginning of several ids of ${pluralOf(source.name)}; give more of it`;
  return new UsageError([`${sentence}:`, ...shown, ...more].join('\n'));
}

async function chooseId(db: Db, kind: IdKind, name: string, { io, output }: Basics): Promise<string> {
  const source = SOURCES[kind];
  const choices = await source.choices(db, MOST.choices);
  if (choices.length === 0)
    throw new UsageError(`${name} is missing, and there is no ${source.name} to choose from`);
  if (choices.length === MOST.choices) output.note(`The newest ${MOST.choices} can be chosen`);
  return askFromList(io, `Which ${source.name}?`, choices);
}

import { findContinents } from '../../services/api/catalog/known-continents';
import { findSimilarNames, type NameKind } from '../../services/api/health/known-names.repository';
import type { Db } from '../../services/platform/database';
import { AppError } from '../../services/platform/errors';
import { findDeliveries } from '../../services/webhook-queue/deliveries/find-deliveries';
import { listEndpoints } from '../../services/webhook-queue/endpoints/endpoint.repository';
import { didYouMean, nearest } from './nearest';

/** Returns names that may be meant by a typed one. */
type FindNames = (db: Db, typed: string) => Promise<string[]>;

const similar =
  (kind: NameKind): FindNames =>
  (db, typed) =>
    findSimilarNames(db, kind, typed);

/** The newest deliveries are compared; there may be millions. */
const DELIVERIES_COMPARED = 1000;

/** The kind of id that an error's code calls unknown. */
const UNKNOWN: Record<string, FindNames> = {
  tenant_not_found: similar('tenant'),
  tour_not_found: similar('tour'),
  continent_not_found: findContinents,
  api_key_not_found: similar('apiKey'),
  widget_token_not_found: similar('widgetToken'),
  hold_not_found: similar('hold'),
  booking_not_found: similar('booking'),
  delivery_not_found: async (db) => (await findDeliveries(db, {}, DELIVERIES_COMPARED)).map(({ id }) => id),
  endpoint_not_found: async (db) => (await listEndpoints(db)).map(({ id }) => id),
};

const MOST_SUGGESTED = 3;

/**
 * Adds the nearest names to the message of an error about an unknown one.
 * @param words the values of the command line, in which the unknown name is
 */
export async function suggestNames(db: Db, error: unknown, words: readonly string[]): Promise<void> {
  const findNames = error instanceof AppError ? UNKNOWN[error.code] : undefined;
  if (!findNames) return;
  for (const word of words) {
    const names = await findNames(db, word);
    if (names.includes(word)) continue;
    const near = nearest(word, names);
    const meant = near.length > 0 ? near : names.filter((name) => name.includes(word));
    if (meant.length === 0) continue;
    (error as AppError).message += didYouMean(meant.slice(0, MOST_SUGGESTED));
    return;
  }
}

import type { Db } from '../../platform/database/database';
import type { CachedReads } from '../../platform/read-cache/read-cache';
import { type Tenant, tenantVersion } from '../tenants/tenant';
import { baseLanguages, languageOfName, readTourLanguages, type PreferredLanguages } from './tour-text';
import type { Tour } from './tour';
import { findLanguageCombinations, findLanguageOfName, findTenantLanguages } from './translation.repository';

const KEY = 'languages of the catalog';

/** The languages of all translated tours. */
interface CatalogLanguages {
  /** Reduces a preference to the languages that the catalog has, so that many preferences share one cache entry. */
  reduce(tags: string[]): PreferredLanguages;
}

/** The largest number of preferred tags that have an effect. Tags for which the catalog has no language do not count. */
const PREFERRED_MAX = 10;

/** @param combinations the values of `languages` in tour_names, as in readTourLanguages */
function createCatalogLanguages(combinations: string[]): CatalogLanguages {
  const tours = combinations.map(readTourLanguages);
  const byTag = new Map<string, string>();
  for (const { own, translated } of tours)
    for (const language of [own, ...translated]) byTag.set(language.toLowerCase(), language);
  const [first, ...others] = new Set(tours.map(({ own }) => own));
  // The language that every tour has. A tour is never shown in a language that is preferred after this one.
  const common = others.length === 0 ? first : undefined;
  return {
    reduce(tags) {
      const preferred: PreferredLanguages = [];
      for (const tag of tags) {
        const fitting = baseLanguages(tag).flatMap((base) => byTag.get(base) ?? []);
        if (fitting.every((language) => preferred.flat().includes(language))) continue;
        if (fitting[0] === common || preferred.length === PREFERRED_MAX) break;
        preferred.push(fitting);
        if (common !== undefined && fitting.includes(common)) break;
      }
      return preferred;
    },
  };
}

/** Reduces a preference to the languages that the catalog has. Undefined: the request prefers no language. */
export async function reducePreference(
  { db, cache }: CachedReads,
  tags: string[] | undefined,
): Promise<PreferredLanguages | undefined> {
  if (!tags) return undefined;
  const languages = await cache.get(KEY, async () => {
    const combinations = await findLanguageCombinations(db);
    return { value: createCatalogLanguages(combinations), until: Infinity, size: combinations.length };
  });
  return languages.reduce(tags);
}

/**
 * Reduces a preference as reducePreference does, without a query. Returns undefined if the languages of the catalog are not in the cache: a request that
 * calls reducePreference puts them there.
 */
export function reduceCachedPreference(
  { cache }: CachedReads,
  tags: string[],
): PreferredLanguages | undefined {
  return cache.peek<CatalogLanguages>(KEY)?.reduce(tags);
}

/** Returns the result of findTenantLanguages, from the cache if possible. */
export async function cachedTenantLanguages({ db, cache }: CachedReads, tenant: Tenant): Promise<string[]> {
  const key = JSON.stringify(['languages', tenantVersion(tenant)]);
  return cache.get(key, async () => ({
    value: await findTenantLanguages(db, tenant),
    until: Infinity,
    size: 1,
  }));
}

/**
 * Returns the language in which an earlier answer has shown a tour. Returns the tour's own language if the translation has changed since.
 * @param tour its own name and language
 * @param shown the name in the earlier answer
 */
export async function languageOfEarlierName(
  db: Db,
  { id, name, language }: Pick<Tour, 'id' | 'name' | 'language'>,
  shown: string,
): Promise<string> {
  if (shown === name) return language;
  return (await findLanguageOfName(db, id, shown)) ?? language;
}

/** The languages that a list shows, for its statement. */
export interface ListLanguages {
  /** The combinations of languages that tours have, as in tour_names. */
  combinations: string[];
  /** For each combination, the language in which its tours show their name. */
  shown: string[];
}

/**
 * Returns the languages that a list shows. Reads them from the database, because a list with older combinations would lack the tours of
 * a new one. Undefined: every tour is shown in its own language.
 */
export async function findListLanguages(
  db: Db,
  preferred: PreferredLanguages,
): Promise<ListLanguages | undefined> {
  if (preferred.length === 0) return undefined;
  const combinations = await findLanguageCombinations(db);
  const shown = combinations.map((languages) => languageOfName(preferred, readTourLanguages(languages)));
  return { combinations, shown };
}

import type { ReadCacheValidity } from '../platform/read-cache/validity';
import { createReadCache, type CachedReads, type ReadCache } from '../platform/read-cache/read-cache';
import type { Db } from '../platform/database';
import { type CredentialSource, cachedCredentials } from './credentials/credential-source';

const CATALOG_KIB = 32 * 1024;
const ANSWERS_KIB = 32 * 1024;

/** Creates three read caches, so that many different requests evict neither credentials nor the reads of the catalog. */
export function createCachedReads(
  db: Db,
  validity: ReadCacheValidity,
): CachedReads & { answers: ReadCache; credentials: CredentialSource } {
  return {
    db,
    cache: createReadCache(validity, 'catalog', CATALOG_KIB),
    answers: createReadCache(validity, 'answers', ANSWERS_KIB),
    credentials: cachedCredentials(db, validity),
  };
}

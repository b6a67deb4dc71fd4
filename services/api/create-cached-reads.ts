import type { ReadCacheValidity } from '../platform/read-cache/validity';
import { createReadCache, type CachedReads } from '../platform/read-cache/read-cache';
import type { Db } from '../platform/database';
import { type CredentialSource, cachedCredentials } from './credentials/credential-source';

const CATALOG_KIB = 32 * 1024;

/** Creates the read caches. Credentials have their own, so that many searches cannot evict them. */
export function createCachedReads(
  db: Db,
  validity: ReadCacheValidity,
): CachedReads & { credentials: CredentialSource } {
  return {
    db,
    cache: createReadCache(validity, 'catalog', CATALOG_KIB),
    credentials: cachedCredentials(db, validity),
  };
}

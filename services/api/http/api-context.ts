import type { Request } from 'express';
import {
  type CachedReads,
  type ReadCache,
  type ReadCacheValidity,
  createReadCache,
} from '../../platform/read-cache/read-cache';
import type { Config } from '../../platform/config/config';
import type { Db } from '../../platform/database/database';
import type { InTurn } from './in-turn';
import type { Logger } from '../../platform/logger';
import type { Readiness } from '../../platform/readiness';
import type { QuotaStore } from '../../platform/shared-store/quota-store';
import { type CredentialSource, cachedCredentials } from '../credentials/credential-source';
import type { UseRecorder } from '../credentials/record-use';
import type { Secrets } from '../../platform/secrets';
import type { UnfinishedBodies } from './unfinished-bodies';

/** The secrets of the API. Without `secretsKey` it works, except that a reseller cannot subscribe to notifications. */
export type ApiSecrets = Pick<Secrets, 'cursorKey' | 'keyPepper'> & Partial<Pick<Secrets, 'secretsKey'>>;

/** The objects that requests use. main.ts or a test creates them. */
export interface ApiContext extends CachedReads {
  config: Config;
  secrets: ApiSecrets;
  /**
   * The pool for authentication and for what a write reads before its transaction. It is separate, so that reads take no connection from
   * them.
   */
  db: Db;
  /** The pool for reads. Only read-share.ts uses it, which gives each key its share. */
  reads: Db;
  /** The pool for writes. It is separate, so that writes which wait for a locked departure take no connection from reads. */
  writes: Db;
  log: Logger;
  credentials: CredentialSource;
  /** Complete answers of reads (cached-answers.ts). */
  answers: ReadCache;
  quotas: QuotaStore;
  uses: UseRecorder;
  /** Answers /readyz. */
  readiness: Readiness;
  /** Runs writes that have the same idempotency key one after another. */
  inTurn: InTurn;
  /** Limits the reads of each key that run at a time. */
  readsInTurn: InTurn;
  bodies: UnfinishedBodies;
}

export function contextOf(request: Request): ApiContext {
  return request.app.locals.context as ApiContext;
}

const CATALOG_KIB = 32 * 1024;
const ANSWERS_KIB = 32 * 1024;

/** Creates three separate read caches, so that many different requests cannot evict credentials or the reads of the catalog. */
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

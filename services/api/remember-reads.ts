import type { ChangeLease } from '../platform/change-lease/change-lease';
import { createLeasedCache, type LeasedReads } from '../platform/change-lease/leased-cache';
import type { Db } from '../platform/database';
import { type CredentialSource, leasedCredentials } from './credentials/credential-source';

const CATALOG_KIB = 32 * 1024;

/** Reads that are remembered while the lease holds: credentials apart, so that no flood of searches drives them out. */
export function rememberReads(db: Db, lease: ChangeLease): LeasedReads & { credentials: CredentialSource } {
  return {
    db,
    leased: createLeasedCache(lease, 'catalog', CATALOG_KIB),
    credentials: leasedCredentials(db, lease),
  };
}

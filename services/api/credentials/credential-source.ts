import type { ChangeLease } from '../../platform/change-lease/change-lease';
import { createLeasedCache, type Remembered } from '../../platform/change-lease/leased-cache';
import type { Db } from '../../platform/database';
import { mayBeUsed } from '../tenants/tenant';
import {
  findStoredApiKey,
  findStoredWidgetToken,
  type StoredApiKey,
  type StoredCredential,
  type StoredWidgetToken,
} from './credential.repository';

/** Where a credential is looked up by its public id. What is found proves nothing: the secret is compared each time. */
export interface CredentialSource {
  apiKey(id: string): Promise<StoredApiKey | undefined>;
  widgetToken(id: string): Promise<StoredWidgetToken | undefined>;
}

/** Asks each time. */
export function databaseCredentials(db: Db): CredentialSource {
  return {
    apiKey: (id) => findStoredApiKey(db, id),
    widgetToken: (id) => findStoredWidgetToken(db, id),
  };
}

const KIB_EACH = 2;
const CREDENTIALS = 10_000;

/** Asks once a version for each that serves. What is unknown, or serves no more, is asked for again each time. */
export function leasedCredentials(db: Db, lease: ChangeLease): CredentialSource {
  const cache = createLeasedCache(lease, 'credentials', CREDENTIALS * KIB_EACH);
  const asked = databaseCredentials(db);
  return {
    apiKey: (id) => cache.recall(`key ${id}`, async () => remember(await asked.apiKey(id))),
    widgetToken: (id) => cache.recall(`token ${id}`, async () => remember(await asked.widgetToken(id))),
  };
}

function remember<C extends StoredCredential>(found: C | undefined): Remembered<C | undefined> {
  const serves = found && !found.revoked && !found.expired && mayBeUsed(found.tenant);
  return { value: found, until: serves ? (found.expiresAt?.getTime() ?? Infinity) : 0, size: KIB_EACH };
}

import {
  type ReadCacheValidity,
  createReadCache,
  type CachedEntry,
} from '../../platform/read-cache/read-cache';
import type { Db } from '../../platform/database/database';
import { mayBeUsed } from '../tenants/tenant';
import {
  findDigest,
  findStoredApiKey,
  findStoredWidgetToken,
  type StoredApiKey,
  type StoredCredential,
  type StoredWidgetToken,
} from './credential.repository';
import { type CredentialKind, type OfferedToken, provesSecret } from './token';

/**
 * Looks up credentials. Does the same for a wrong secret and for an unknown id: runs the same query, gets a result of the same form, and
 * caches nothing. So the response time does not reveal which ids exist.
 */
export interface CredentialSource {
  /** Returns the API key whose secret the token contains. Undefined for a wrong secret and for an unknown id. */
  apiKey(offered: OfferedToken): Promise<StoredApiKey | undefined>;
  widgetToken(offered: OfferedToken): Promise<StoredWidgetToken | undefined>;
  /** Returns the widget token of a caller that has an embed pass. The caller proved the secret of the token when it got the pass. */
  widgetTokenById(id: string): Promise<StoredWidgetToken | undefined>;
  /** Returns the usable API key of the token if it is cached. @param digest the result of sha256Of */
  cachedApiKey(digest: string): StoredApiKey | undefined;
  cachedWidgetToken(digest: string): StoredWidgetToken | undefined;
}

/** Returns the API key or widget token whose secret the token contains. Undefined for a wrong secret and for an unknown id. */
export function proveToken(
  credentials: CredentialSource,
  offered: OfferedToken,
): Promise<StoredCredential | undefined> {
  return offered.kind === 'api_key' ? credentials.apiKey(offered) : credentials.widgetToken(offered);
}

/** Returns a source that queries the database on every call. */
export function databaseCredentials(db: Db): CredentialSource {
  const isProven = async (offered: OfferedToken) =>
    provesSecret(offered, await findDigest(db, offered.kind, offered.id));
  return {
    apiKey: async (offered) => ((await isProven(offered)) ? findStoredApiKey(db, offered.id) : undefined),
    widgetToken: async (offered) =>
      (await isProven(offered)) ? findStoredWidgetToken(db, offered.id) : undefined,
    widgetTokenById: (id) => findStoredWidgetToken(db, id),
    cachedApiKey: () => undefined,
    cachedWidgetToken: () => undefined,
  };
}

const KIB_EACH = 2;
const CREDENTIALS = 10_000;

/**
 * Returns a source that caches usable credentials while the read cache is valid. The cache key is the digest of the complete token, so a
 * hit proves the secret. For other credentials it queries the database on every call.
 */
export function cachedCredentials(db: Db, validity: ReadCacheValidity): CredentialSource {
  const cache = createReadCache(validity, 'credentials', CREDENTIALS * KIB_EACH);
  const database = databaseCredentials(db);
  const keyOf = (kind: CredentialKind, digest: string) => `${kind} ${digest}`;
  const keyOfOffered = ({ kind, digests }: OfferedToken) => keyOf(kind, digests.sha256.toString('base64url'));
  return {
    apiKey: (offered) =>
      cache.get(keyOfOffered(offered), async () => cacheEntry(await database.apiKey(offered))),
    widgetToken: (offered) =>
      cache.get(keyOfOffered(offered), async () => cacheEntry(await database.widgetToken(offered))),
    widgetTokenById: (id) =>
      cache.get(`token ${id}`, async () => cacheEntry(await database.widgetTokenById(id))),
    cachedApiKey: (digest) => cache.peek(keyOf('api_key', digest)),
    cachedWidgetToken: (digest) => cache.peek(keyOf('widget_token', digest)),
  };
}

function cacheEntry<C extends StoredCredential>(found: C | undefined): CachedEntry<C | undefined> {
  const usable = found && !found.revoked && !found.expired && mayBeUsed(found.tenant);
  return { value: found, until: usable ? (found.expiresAt?.getTime() ?? Infinity) : 0, size: KIB_EACH };
}

import type { Db, Trx } from '../../platform/database';
import { mayBeUsed } from '../tenants/tenant';
import { TENANT_MAY_BE_USED } from '../tenants/tenant-row';
import { lockForUse } from '../tenants/use-lock';
import {
  InsufficientScopeError,
  InvalidApiKeyError,
  InvalidWidgetTokenError,
  KeyExpiredError,
  KeyRevokedError,
  TenantInactiveError,
  UnusableWidgetTokenError,
  WrongCredentialTypeError,
} from './credential.errors';
import {
  findStoredApiKey,
  findStoredApiKeys,
  type StoredApiKey,
  type StoredWidgetToken,
} from './credential.repository';
import { type CredentialSource, proveToken } from './credential-source';
import { offeredToken, type OfferedToken } from './token-digest';

import type { ApiKeyPrincipal, Scope, WidgetPrincipal } from './credential';

import { effectiveOrigins } from '../tenants/origins';

import type { CredentialKind } from './token-format';

/**
 * Verifies an API key and its scope. A malformed key costs no query.
 * @param scope undefined: any key
 * @throws CredentialError with the first reason that applies
 */
export async function verifyApiKey(
  credentials: CredentialSource,
  pepper: string | undefined,
  token: string,
  scope: Scope | undefined,
): Promise<ApiKeyPrincipal> {
  const offered = offeredToken(token, pepper);
  if (offered?.kind !== 'api_key') return refuseMisplaced(credentials, offered, 'api_key');
  const key = await credentials.apiKey(offered);
  if (!key) throw new InvalidApiKeyError();
  return toApiKeyPrincipal(key, scope);
}

/**
 * Checks the key of a running request again, always in the database.
 * @throws CredentialError if the key was revoked, has expired, or the tenant was suspended since
 */
export async function assertKeyStillServes(db: Db, { keyId, scope }: ApiKeyPrincipal): Promise<void> {
  const key = await findStoredApiKey(db, keyId);
  if (!key) throw new InvalidApiKeyError();
  toApiKeyPrincipal(key, scope);
}

/** The check of assertKeyStillServes for requests with any of several keys. */
export interface KeyCheck {
  /** Keys that another transaction is changing, or whose tenant it is changing. */
  busy: Set<string>;
  /** @throws CredentialError; do not call it for a busy key */
  assertKeyServes(principal: ApiKeyPrincipal): void;
}

/**
 * Reads keys again, and locks them and their tenants until the transaction ends, so that no revocation or suspension commits before it.
 * @param wait false: a key is `busy` while another transaction changes it or its tenant
 */
export async function createKeyCheck(
  trx: Trx,
  principals: ApiKeyPrincipal[],
  wait: boolean,
): Promise<KeyCheck> {
  return readKeyCheck(trx, principals, await lockForUse(trx, idsInUse(principals), wait));
}

/** Returns the ids to lock for the use of these keys: theirs and their tenants'. */
export function idsInUse(principals: ApiKeyPrincipal[]): string[] {
  return [...new Set(principals.flatMap(({ keyId, tenant }) => [keyId, tenant.id]))];
}

/**
 * Reads keys again.
 * @param locked the ids of idsInUse that are locked; the keys of the others are `busy`
 */
export async function readKeyCheck(
  trx: Trx,
  principals: ApiKeyPrincipal[],
  locked: ReadonlySet<string>,
): Promise<KeyCheck> {
  const tenantOf = new Map(principals.map(({ keyId, tenant }) => [keyId, tenant.id]));
  const keyIds = [...tenantOf.keys()];
  const stored = keyIds.length > 0 ? await findStoredApiKeys(trx, keyIds) : [];
  const keys = new Map(stored.map((key) => [key.id, key]));
  return {
    busy: new Set(keyIds.filter((id) => !locked.has(id) || !locked.has(tenantOf.get(id)!))),
    assertKeyServes: ({ keyId, scope }) => {
      const key = keys.get(keyId);
      if (!key) throw new InvalidApiKeyError();
      toApiKeyPrincipal(key, scope);
    },
  };
}

function toApiKeyPrincipal(key: StoredApiKey, scope: Scope | undefined): ApiKeyPrincipal {
  if (key.revoked) throw new KeyRevokedError(key.tenant);
  if (key.expired) throw new KeyExpiredError(key.tenant);
  if (!mayBeUsed(key.tenant)) throw new TenantInactiveError(key.tenant);
  const { id: keyId, familyId, scopes, tenant } = key;
  const principal = { kind: 'api_key', keyId, familyId, scope, scopes, tenant } as const;
  if (scope !== undefined) assertScope(principal, scope);
  return principal;
}

/**
 * Checks a scope of the caller's key, for a call whose scope depends on its data.
 * @throws InsufficientScopeError (401)
 */
export function assertScope(principal: ApiKeyPrincipal, scope: Scope): void {
  if (!principal.scopes.includes(scope)) throw new InsufficientScopeError({ ...principal, scope });
}

/**
 * Returns the result of verifyApiKey if the key is cached and has the scope. Undefined: verifyApiKey decides.
 * @param digest from sha256Of
 */
export function cachedApiKeyPrincipal(
  credentials: CredentialSource,
  digest: string,
  scope: Scope | undefined,
): ApiKeyPrincipal | undefined {
  const key = credentials.cachedApiKey(digest);
  return key && (scope === undefined || key.scopes.includes(scope))
    ? toApiKeyPrincipal(key, scope)
    : undefined;
}

/** Returns the result of verifyWidgetToken if the token is cached. */
export function cachedWidgetPrincipal(
  credentials: CredentialSource,
  digest: string,
): WidgetPrincipal | undefined {
  const stored = credentials.cachedWidgetToken(digest);
  return stored && toWidgetPrincipal(stored);
}

/**
 * Verifies a widget token. A malformed one costs no query.
 * @throws InvalidWidgetTokenError for an unproven token; UnusableWidgetTokenError with the reason for a proven one;
 *   WrongCredentialTypeError for an API key
 */
export async function verifyWidgetToken(
  credentials: CredentialSource,
  pepper: string | undefined,
  token: string,
): Promise<WidgetPrincipal> {
  const offered = offeredToken(token, pepper);
  if (offered?.kind !== 'widget_token') return refuseMisplaced(credentials, offered, 'widget_token');
  const stored = await credentials.widgetToken(offered);
  if (!stored) throw new InvalidWidgetTokenError();
  return toWidgetPrincipal(stored);
}

/**
 * Verifies the token of a caller that proved the secret before (the pass of the embed page).
 * @throws InvalidWidgetTokenError for an unknown id; UnusableWidgetTokenError with the reason
 */
export async function verifyWidgetTokenById(
  credentials: CredentialSource,
  tokenId: string,
): Promise<WidgetPrincipal> {
  const stored = await credentials.widgetTokenById(tokenId);
  if (!stored) throw new InvalidWidgetTokenError();
  return toWidgetPrincipal(stored);
}

/**
 * Checks whether a live widget token lists this origin, itself or through its tenant. Answers a CORS preflight, which carries no
 * token; the real request is checked again.
 */
export async function isOriginOfSomeLiveToken(db: Db, origin: string): Promise<boolean> {
  const live = `w.revoked_at is null and (w.expires_at is null or w.expires_at > clock_timestamp())
    and ${TENANT_MAY_BE_USED}`;
  // Two subqueries, because each uses its own index; one condition with "or" uses neither.
  const { rows } = await db.raw<{ rows: [{ listed: boolean }] }>(
    `select exists (select from widget_tokens w join tenants t on t.id = w.tenant_id
                    where w.origins @> array[:origin]::text[] and ${live})
         or exists (select from tenants t join widget_tokens w on w.tenant_id = t.id
                    where t.origins @> array[:origin]::text[] and w.origins is null and ${live}) as listed`,
    { origin },
  );
  return rows[0].listed;
}

function toWidgetPrincipal(token: StoredWidgetToken): WidgetPrincipal {
  const { id: tokenId, familyId, tenant, expiresAt } = token;
  const origins = effectiveOrigins(token.ownOrigins, tenant);
  if (token.revoked) throw new UnusableWidgetTokenError('revoked', tenant, origins);
  if (token.expired) throw new UnusableWidgetTokenError('expired', tenant, origins);
  if (!mayBeUsed(tenant)) throw new UnusableWidgetTokenError('tenant_inactive', tenant, origins);
  return { kind: 'widget_token', tokenId, familyId, origins, tenant, expiresAt };
}

/**
 * Refuses a credential of the wrong kind, or in a channel of the other kind.
 * @param offered undefined for a malformed token
 * @param needed the kind that the route takes
 * @throws WrongCredentialTypeError only to a caller that proved the secret; InvalidApiKeyError or InvalidWidgetTokenError to all others
 */
export async function refuseMisplaced(
  credentials: CredentialSource,
  offered: OfferedToken | undefined,
  needed: CredentialKind,
): Promise<never> {
  if (offered && (await proveToken(credentials, offered))) throw new WrongCredentialTypeError(needed);
  throw needed === 'api_key' ? new InvalidApiKeyError() : new InvalidWidgetTokenError();
}

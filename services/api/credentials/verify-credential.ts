import type { Db, Trx } from '../../platform/database/database';
import { mayBeUsed, type Tenant, TENANT_MAY_BE_USED } from '../tenants/tenant';
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
import { findStoredApiKey, type StoredApiKey, type StoredWidgetToken } from './credential.repository';
import { type CredentialSource, proveToken } from './credential-source';
import { type CredentialKind, offeredToken, type OfferedToken } from './token';

import type { ApiKeyPrincipal, Scope, WidgetPrincipal } from './credential';

import { effectiveOrigins } from '../tenants/origins';
import { lockForUse } from '../tenants/use-lock';

/**
 * Verifies an API key and its scope. A malformed key is refused without a query.
 * @param scope undefined: no scope is needed
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
 * Verifies the key of a running request again, always in the database.
 * @returns the caller with its present tenant and scopes
 * @throws CredentialError if the key was revoked, has expired or has lost its scope, or its tenant was suspended meanwhile
 */
export async function verifyKeyAgain(db: Db, { keyId, scope }: ApiKeyPrincipal): Promise<ApiKeyPrincipal> {
  const key = await findStoredApiKey(db, keyId);
  if (!key) throw new InvalidApiKeyError();
  return toApiKeyPrincipal(key, scope);
}

/**
 * Locks the API key of a write and its tenant for use until the transaction ends, then verifies the key again. It must be the first lock
 * of the transaction. A key that serves now serves until COMMIT: the command that ends it waits for this transaction. (Sales do the same for
 * a batch: lockChanges, keyCheckOf.)
 * @returns the caller with its present tenant and scopes
 * @throws CredentialError
 * @rule a write locks its key and tenant, then checks them: test/api/writes-in-flight.long.test.ts
 */
export async function lockKeyForUse(trx: Trx, principal: ApiKeyPrincipal): Promise<ApiKeyPrincipal> {
  await lockForUse(trx, idsInUse([principal]));
  return verifyKeyAgain(trx, principal);
}

/**
 * Verifies, after a transaction has waited for further locks, that the key serves and has the scopes that it had when lockKeyForUse locked it.
 * @throws CredentialError
 * @rule a write that changes no seats checks its key before COMMIT: test/api/waiting-writes.long.test.ts
 */
export async function assertStillServes(trx: Trx, principal: ApiKeyPrincipal): Promise<void> {
  const { scopes } = await verifyKeyAgain(trx, principal);
  for (const scope of principal.scopes) assertScope({ ...principal, scopes }, scope);
}

/** The state of an API key and its tenant when a transaction reads it again. */
export interface ApiKeyState {
  id: string;
  revoked: boolean;
  expired: boolean;
  scopes: Scope[];
  tenantStatus: Tenant['status'];
}

/** Selects the states of the keys `:keyIds`, as ApiKeyState. */
export const API_KEY_STATE = `
  select c.id, c.revoked_at is not null as revoked, coalesce(c.expires_at <= clock_timestamp(), false) as expired, c.scopes,
    t.status as tenant_status
  from api_keys c join tenants t on t.id = c.tenant_id where c.id = any(:keyIds::bpchar[])`;

/**
 * Returns a function that checks the key of a request as verifyKeyAgain does. Instead of a query, it uses the states of keys that were
 * read under their locks.
 * @throws CredentialError
 * @rule a key serves: not revoked, not expired, its tenant active: test/api/authentication.test.ts
 */
export function keyCheckOf(states: ApiKeyState[]): (principal: ApiKeyPrincipal) => void {
  const keys = new Map(states.map((state) => [state.id, state]));
  return (principal) => {
    const state = keys.get(principal.keyId);
    if (!state) throw new InvalidApiKeyError();
    const { scopes, tenantStatus: status } = state;
    assertServes({ ...state, tenant: { ...principal.tenant, status } });
    if (principal.scope !== undefined) assertScope({ ...principal, scopes }, principal.scope);
  };
}

/** Returns the ids to lock for the use of these keys: the ids of the keys and of their tenants. */
export function idsInUse(principals: ApiKeyPrincipal[]): string[] {
  return [...new Set(principals.flatMap(({ keyId, tenant }) => [keyId, tenant.id]))];
}

/** @throws CredentialError for a key that was revoked, has expired, or whose tenant may not be used */
function assertServes({
  revoked,
  expired,
  tenant,
}: Pick<StoredApiKey, 'revoked' | 'expired' | 'tenant'>): void {
  if (revoked) throw new KeyRevokedError(tenant);
  if (expired) throw new KeyExpiredError(tenant);
  if (!mayBeUsed(tenant)) throw new TenantInactiveError(tenant);
}

function toApiKeyPrincipal(key: StoredApiKey, scope: Scope | undefined): ApiKeyPrincipal {
  assertServes(key);
  const { id: keyId, familyId, scopes, tenant } = key;
  const principal = { kind: 'api_key', keyId, familyId, scope, scopes, tenant } as const;
  if (scope !== undefined) assertScope(principal, scope);
  return principal;
}

/**
 * Checks a scope of the caller's key, for a call whose scope depends on its data.
 * @throws InsufficientScopeError (401)
 * @rule a missing scope is a 401: test/api/authentication.test.ts
 */
export function assertScope(principal: ApiKeyPrincipal, scope: Scope): void {
  if (!principal.scopes.includes(scope)) throw new InsufficientScopeError({ ...principal, scope });
}

/**
 * Returns the result of verifyApiKey if the key is cached and has the scope. Otherwise returns undefined, and the caller must call
 * verifyApiKey.
 * @param digest the result of sha256Of
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

/** Returns the result of verifyWidgetToken if the token is cached, otherwise undefined. */
export function cachedWidgetPrincipal(
  credentials: CredentialSource,
  digest: string,
): WidgetPrincipal | undefined {
  const stored = credentials.cachedWidgetToken(digest);
  return stored && toWidgetPrincipal(stored);
}

/**
 * Verifies a widget token. A malformed token is refused without a query.
 * @throws InvalidWidgetTokenError for an unknown id or a wrong secret; UnusableWidgetTokenError, with the reason, for a right secret;
 * WrongCredentialTypeError for an API key
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
 * Verifies the widget token of a caller that has an embed pass. The caller proved the secret of the token when it got the pass.
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
 * Returns whether any live widget token allows this origin, by its own list or by its tenant's. Used for a CORS preflight, which contains
 * no token. The request that follows is checked with its token.
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
 * Refuses a credential of the wrong kind, or one that was sent in the place of the other kind.
 * @param offered undefined for a malformed token
 * @param needed the kind that the route takes
 * @throws WrongCredentialTypeError only to a caller that proved the secret; InvalidApiKeyError or InvalidWidgetTokenError to
 *   all others
 */
export async function refuseMisplaced(
  credentials: CredentialSource,
  offered: OfferedToken | undefined,
  needed: CredentialKind,
): Promise<never> {
  if (offered && (await proveToken(credentials, offered))) throw new WrongCredentialTypeError(needed);
  throw needed === 'api_key' ? new InvalidApiKeyError() : new InvalidWidgetTokenError();
}

import type { Db } from '../../platform/database';
import { mayBeUsed } from '../tenants/tenant';
import {
  InsufficientScopeError,
  InvalidApiKeyError,
  KeyExpiredError,
  KeyRevokedError,
  TenantInactiveError,
  WrongCredentialTypeError,
} from './credential.errors';
import { findStoredApiKey } from './credential.repository';
import { matchesSecret } from './match-secret';
import type { ApiKeyPrincipal } from './principal';
import type { Scope } from './scope';
import { parseToken } from './token-format';

/**
 * Who offers this API key, and may it do that? One look-up, none for a malformed key.
 * @throws CredentialError the first reason of the order below
 */
export async function verifyApiKey(
  db: Db,
  pepper: string | undefined,
  token: string,
  scope: Scope,
): Promise<ApiKeyPrincipal> {
  const parsed = parseToken(token);
  if (!parsed) throw new InvalidApiKeyError();
  if (parsed.kind !== 'api_key') throw new WrongCredentialTypeError('API key');

  const key = await findStoredApiKey(db, parsed.id);
  if (!matchesSecret(key, token, pepper)) throw new InvalidApiKeyError();
  if (key.revoked) throw new KeyRevokedError();
  if (key.expired) throw new KeyExpiredError();
  if (!mayBeUsed(key.tenant)) throw new TenantInactiveError();
  if (!key.scopes.includes(scope)) throw new InsufficientScopeError(scope);
  return { kind: 'api_key', keyId: key.id, familyId: key.familyId, scopes: key.scopes, tenant: key.tenant };
}

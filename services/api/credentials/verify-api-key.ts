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
import { findStoredApiKey, type StoredApiKey } from './credential.repository';
import type { CredentialSource } from './credential-source';
import { matchesSecret } from './match-secret';
import type { ApiKeyPrincipal } from './principal';
import type { Scope } from './scope';
import { parseToken } from './token-format';

/**
 * Who offers this API key, and may it do that? One look-up, none for a malformed key.
 * @throws CredentialError the first reason of the order below
 */
export async function verifyApiKey(
  credentials: CredentialSource,
  pepper: string | undefined,
  token: string,
  scope: Scope,
): Promise<ApiKeyPrincipal> {
  const parsed = parseToken(token);
  if (!parsed) throw new InvalidApiKeyError();
  if (parsed.kind === 'widget_token') {
    const widgetToken = await credentials.widgetToken(parsed.id);
    throw matchesSecret(widgetToken, token, pepper)
      ? new WrongCredentialTypeError('API key')
      : new InvalidApiKeyError();
  }
  const key = await credentials.apiKey(parsed.id);
  if (!matchesSecret(key, token, pepper)) throw new InvalidApiKeyError();
  judge(key, scope);
  return { kind: 'api_key', keyId: key.id, familyId: key.familyId, scope, tenant: key.tenant };
}

/**
 * The same judgement once more, for a request that proved its key a while ago: always of the database, never remembered.
 * @throws CredentialError where the key has been revoked, has expired, or its tenant has been suspended since
 */
export async function assertKeyStillServes(db: Db, { keyId, scope }: ApiKeyPrincipal): Promise<void> {
  const key = await findStoredApiKey(db, keyId);
  if (!key) throw new InvalidApiKeyError();
  judge(key, scope);
}

function judge(key: StoredApiKey, scope: Scope): void {
  if (key.revoked) throw new KeyRevokedError();
  if (key.expired) throw new KeyExpiredError();
  if (!mayBeUsed(key.tenant)) throw new TenantInactiveError();
  if (!key.scopes.includes(scope)) throw new InsufficientScopeError(scope);
}

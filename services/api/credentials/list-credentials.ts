import type { Db } from '../../platform/database';
import type { Tenant } from '../tenants/tenant';
import type { ApiKey, CredentialPage, WidgetToken } from './credential';
import {
  findApiKey,
  findWidgetToken,
  selectApiKeysAtRisk,
  selectApiKeysOf,
  selectWidgetTokensAtRisk,
  selectWidgetTokensOf,
} from './issued-credential.repository';
import { CredentialNotFoundError } from './credential-state.errors';

/**
 * Lists the tenant's keys, newest first, with the expired and revoked ones.
 * @throws CredentialNotFoundError if `after` is unknown
 */
export async function listApiKeys(db: Db, tenant: Tenant, page: CredentialPage): Promise<ApiKey[]> {
  if (page.after !== undefined) await showApiKey(db, page.after);
  return selectApiKeysOf(db, tenant.id, page);
}

/**
 * Lists the tenant's tokens, newest first, with the expired and revoked ones.
 * @throws CredentialNotFoundError if `after` is unknown
 */
export async function listWidgetTokens(db: Db, tenant: Tenant, page: CredentialPage): Promise<WidgetToken[]> {
  if (page.after !== undefined) await showWidgetToken(db, page.after);
  return selectWidgetTokensOf(db, tenant.id, page);
}

/** @throws CredentialNotFoundError */
export async function showApiKey(db: Db, id: string): Promise<ApiKey> {
  const key = await findApiKey(db, id);
  if (!key) throw new CredentialNotFoundError('api_key', id);
  return key;
}

/** @throws CredentialNotFoundError */
export async function showWidgetToken(db: Db, id: string): Promise<WidgetToken> {
  const token = await findWidgetToken(db, id);
  if (!token) throw new CredentialNotFoundError('widget_token', id);
  return token;
}

/** Returns live credentials with a warning, of usable tenants; the earliest expiry comes first. */
export async function findCredentialsAtRisk(
  db: Db,
  limit: number,
): Promise<{ keys: ApiKey[]; tokens: WidgetToken[] }> {
  return {
    keys: await selectApiKeysAtRisk(db, limit),
    tokens: await selectWidgetTokensAtRisk(db, limit),
  };
}

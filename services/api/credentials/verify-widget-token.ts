import type { Db } from '../../platform/database';
import { isDevelopmentOrigin } from '../tenants/allowed-origin';
import { mayBeUsed } from '../tenants/tenant';
import { InvalidWidgetTokenError, WrongCredentialTypeError } from './credential.errors';
import { isOriginListed, type StoredWidgetToken } from './credential.repository';
import type { CredentialSource } from './credential-source';
import { matchesSecret } from './match-secret';
import type { WidgetPrincipal } from './principal';
import { parseToken } from './token-format';

/**
 * Whose page offers this widget token? One look-up, none for a malformed token.
 * @throws InvalidWidgetTokenError whatever is wrong with it; WrongCredentialTypeError for an API key
 */
export async function verifyWidgetToken(
  credentials: CredentialSource,
  pepper: string | undefined,
  token: string,
): Promise<WidgetPrincipal> {
  const parsed = parseToken(token);
  if (!parsed) throw new InvalidWidgetTokenError();
  if (parsed.kind === 'api_key') {
    const key = await credentials.apiKey(parsed.id);
    throw matchesSecret(key, token, pepper)
      ? new WrongCredentialTypeError('widget token')
      : new InvalidWidgetTokenError();
  }
  const stored = await credentials.widgetToken(parsed.id);
  if (!matchesSecret(stored, token, pepper) || !isLive(stored)) throw new InvalidWidgetTokenError();
  return toPrincipal(stored);
}

/** The same judgement without the secret, for a caller that proved it before (the embed page's pass). */
export async function findLiveWidgetToken(
  credentials: CredentialSource,
  tokenId: string,
): Promise<WidgetPrincipal | undefined> {
  const stored = await credentials.widgetToken(tokenId);
  return stored && isLive(stored) ? toPrincipal(stored) : undefined;
}

/** For a CORS preflight, which carries no token: the real request decides. */
export async function isOriginOfSomeLiveToken(db: Db, origin: string): Promise<boolean> {
  return isOriginListed(db, origin);
}

function isLive(token: StoredWidgetToken): boolean {
  return !token.revoked && !token.expired && mayBeUsed(token.tenant);
}

function toPrincipal(token: StoredWidgetToken): WidgetPrincipal {
  return {
    kind: 'widget_token',
    tokenId: token.id,
    familyId: token.familyId,
    origins: originsThatCount(token),
    tenant: token.tenant,
    expiresAt: token.expiresAt,
  };
}

/** The token's own, else its tenant's; those of development only while the tenant is on trial. */
function originsThatCount({ ownOrigins, tenant }: StoredWidgetToken): string[] {
  const origins = ownOrigins ?? tenant.origins;
  return tenant.status === 'trial' ? origins : origins.filter((origin) => !isDevelopmentOrigin(origin));
}

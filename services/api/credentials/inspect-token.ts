import type { Db } from '../../platform/database/database';
import { mayBeUsed } from '../tenants/tenant';
import type { ApiKey, Scope, WidgetToken } from './credential';
import { findStoredApiKey, findStoredWidgetToken, type StoredCredential } from './credential.repository';
import { showCredential } from './manage-credentials';
import { type CredentialKind, offeredToken, provesSecret } from './token';

/** The result of the checks of a token: the first check that fails. The checks run in the same order as the checks of a request. */
export type Verdict =
  'malformed' | 'unknown' | 'wrong_secret' | 'revoked' | 'expired' | 'tenant_inactive' | 'usable';

/** The result of the inspection of a token. A field that the verdict does not reveal is null. */
export interface Inspection {
  verdict: Verdict;
  kind: CredentialKind | null;
  id: string | null;
  tenant: string | null;
  expiresAt: Date | null;
  scopes: Scope[] | null;
  origins: string[] | null;
  credential: ApiKey | WidgetToken | null;
}

const UNKNOWN: Omit<Inspection, 'verdict'> = {
  kind: null,
  id: null,
  tenant: null,
  expiresAt: null,
  scopes: null,
  origins: null,
  credential: null,
};

/**
 * Checks an API key or a widget token without recording a use. Returns details of the owner only if the secret is right. (parseToken and
 * diagnoseToken check the form of a token without a database.)
 */
export async function inspectToken(db: Db, pepper: string | undefined, text: string): Promise<Inspection> {
  const offered = offeredToken(text, pepper);
  if (!offered) return { ...UNKNOWN, verdict: 'malformed' };
  const { kind, id } = offered;
  const stored = await (kind === 'api_key' ? findStoredApiKey(db, id) : findStoredWidgetToken(db, id));
  if (!stored) return { ...UNKNOWN, kind, id, verdict: 'unknown' };
  if (!provesSecret(offered, stored)) return { ...UNKNOWN, kind, id, verdict: 'wrong_secret' };
  const credential = await showCredential(db, kind, id);
  return { ...ownerDetails(credential), verdict: verdictOf(stored), kind, id };
}

function ownerDetails(credential: ApiKey | WidgetToken): Omit<Inspection, 'verdict' | 'kind' | 'id'> {
  const { tenant, expiresAt } = credential;
  const scopes = 'scopes' in credential ? credential.scopes : null;
  const origins = 'origins' in credential ? credential.origins : null;
  return { tenant, expiresAt, scopes, origins, credential };
}

function verdictOf(stored: StoredCredential): Verdict {
  if (stored.revoked) return 'revoked';
  if (stored.expired) return 'expired';
  return mayBeUsed(stored.tenant) ? 'usable' : 'tenant_inactive';
}

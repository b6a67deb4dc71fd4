import type { Db } from '../../platform/database';
import { mayBeUsed } from '../tenants/tenant';
import type { ApiKey, WidgetToken } from './credential';
import { findStoredApiKey, findStoredWidgetToken, type StoredCredential } from './credential.repository';
import { findApiKey, findWidgetToken } from './issued-credential.repository';
import { matchesSecret } from './match-secret';
import type { Scope } from './scope';
import { parseToken, type CredentialKind } from './token-format';

/** Why a token is served or not, in the order in which a request is judged. */
export type Verdict =
  'malformed' | 'unknown' | 'wrong_secret' | 'revoked' | 'expired' | 'tenant_inactive' | 'usable';

export interface Inspection {
  verdict: Verdict;
  /** What follows is null as far as the verdict came before it was known. */
  kind: CredentialKind | null;
  id: string | null;
  tenant: string | null;
  expiresAt: Date | null;
  scopes: Scope[] | null;
  origins: string[] | null;
  credential: ApiKey | WidgetToken | null;
}

const NOTHING: Omit<Inspection, 'verdict'> = {
  kind: null,
  id: null,
  tenant: null,
  expiresAt: null,
  scopes: null,
  origins: null,
  credential: null,
};

/**
 * Judges a token of either kind without using it. What belongs to its owner is told only where the secret is right. What the
 * form alone tells, parseToken and diagnoseToken say without a database.
 */
export async function inspectToken(db: Db, pepper: string | undefined, text: string): Promise<Inspection> {
  const parsed = parseToken(text);
  if (!parsed) return { ...NOTHING, verdict: 'malformed' };
  const { kind, id } = parsed;
  const stored = await (kind === 'api_key' ? findStoredApiKey(db, id) : findStoredWidgetToken(db, id));
  if (!stored) return { ...NOTHING, kind, id, verdict: 'unknown' };
  if (!matchesSecret(stored, text, pepper)) return { ...NOTHING, kind, id, verdict: 'wrong_secret' };
  const credential = await (kind === 'api_key' ? findApiKey(db, id) : findWidgetToken(db, id));
  return { ...tellOwner(credential!), verdict: judge(stored), kind, id };
}

function tellOwner(credential: ApiKey | WidgetToken): Omit<Inspection, 'verdict' | 'kind' | 'id'> {
  const { tenant, expiresAt } = credential;
  const scopes = 'scopes' in credential ? credential.scopes : null;
  const origins = 'origins' in credential ? credential.origins : null;
  return { tenant, expiresAt, scopes, origins, credential };
}

function judge(stored: StoredCredential): Verdict {
  if (stored.revoked) return 'revoked';
  if (stored.expired) return 'expired';
  return mayBeUsed(stored.tenant) ? 'usable' : 'tenant_inactive';
}

import type { Db } from '../../platform/database';
import { mayBeUsed } from '../tenants/tenant';
import { findStoredApiKey, findStoredWidgetToken, type StoredCredential } from './credential.repository';
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
}

const NOTHING: Omit<Inspection, 'verdict'> = {
  kind: null,
  id: null,
  tenant: null,
  expiresAt: null,
  scopes: null,
  origins: null,
};

/** Judges a token of either kind without using it. What belongs to its owner is told only where the secret is right. */
export async function inspectToken(db: Db, pepper: string | undefined, text: string): Promise<Inspection> {
  const parsed = parseToken(text);
  if (!parsed) return { ...NOTHING, verdict: 'malformed' };
  const { kind, id } = parsed;
  const key = kind === 'api_key' ? await findStoredApiKey(db, id) : undefined;
  const token = kind === 'widget_token' ? await findStoredWidgetToken(db, id) : undefined;
  const stored = key ?? token;
  if (!stored) return { ...NOTHING, kind, id, verdict: 'unknown' };
  if (!matchesSecret(stored, text, pepper)) return { ...NOTHING, kind, id, verdict: 'wrong_secret' };
  return {
    verdict: judge(stored),
    kind,
    id,
    tenant: stored.tenant.slug,
    expiresAt: stored.expiresAt,
    scopes: key ? key.scopes : null,
    origins: token ? (token.ownOrigins ?? token.tenant.origins) : null,
  };
}

function judge(stored: StoredCredential): Verdict {
  if (stored.revoked) return 'revoked';
  if (stored.expired) return 'expired';
  return mayBeUsed(stored.tenant) ? 'usable' : 'tenant_inactive';
}

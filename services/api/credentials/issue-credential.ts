import type { Trx } from '../../platform/database';
import type { Tenant } from '../tenants/tenant';
import type { ApiKey, Issued, Scope, WidgetToken } from './credential';
import { insertCredential, type NewCredential } from './issued-credential.repository';
import { showCredential } from './list-credentials';
import { digestToken } from './token-digest';
import { mintCredentialToken, type CredentialKind } from './token-format';
import { allowedOrigins } from '../tenants/origins';

interface ApiKeyToIssue {
  scopes: Scope[];
  name?: string | null;
  /** The website that uses it. */
  website?: string | null;
  /** Null or absent: it does not expire. */
  lifetimeSeconds?: number | null;
}

/** Issues an API key. Only the result holds its secret; the database keeps a digest. */
export async function issueApiKey(
  trx: Trx,
  pepper: string | undefined,
  tenant: Pick<Tenant, 'id'>,
  { scopes, name = null, website = null, lifetimeSeconds = null }: ApiKeyToIssue,
): Promise<Issued<ApiKey>> {
  const { credential, token } = newCredential('api_key', pepper, tenant.id, lifetimeSeconds);
  await insertCredential(trx, 'api_key', credential, { name, website, scopes: [...new Set(scopes)] });
  return { credential: await showCredential(trx, 'api_key', credential.id), token };
}

/** Creates a token and its row. Without a family id, it starts a new family. */
export function newCredential(
  kind: CredentialKind,
  pepper: string | undefined,
  tenantId: string,
  lifetimeSeconds: number | null,
  familyId?: string,
): { credential: NewCredential; token: string } {
  const { id, token } = mintCredentialToken(kind);
  const { digest, algorithm } = digestToken(token, pepper);
  const family = familyId ?? id;
  return {
    credential: { id, tenantId, familyId: family, digest, digestAlgorithm: algorithm, lifetimeSeconds },
    token,
  };
}

export interface WidgetTokenToIssue {
  /** Absent or empty: the token uses the tenant's current list. */
  origins?: string[];
  /** Null or absent: it does not expire. */
  lifetimeSeconds?: number | null;
  /** Allows http://localhost, for a tenant on trial. */
  dev?: boolean;
}

/**
 * Issues a widget token. Only the result holds its secret; the database keeps a digest.
 * @throws OriginRefusedError, TooManyOriginsError
 */
export async function issueWidgetToken(
  trx: Trx,
  pepper: string | undefined,
  tenant: Pick<Tenant, 'id' | 'status'>,
  { origins = [], lifetimeSeconds = null, dev = false }: WidgetTokenToIssue,
): Promise<Issued<WidgetToken>> {
  const own = origins.length > 0 ? allowedOrigins(tenant, origins, dev) : null;
  const { credential, token } = newCredential('widget_token', pepper, tenant.id, lifetimeSeconds);
  await insertCredential(trx, 'widget_token', credential, { origins: own });
  return { credential: await showCredential(trx, 'widget_token', credential.id), token };
}

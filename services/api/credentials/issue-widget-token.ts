import type { Trx } from '../../platform/database';
import { allowedOrigins } from '../tenants/set-origins';
import type { Tenant } from '../tenants/tenant';
import type { Issued, WidgetToken } from './credential';
import { findWidgetToken, insertWidgetToken } from './issued-credential.repository';
import { newCredential } from './new-credential';

export interface WidgetTokenToIssue {
  /** None: it follows the tenant's list as that changes. */
  origins?: string[];
  /** Null or absent: it does not expire. */
  lifetimeSeconds?: number | null;
  /** Allows http://localhost for a tenant on trial. */
  dev?: boolean;
}

/**
 * A new widget token. Its secret is in the result and nowhere else: what is kept is a digest.
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
  await insertWidgetToken(trx, credential, { origins: own });
  return { credential: (await findWidgetToken(trx, credential.id))!, token };
}

import type { Trx } from '../../platform/database';
import type { Tenant } from '../tenants/tenant';
import type { ApiKey, Issued } from './credential';
import { findApiKey, insertApiKey } from './issued-credential.repository';
import { newCredential } from './new-credential';
import type { Scope } from './scope';

export interface ApiKeyToIssue {
  scopes: Scope[];
  name?: string | null;
  /** The site that it is issued for. */
  website?: string | null;
  /** Null or absent: it does not expire. */
  lifetimeSeconds?: number | null;
}

/** A new API key. Its secret is in the result and nowhere else: what is kept is a digest. */
export async function issueApiKey(
  trx: Trx,
  pepper: string | undefined,
  tenant: Pick<Tenant, 'id'>,
  given: ApiKeyToIssue,
  familyId?: string,
): Promise<Issued<ApiKey>> {
  const { credential, token } = newCredential(
    'api_key',
    pepper,
    tenant.id,
    given.lifetimeSeconds ?? null,
    familyId,
  );
  const { name = null, website = null } = given;
  await insertApiKey(trx, credential, { name, website, scopes: [...new Set(given.scopes)] });
  return { credential: (await findApiKey(trx, credential.id))!, token };
}

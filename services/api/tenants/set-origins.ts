import type { Trx } from '../../platform/database';
import { canonicalOrigin, isDevelopmentOrigin } from './allowed-origin';
import type { Tenant } from './tenant';
import { OriginRefusedError, TooManyOriginsError } from './tenant.errors';
import { updateTenant } from './tenant.repository';

const MAX_ORIGINS = 20;

/**
 * Replaces the tenant's list. Widget tokens without origins of their own follow it at once.
 * @throws OriginRefusedError, TooManyOriginsError
 */
export async function setOrigins(trx: Trx, tenant: Tenant, origins: string[], dev = false): Promise<Tenant> {
  return updateTenant(trx, tenant.id, { origins: allowedOrigins(tenant, origins, dev) });
}

/** @throws OriginRefusedError, TooManyOriginsError */
export async function addOrigins(trx: Trx, tenant: Tenant, origins: string[], dev = false): Promise<Tenant> {
  const added = allowedOrigins(tenant, origins, dev);
  return updateTenant(trx, tenant.id, { origins: sortedSet([...tenant.origins, ...added]) });
}

/** What the list does not hold need not be removed. */
export async function removeOrigins(trx: Trx, tenant: Tenant, origins: string[]): Promise<Tenant> {
  const removed = new Set(origins.map((origin) => canonicalOrigin(origin, { dev: true })));
  return updateTenant(trx, tenant.id, { origins: tenant.origins.filter((origin) => !removed.has(origin)) });
}

/**
 * Canonical, sorted, each once; at most twenty, and none of development for a tenant past its trial.
 * @throws OriginRefusedError, TooManyOriginsError
 */
export function allowedOrigins(tenant: Pick<Tenant, 'status'>, origins: string[], dev: boolean): string[] {
  const canonical = origins.map((origin) => canonicalOrigin(origin, { dev }));
  const development = canonical.find(isDevelopmentOrigin);
  if (development && tenant.status !== 'trial') {
    throw new OriginRefusedError(
      development,
      `only a tenant on trial may have it, and this one is ${tenant.status}`,
    );
  }
  return sortedSet(canonical);
}

function sortedSet(origins: string[]): string[] {
  const set = [...new Set(origins)].sort();
  if (set.length > MAX_ORIGINS) throw new TooManyOriginsError(MAX_ORIGINS);
  return set;
}

import type { Db, Trx } from '../../platform/database';
import type { Tenant } from './tenant';
import { TenantNotFoundError } from './tenant.errors';
import { findTenantById, findTenantBySlug, lockTenantBySlug } from './tenant.repository';

/** @throws TenantNotFoundError */
export async function findTenant(db: Db, slug: string): Promise<Tenant> {
  const tenant = await findTenantBySlug(db, slug);
  if (!tenant) throw new TenantNotFoundError(slug);
  return tenant;
}

/** Returns the present values of a tenant that may come from a cache. */
export async function readTenantAgain(db: Db, cached: Tenant): Promise<Tenant> {
  return findTenantById(db, cached.id);
}

/**
 * Locks the tenant for a change until the transaction ends.
 * @throws TenantNotFoundError
 */
export async function findTenantForChange(trx: Trx, slug: string): Promise<Tenant> {
  const tenant = await lockTenantBySlug(trx, slug);
  if (!tenant) throw new TenantNotFoundError(slug);
  return tenant;
}

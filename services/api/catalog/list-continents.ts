import type { Db } from '../../platform/database';
import type { Tenant } from '../tenants/tenant';
import { findVisibleContinents } from './continent.repository';

/** The continents on which this tenant sees at least one tour, by their slugs. */
export async function listContinents(db: Db, tenant: Tenant): Promise<string[]> {
  return findVisibleContinents(db, tenant);
}

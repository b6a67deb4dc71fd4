import type { Db, Trx } from '../../platform/database';
import type { Tenant, TenantStatus } from './tenant';
import { tenantColumns, toTenant, toTenantColumns } from './tenant-row';

/** The values of a new tenant. The table's defaults fill the missing ones. */
export type NewTenant = Partial<Omit<Tenant, 'id' | 'createdAt'>> &
  Pick<Tenant, 'slug' | 'name' | 'bookingPrefix' | 'currency' | 'currencyDigits' | 'country'>;
export type TenantChanges = Partial<Omit<Tenant, 'id' | 'slug' | 'createdAt'>>;

/** @returns undefined where the slug or the booking prefix is taken */
export async function insertTenant(trx: Trx, tenant: NewTenant): Promise<Tenant | undefined> {
  // The conflict clause keeps the caller's transaction usable, so that it can try another prefix.
  const inserted = await trx('tenants').insert(toTenantColumns(tenant)).onConflict().ignore().returning('id');
  return inserted.length > 0 ? findTenantBySlug(trx, tenant.slug) : undefined;
}

export async function findTenantBySlug(db: Db, slug: string): Promise<Tenant | undefined> {
  const row = await db('tenants').select(tenantColumns('tenants')).where({ slug }).first();
  return row && toTenant(row);
}

/** Locks the tenant against other writers until the transaction ends. */
export async function lockTenantBySlug(trx: Trx, slug: string): Promise<Tenant | undefined> {
  const row = await trx('tenants').select(tenantColumns('tenants')).where({ slug }).forUpdate().first();
  return row && toTenant(row);
}

/** Returns tenants in the order of their slugs. */
export async function listTenants(
  db: Db,
  { status, after, limit }: { status?: TenantStatus; after?: string; limit: number },
): Promise<Tenant[]> {
  const query = db('tenants')
    .select(tenantColumns('tenants'))
    .where(status ? { status } : {});
  if (after) void query.where('slug', '>', after);
  return (await query.orderBy('slug').limit(limit)).map(toTenant);
}

export async function writeTenant(trx: Trx, id: string, changes: TenantChanges): Promise<Tenant> {
  await trx('tenants').where({ id }).update(toTenantColumns(changes));
  return toTenant(await trx('tenants').select(tenantColumns('tenants')).where({ id }).first());
}

/** Returns the id of the tenant that owns this booking prefix. */
export async function findPrefixOwner(db: Db, bookingPrefix: string): Promise<string | undefined> {
  return (await db('tenants').where({ booking_prefix: bookingPrefix }).first('id'))?.id;
}

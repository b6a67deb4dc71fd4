import { type Db, toColumns, type Trx } from '../../platform/database/database';
import { type Tenant, TENANT_COLUMNS, type TenantStatus } from './tenant';
import { EarlierReleaseSellsError } from './tenant.errors';

/** The values of a new tenant. The database fills missing values with the defaults of the table. */
export type NewTenant = Partial<Omit<Tenant, 'id' | 'createdAt'>> &
  Pick<Tenant, 'slug' | 'name' | 'bookingPrefix' | 'currency' | 'currencyDigits' | 'country'>;
export type TenantChanges = Partial<Omit<Tenant, 'id' | 'slug' | 'sandbox' | 'createdAt'>>;

/**
 * @returns undefined if the slug or the booking prefix is taken
 * @throws EarlierReleaseSellsError
 */
export async function insertTenant(trx: Trx, tenant: NewTenant): Promise<Tenant | undefined> {
  // Ignores a conflict: an error would end the caller's transaction, and the caller could not try another booking prefix.
  const inserted = await trx('tenants')
    .insert(toColumns(tenant))
    .onConflict()
    .ignore()
    .returning('id')
    .catch(refuseDuringUpdate);
  return inserted.length > 0 ? findTenantBySlug(trx, tenant.slug) : undefined;
}

export async function findTenantBySlug(db: Db, slug: string): Promise<Tenant | undefined> {
  return db('tenants').where({ slug }).first(TENANT_COLUMNS);
}

export async function findTenantById(db: Db, id: string): Promise<Tenant> {
  return db('tenants').where({ id }).first(TENANT_COLUMNS);
}

/**
 * Locks the tenant against other changes of it until the transaction ends. The row lock is FOR NO KEY UPDATE, which does not conflict with
 * inserts of rows that refer to the tenant, so it does not wait for writes with the tenant's keys.
 */
export async function lockTenantRow(trx: Trx, slug: string): Promise<Tenant | undefined> {
  return trx('tenants').where({ slug }).forNoKeyUpdate().first(TENANT_COLUMNS);
}

/** Returns tenants in the order of their slugs. */
export async function listTenants(
  db: Db,
  { status, after, limit }: { status?: TenantStatus; after?: string; limit: number },
): Promise<Tenant[]> {
  const query = db('tenants')
    .select(TENANT_COLUMNS)
    .where(status ? { status } : {});
  if (after) void query.where('slug', '>', after);
  return query.orderBy('slug').limit(limit);
}

/** @throws EarlierReleaseSellsError */
export async function writeTenant(trx: Trx, id: string, changes: TenantChanges): Promise<Tenant> {
  await trx('tenants').where({ id }).update(toColumns(changes)).catch(refuseDuringUpdate);
  return findTenantById(trx, id);
}

/** Translates the refusal of a selling currency while a process of the previous release runs (0123_selling_currency.sql). */
function refuseDuringUpdate(error: unknown): never {
  const { constraint } = error as { constraint?: unknown };
  throw constraint === 'tenants_sell_in_during_update' ? new EarlierReleaseSellsError() : error;
}

export async function findPrefixOwner(db: Db, bookingPrefix: string): Promise<string | undefined> {
  return (await db('tenants').where({ booking_prefix: bookingPrefix }).first('id'))?.id;
}

import type { Db, Trx } from '../../../platform/database';

/** More than that is typed, not chosen. */
const SUGGESTED_MOST = 200;

/** Slugs, for suggestions. */
export async function findTenantSlugs(db: Db): Promise<string[]> {
  return db('tenants').orderBy('slug').limit(SUGGESTED_MOST).pluck<string[]>('slug');
}

export async function findTenantId(db: Db | Trx, slug: string): Promise<string | undefined> {
  const row = await db('tenants').where({ slug }).first<{ id: string } | undefined>('id');
  return row?.id;
}

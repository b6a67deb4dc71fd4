import type { Db, Trx } from '../../../platform/database';

const SUGGESTIONS_MAX = 200;

/** Lists slugs as suggestions for a form field. */
export async function findTenantSlugs(db: Db): Promise<string[]> {
  return db('tenants').orderBy('slug').limit(SUGGESTIONS_MAX).pluck<string[]>('slug');
}

export async function findTenantId(db: Db | Trx, slug: string): Promise<string | undefined> {
  const row = await db('tenants').where({ slug }).first<{ id: string } | undefined>('id');
  return row?.id;
}

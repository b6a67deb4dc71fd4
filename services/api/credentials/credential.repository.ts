import type { Db } from '../../platform/database';
import type { Tenant } from '../tenants/tenant';
import { TENANT_MAY_BE_USED, tenantColumns, toTenant } from '../tenants/tenant-row';
import type { Scope } from './scope';
import type { DigestAlgorithm } from './token-format';

/** A credential as it is judged: with its tenant, and with its expiry already held against the database's clock. */
export interface StoredCredential {
  id: string;
  familyId: string;
  digest: Buffer;
  digestAlgorithm: DigestAlgorithm;
  revoked: boolean;
  expired: boolean;
  expiresAt: Date | null;
  tenant: Tenant;
}
export type StoredApiKey = StoredCredential & { scopes: Scope[] };
export type StoredWidgetToken = StoredCredential & { ownOrigins: string[] | null };

export async function findStoredApiKey(db: Db, id: string): Promise<StoredApiKey | undefined> {
  const row = await findStored(db, 'api_keys', id, 'c.scopes');
  return row && { ...toStored(row), scopes: row.scopes };
}

export async function findStoredWidgetToken(db: Db, id: string): Promise<StoredWidgetToken | undefined> {
  const row = await findStored(db, 'widget_tokens', id, 'c.origins as own_origins');
  return row && { ...toStored(row), ownOrigins: row.own_origins };
}

/** Does a live widget token list this origin, as its own or through its tenant? */
export async function isOriginListed(db: Db, origin: string): Promise<boolean> {
  const live = `w.revoked_at is null and (w.expires_at is null or w.expires_at > clock_timestamp())
    and ${TENANT_MAY_BE_USED}`;
  // Two questions, because each has its own index; joined by "or" in one, neither is used.
  const { rows } = await db.raw(
    `select exists (select from widget_tokens w join tenants t on t.id = w.tenant_id
                    where w.origins @> array[:origin]::text[] and ${live})
         or exists (select from tenants t join widget_tokens w on w.tenant_id = t.id
                    where t.origins @> array[:origin]::text[] and w.origins is null and ${live}) as listed`,
    { origin },
  );
  return rows[0].listed;
}

function findStored(db: Db, table: 'api_keys' | 'widget_tokens', id: string, own: string) {
  return db(`${table} as c`)
    .join('tenants as t', 't.id', 'c.tenant_id')
    .where('c.id', id)
    .first(
      'c.id',
      'c.family_id',
      'c.digest',
      'c.digest_alg',
      'c.expires_at',
      own,
      db.raw('c.revoked_at is not null as revoked'),
      db.raw('coalesce(c.expires_at <= clock_timestamp(), false) as expired'),
      ...tenantColumns('t'),
    );
}

function toStored(row: Record<string, unknown>): StoredCredential {
  return {
    id: row.id as string,
    familyId: row.family_id as string,
    digest: row.digest as Buffer,
    digestAlgorithm: row.digest_alg as DigestAlgorithm,
    revoked: row.revoked as boolean,
    expired: row.expired as boolean,
    expiresAt: row.expires_at as Date | null,
    tenant: toTenant(row),
  };
}

import type { Db } from '../../platform/database';
import type { Tenant } from '../tenants/tenant';
import { TENANT_COLUMNS } from '../tenants/tenant-row';
import type { Scope } from './credential';
import type { CredentialKind, DigestAlgorithm } from './token-format';

/** The stored digest of a token. */
export interface StoredDigest {
  digest: Buffer;
  digestAlgorithm: DigestAlgorithm;
}

/** A credential with its tenant. The database compares the expiry with its own clock. */
export interface StoredCredential extends StoredDigest {
  id: string;
  familyId: string;
  revoked: boolean;
  expired: boolean;
  expiresAt: Date | null;
  tenant: Tenant;
}
export type StoredApiKey = StoredCredential & { scopes: Scope[] };
export type StoredWidgetToken = StoredCredential & { ownOrigins: string[] | null };

/** Returns the digest of this id; for an unknown id, a digest of the same form that no token has. */
export async function findDigest(db: Db, kind: CredentialKind, id: string): Promise<StoredDigest> {
  const { rows } = await db.raw(
    `select coalesce(c.digest, decode(repeat('00', 32), 'hex')) as digest, coalesce(c.digest_alg, 'sha256') as digest_algorithm
     from (values (cast(:id as char(12)))) as asked (id)
     left join ${kind === 'api_key' ? 'api_keys' : 'widget_tokens'} c on c.id = asked.id`,
    { id },
  );
  return rows[0];
}

export async function findStoredApiKey(db: Db, id: string): Promise<StoredApiKey | undefined> {
  return findStored(db, 'api_keys', id, 'c.scopes');
}

export async function findStoredWidgetToken(db: Db, id: string): Promise<StoredWidgetToken | undefined> {
  return findStored(db, 'widget_tokens', id, 'c.origins as own_origins');
}

/** @param own the column that only this kind has */
async function findStored(
  db: Db,
  table: 'api_keys' | 'widget_tokens',
  id: string,
  own: string,
): Promise<(StoredApiKey & StoredWidgetToken) | undefined> {
  const row = await db(`${table} as c`)
    .join('tenants as t', 't.id', 'c.tenant_id')
    .where('c.id', id)
    .first(
      'c.family_id',
      'c.digest',
      'c.digest_alg as digest_algorithm',
      'c.expires_at',
      own,
      db.raw('c.revoked_at is not null as revoked'),
      db.raw('coalesce(c.expires_at <= clock_timestamp(), false) as expired'),
      ...TENANT_COLUMNS.map((column) => `t.${column}`),
    );
  if (!row) return undefined;
  const { familyId, digest, digestAlgorithm, expiresAt, revoked, expired, scopes, ownOrigins, ...tenant } =
    row;
  return { id, familyId, digest, digestAlgorithm, revoked, expired, expiresAt, scopes, ownOrigins, tenant };
}

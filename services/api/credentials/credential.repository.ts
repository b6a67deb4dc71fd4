import { type Db, runPrepared } from '../../platform/database';
import type { Tenant } from '../tenants/tenant';
import { TENANT_COLUMNS } from '../tenants/tenant-row';
import type { Scope } from './credential';
import type { StoredDigest } from './token-digest';
import type { CredentialKind } from './token-format';

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
  return toStored(await selectStored(db, 'api_keys', id, 'c.scopes'))[0];
}

export async function findStoredWidgetToken(db: Db, id: string): Promise<StoredWidgetToken | undefined> {
  return toStored(await selectStored(db, 'widget_tokens', id, 'c.origins as own_origins'))[0];
}

/** @param own the column that only this kind has */
async function selectStored(
  db: Db,
  table: 'api_keys' | 'widget_tokens',
  id: string,
  own: string,
): Promise<StoredRow[]> {
  const { rows } = await runPrepared(
    db,
    `select c.id as credential_id, c.family_id, c.digest, c.digest_alg as digest_algorithm, c.expires_at, ${own},
       c.revoked_at is not null as revoked, coalesce(c.expires_at <= clock_timestamp(), false) as expired,
       ${TENANT_COLUMNS.map((column) => `t.${column}`).join(', ')}
     from ${table} c join tenants t on t.id = c.tenant_id where c.id = :id::bpchar`,
    { id },
  );
  return rows;
}

type StoredRow = Omit<StoredApiKey & StoredWidgetToken, 'id' | 'tenant'> & Tenant & { credentialId: string };

function toStored(rows: StoredRow[]): (StoredApiKey & StoredWidgetToken)[] {
  return rows.map((row) => {
    const { credentialId, familyId, digest, digestAlgorithm, expiresAt, revoked, expired, ...rest } = row;
    const { scopes, ownOrigins, ...tenant } = rest;
    const credential = { id: credentialId, familyId, digest, digestAlgorithm, revoked, expired, expiresAt };
    return { ...credential, scopes, ownOrigins, tenant };
  });
}

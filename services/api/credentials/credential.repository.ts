import { type Db, runPrepared, toColumns, type Trx } from '../../platform/database/database';
import { type Tenant, TENANT_COLUMNS, USABLE_STATUSES } from '../tenants/tenant';
import { type CredentialOf, type CredentialPage, EXPIRING_DAYS, type Scope, UNUSED_DAYS } from './credential';
import type { CredentialKind, DigestAlgorithm, StoredDigest } from './token';

/** A credential with its tenant. `expired` is by the database's clock. */
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

/** Returns the digest of the credential with this id. For an unknown id, returns a digest of the same form that no token has. */
export async function findDigest(db: Db, kind: CredentialKind, id: string): Promise<StoredDigest> {
  const { rows } = await db.raw(
    `select coalesce(c.digest, decode(repeat('00', 32), 'hex')) as digest, coalesce(c.digest_alg, 'sha256') as digest_algorithm
     from (values (cast(:id as char(12)))) as given (id)
     left join ${kind === 'api_key' ? 'api_keys' : 'widget_tokens'} c on c.id = given.id`,
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

/** @param own the column that only this kind of credential has */
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

/** The columns to insert that API keys and widget tokens both have. */
export interface NewCredential {
  id: string;
  tenantId: string;
  familyId: string;
  digest: Buffer;
  digestAlgorithm: DigestAlgorithm;
  /** The seconds from now to the expiry, by the database's clock. Null: no expiry. */
  lifetimeSeconds: number | null;
}
/** The columns to insert that only API keys, or only widget tokens, have. */
export type OwnColumns =
  { name: string | null; website: string | null; scopes: Scope[] } | { origins: string[] | null };

const STATUS = `case when c.revoked_at is not null then 'revoked'
  when c.expires_at <= clock_timestamp() then 'expired' else 'live' end`;

const TABLE = { api_key: 'api_keys', widget_token: 'widget_tokens' } as const;

export async function insertCredential(
  trx: Trx,
  kind: CredentialKind,
  credential: NewCredential,
  own: OwnColumns,
): Promise<void> {
  await trx(TABLE[kind]).insert({ ...columnsOf(trx, credential), ...own });
}

export async function findCredential<K extends CredentialKind>(
  db: Db,
  kind: K,
  id: string,
): Promise<CredentialOf[K] | undefined> {
  return selectCredentials(db, kind).where('c.id', id).first();
}

/** Returns the credentials of a tenant, or of all tenants, newest first. */
export async function selectCredentialsOf<K extends CredentialKind>(
  db: Db,
  kind: K,
  tenantId: string | undefined,
  { status, after, limit }: CredentialPage,
): Promise<CredentialOf[K][]> {
  const query = selectCredentials(db, kind);
  if (tenantId !== undefined) void query.where('c.tenant_id', tenantId);
  void query.orderByRaw('c.created_at desc, c.id desc').limit(limit);
  if (status) void query.whereRaw(`${STATUS} = ?`, [status]);
  if (after) {
    const last = `select l.created_at, l.id from ${TABLE[kind]} l where l.id = ?`;
    void query.whereRaw(`(c.created_at, c.id) < (${last})`, [after]);
  }
  return query;
}

/** Returns the live credentials of usable tenants that have a warning; the earliest expiry comes first. */
export async function selectCredentialsAtRisk<K extends CredentialKind>(
  db: Db,
  kind: K,
  limit: number,
): Promise<CredentialOf[K][]> {
  return db
    .from(selectCredentials(db, kind).whereIn('t.status', USABLE_STATUSES).as('d'))
    .select('d.*')
    .whereRaw('cardinality(d.warnings) > 0')
    .orderByRaw('d.expires_at nulls last, d.created_at')
    .limit(limit);
}

/**
 * Locks the credential until the transaction ends, against other rotations and revocations. Does not wait for writes with the key. The row
 * lock is FOR NO KEY UPDATE, because a write may have inserted a subscription that refers to the key.
 */
export async function lockCredential(trx: Trx, kind: CredentialKind, id: string): Promise<void> {
  await trx(TABLE[kind]).where({ id }).forNoKeyUpdate().select('id');
}

/** Records the successor. The credential expires after the grace period, or at its own expiry if that is earlier. */
export async function endByRotation(
  trx: Trx,
  kind: CredentialKind,
  id: string,
  successor: string,
  graceSeconds: number,
): Promise<void> {
  await trx(TABLE[kind])
    .where({ id })
    .update({
      replaced_by: successor,
      expires_at: trx.raw('least(expires_at, clock_timestamp() + make_interval(secs => ?))', [graceSeconds]),
    });
}

/** Revokes the credential. A second revocation keeps the time of the first. */
export async function markRevoked(trx: Trx, kind: CredentialKind, id: string): Promise<void> {
  await trx(TABLE[kind])
    .where({ id })
    .whereNull('revoked_at')
    .update({ revoked_at: trx.raw('clock_timestamp()') });
}

function columnsOf(trx: Trx, { digestAlgorithm, lifetimeSeconds, ...credential }: NewCredential) {
  // Null seconds give a null expiry.
  const expires_at = trx.raw('clock_timestamp() + make_interval(secs => ?)', [lifetimeSeconds] as never);
  return { ...toColumns(credential), digest_alg: digestAlgorithm, expires_at };
}

const OWN_COLUMNS: Record<CredentialKind, string> = {
  api_key: 'c.name, c.website, c.scopes, c.browser_seen_at',
  widget_token: 'coalesce(c.origins, t.origins) as origins, c.origins is null as follows_tenant',
};

function selectCredentials(db: Db, kind: CredentialKind) {
  return db(`${TABLE[kind]} as c`)
    .join('tenants as t', 't.id', 'c.tenant_id')
    .select(
      'c.id',
      't.slug as tenant',
      'c.tenant_id',
      'c.family_id',
      'c.created_at',
      'c.expires_at',
      'c.revoked_at',
    )
    .select('c.replaced_by', 'c.last_used_at')
    .select(db.raw(`${STATUS} as status, ${OWN_COLUMNS[kind]}`))
    .select(warningsOf(db, kind));
}

/** Selects the warnings. A rotated credential gives no warning, because it is expected to expire and to be unused. */
function warningsOf(db: Db, kind: CredentialKind) {
  const inBrowser = kind === 'api_key' ? 'c.browser_seen_at is not null' : 'false';
  return db.raw(
    `case when c.revoked_at is not null or c.expires_at <= clock_timestamp() then '{}' else array_remove(array[
       case when ${inBrowser} then 'seen_in_browser' end,
       case when c.replaced_by is null and c.expires_at <= clock_timestamp() + make_interval(days => :expiring)
            then 'expires_soon' end,
       case when c.replaced_by is null and c.last_used_at is null
             and c.created_at <= clock_timestamp() - make_interval(days => :unused) then 'never_used' end], null)
     end as warnings`,
    { expiring: EXPIRING_DAYS, unused: UNUSED_DAYS },
  );
}

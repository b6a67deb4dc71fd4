import { type Db, toColumns, type Trx } from '../../platform/database';
import { USABLE_STATUSES } from '../tenants/tenant';
import { lockForChange } from '../tenants/use-lock';
import { type CredentialOf, type CredentialPage, EXPIRING_DAYS, type Scope, UNUSED_DAYS } from './credential';
import type { DigestAlgorithm } from './token-digest';
import type { CredentialKind } from './token-format';

/** The columns of both kinds to insert. */
export interface NewCredential {
  id: string;
  tenantId: string;
  familyId: string;
  digest: Buffer;
  digestAlgorithm: DigestAlgorithm;
  /** From now, by the database's clock; null: no expiry. */
  lifetimeSeconds: number | null;
}
/** The columns of one kind to insert. */
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

/** Live credentials with a warning, of usable tenants; the earliest expiry comes first. */
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

/** Locks the row until the transaction ends, so that rotations, revocations and sales with the key run one after the other. */
export async function lockCredential(trx: Trx, kind: CredentialKind, id: string): Promise<void> {
  await lockForChange(trx, id);
  await trx(TABLE[kind]).where({ id }).forUpdate().select('id');
}

/** Records the successor. The credential expires after the grace period, or at its earlier expiry. */
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
  // A null number of seconds makes a null instant.
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

/** Selects the warnings. Rotated credentials are expected to expire unused: no warning. */
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

import { type Db, refuseWhenLocked, type Trx } from '../../platform/database';
import { IdempotencyInProgressError, IdempotencyKeyReusedError } from './idempotency.errors';
import type { Operation } from './operation';

interface KeyOfOperation {
  tenantId: string;
  operation: Operation;
  key: string;
}

interface ClaimedKey extends KeyOfOperation {
  /** The form of the key after its erasure. */
  erasedKey: string;
}

interface EarlierAnswer {
  fingerprint: Buffer;
  status: number;
  answer: string;
}

/** An answer that was erased with a person's data. */
interface ErasedAnswer {
  fingerprint: null;
}

const LIVE_ERASED = `
  select from idempotency_keys e
  where e.tenant_id = :tenantId and e.operation = :operation and e.key = :erasedKey and e.expires_at > clock_timestamp()`;

/** Tells whether a request with this key has its answer: it can be repeated without a lock of a departure. */
export async function isAnswered(db: Db, { tenantId, operation, key }: KeyOfOperation): Promise<boolean> {
  const row = await db('idempotency_keys')
    .where({ tenant_id: tenantId, operation, key })
    .whereNotNull('answer')
    .first('key');
  return row !== undefined;
}

/**
 * Inserts the key's row, or returns the earlier answer. Waits for a row of an open transaction; if that one rolls back, this
 * request gets the key.
 * @throws IdempotencyInProgressError after two seconds (409)
 */
export async function claimKey(
  trx: Trx,
  request: ClaimedKey & { keepHours: number },
  fingerprint: Buffer,
): Promise<EarlierAnswer | ErasedAnswer | undefined> {
  const { rowCount } = await refuseWhenLocked(
    'idempotency_key',
    trx.raw(
      `insert into idempotency_keys as k (tenant_id, operation, key, fingerprint, expires_at)
       select :tenantId::uuid, :operation, :key, :fingerprint::bytea, clock_timestamp() + make_interval(hours => :keepHours)
       where not exists (${LIVE_ERASED})
       on conflict (tenant_id, operation, key) do update
         set fingerprint = excluded.fingerprint, status = null, answer = null,
             created_at = excluded.created_at, expires_at = excluded.expires_at
         where k.expires_at <= clock_timestamp()`,
      { ...request, fingerprint },
    ),
    () => new IdempotencyInProgressError(),
  );
  if (rowCount === 1) return undefined;
  return (
    trx('idempotency_keys')
      .select('fingerprint', 'status', 'answer')
      .where({ tenant_id: request.tenantId, operation: request.operation })
      .whereIn('key', [request.key, request.erasedKey])
      // One of the two may have expired.
      .orderBy('expires_at', 'desc')
      .first<EarlierAnswer>()
  );
}

/**
 * Stores the answer under the claimed key.
 * @throws IdempotencyKeyReusedError when the key was erased while its claim waited (422)
 */
export async function storeAnswer(
  trx: Trx,
  request: ClaimedKey,
  answer: { status: number; body: string },
): Promise<void> {
  const { rowCount } = await trx.raw(
    `update idempotency_keys set status = :status, answer = :body
     where tenant_id = :tenantId and operation = :operation and key = :key and not exists (${LIVE_ERASED})`,
    { ...request, ...answer },
  );
  if (rowCount === 0) throw new IdempotencyKeyReusedError();
}

/** A key whose answer names one of `marks`, such as `"booking_ref":"ACME-1042"`. */
export interface AnsweredKey {
  operation: Operation;
  key: string;
  answer: string;
}

/** Locks and returns the tenant's keys whose answer contains one of `marks`. */
export async function findAnswers(trx: Trx, tenantId: string, marks: string[]): Promise<AnsweredKey[]> {
  // Scans the tenant's keys of a week. No index: only an erasure searches answers by content.
  const { rows } = await trx.raw(
    `select operation, key, answer from idempotency_keys
     where tenant_id = :tenantId and exists (select from unnest(:marks::text[]) mark where strpos(answer, mark) > 0)
     order by operation, key for update`,
    { tenantId, marks },
  );
  return rows;
}

/** Erases the answer. The key stays taken, so that a late repeat does not run again. */
export async function eraseAnswer(trx: Trx, { tenantId, operation, key }: KeyOfOperation): Promise<void> {
  await trx('idempotency_keys')
    .where({ tenant_id: tenantId, operation, key })
    .update({ fingerprint: null, status: null, answer: null });
}

/** Erases the answer of a key that identifies a person, and replaces the key by its erased form. */
export async function eraseKey(trx: Trx, claimed: ClaimedKey): Promise<void> {
  await trx.raw(
    `with gone as (
       delete from idempotency_keys where tenant_id = :tenantId and operation = :operation and key = :key
       returning tenant_id, operation, created_at, expires_at
     )
     insert into idempotency_keys as k (tenant_id, operation, key, created_at, expires_at)
     select tenant_id, operation, :erasedKey, created_at, expires_at from gone
     on conflict (tenant_id, operation, key) do update set created_at = excluded.created_at, expires_at = excluded.expires_at`,
    { ...claimed },
  );
}

const BATCH_SIZE = 1000;

/** Deletes expired keys in batches; skips a locked key until the next sweep. */
export async function sweepExpiredKeys(db: Db): Promise<void> {
  let deleted: number;
  do {
    const result = await db.raw(
      `delete from idempotency_keys where ctid = any(array(
         select ctid from idempotency_keys where expires_at <= clock_timestamp() limit :limit for update skip locked))`,
      { limit: BATCH_SIZE },
    );
    deleted = result.rowCount;
  } while (deleted === BATCH_SIZE);
}

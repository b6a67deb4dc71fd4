import type { Db, Trx } from '../../platform/database/database';
import type { Operation } from './operation';

interface KeyOfOperation {
  tenantId: string;
  operation: Operation;
  key: string;
}

export interface ClaimedKey extends KeyOfOperation {
  /** The text that replaces the key if it is erased (erasedForm). */
  erasedKey: string;
}

const KEYS = `json_to_recordset(:keys::json) as k (n integer, tenant_id uuid, operation text, key text, erased_key text)`;

export function bindKeys(keys: ClaimedKey[]) {
  const rows = keys.map(({ tenantId, operation, key, erasedKey }, n) => ({
    n,
    tenant_id: tenantId,
    operation,
    key,
    erased_key: erasedKey,
  }));
  return { keys: JSON.stringify(rows) };
}

/** Returns whether the key has an answer that has not expired, or one that was erased. Locks nothing. */
export async function isTaken(db: Db, { tenantId, operation, key, erasedKey }: ClaimedKey): Promise<boolean> {
  // A committed row without an answer is one whose answer was erased: a running request stores its answer in the transaction of its row.
  const row = await db('idempotency_keys')
    .where({ tenant_id: tenantId, operation })
    .whereIn('key', [key, erasedKey])
    .whereRaw('expires_at > clock_timestamp()')
    .first('key');
  return row !== undefined;
}

/** A row of STORED_ANSWERS. */
export interface StoredAnswer {
  /** The index of the answer's key in `:keys`. */
  n: number;
  /** True: another transaction has locked the answer to erase it. The fields below are then null. */
  isLocked: boolean;
  /** In hexadecimal. Null: the answer was erased with a person's data. */
  fingerprint: string | null;
  status: number;
  answer: string;
  /** The family of the API key that got the answer. Null: unknown, or the desk got it. */
  keyFamily: string | null;
}

const LIVE_ANSWER = `from idempotency_keys i
  where i.tenant_id = k.tenant_id and i.operation = k.operation and i.key in (k.key, k.erased_key)
    and i.expires_at > clock_timestamp()`;

/**
 * Selects the answers of `:keys`, or of their erased forms, that have not expired. Locks the rows, so that the COMMIT of this transaction
 * waits for the standby. So a client gets a repeated answer only after the standby has stored it, even if the COMMIT of the first request
 * got no reply (docs/failover.md). Does not wait for a lock: an answer that another transaction has locked has `isLocked` true.
 */
export const STORED_ANSWERS = `
  select k.n, encode(earlier.fingerprint, 'hex') as fingerprint, earlier.status, earlier.answer,
    earlier.key_family, earlier.found is null as is_locked
  from ${KEYS}
  left join lateral (
    select true as found, i.fingerprint, i.status, i.answer, i.key_family ${LIVE_ANSWER}
    order by i.expires_at desc limit 1 for update skip locked) earlier on true
  where earlier.found or exists (select ${LIVE_ANSWER})`;

/** Returns the stored answer of a key that the transaction has locked. Undefined: it has none. */
export async function findStoredAnswer(trx: Trx, key: ClaimedKey): Promise<StoredAnswer | undefined> {
  const { rows } = await trx.raw<{ rows: StoredAnswer[] }>(STORED_ANSWERS, bindKeys([key]));
  return rows[0];
}

/** An answer to store, as bindAnswers takes it. */
interface NewAnswer extends ClaimedKey {
  fingerprint: Buffer;
  keepHours: number;
  /** Null: the desk got the answer. */
  keyFamily: string | null;
  status: number;
  body: string;
}

export function bindAnswers(answers: NewAnswer[]) {
  const rows = answers.map(
    ({ tenantId, operation, key, erasedKey, fingerprint, keepHours, keyFamily, status, body }) => ({
      tenant_id: tenantId,
      operation,
      key,
      status,
      answer: body,
      keep_hours: keepHours,
      key_family: keyFamily,
      erased_key: erasedKey,
      fingerprint: fingerprint.toString('hex'),
    }),
  );
  return { answers: JSON.stringify(rows) };
}

/**
 * Inserts `:answers`, and returns a row for each that it stored. Replaces an expired answer of the same key. Stores no answer if the key
 * has another answer, or was erased meanwhile.
 */
export const INSERT_ANSWERS = `
  insert into idempotency_keys as i (tenant_id, operation, key, fingerprint, status, answer, key_family, expires_at)
  select a.tenant_id, a.operation, a.key, decode(a.fingerprint, 'hex'), a.status, a.answer, a.key_family,
    clock_timestamp() + make_interval(hours => a.keep_hours)
  from json_to_recordset(:answers::json) as a (tenant_id uuid, operation text, key text, fingerprint text, status smallint,
    answer text, key_family text, keep_hours integer, erased_key text)
  where not exists (
    select from idempotency_keys e
    where e.tenant_id = a.tenant_id and e.operation = a.operation and e.key = a.erased_key
      and e.expires_at > clock_timestamp())
  on conflict (tenant_id, operation, key) do update
    set fingerprint = excluded.fingerprint, status = excluded.status, answer = excluded.answer, key_family = excluded.key_family,
        created_at = excluded.created_at, expires_at = excluded.expires_at
    where i.expires_at <= clock_timestamp()
  returning 1`;

/** A key whose answer names one of `marks`, such as `"booking_ref":"ACME-1042"`. */
export interface AnsweredKey {
  operation: Operation;
  key: string;
  answer: string;
}

/** Locks and returns the tenant's keys whose answer contains one of `marks`. */
export async function findAnswers(trx: Trx, tenantId: string, marks: string[]): Promise<AnsweredKey[]> {
  // Reads all keys of the tenant, which are kept for a week at most. There is no index, because only erasures search answers by content.
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
    .update({ fingerprint: null, status: null, answer: null, key_family: null });
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

/** Deletes expired keys in batches. Leaves a locked key for the next sweep. */
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

import { createHmac } from 'node:crypto';
import type { Db, Trx } from '../../platform/database/database';
import { erasedImportRef } from '../bookings/import-terms';

/** The key of the advisory lock of all imports of bookings: an arbitrary number. */
const IMPORT_LOCK = 5_118_403_274;

/** Takes the lock of imports until the transaction ends. Returns false if another import is writing. */
export async function claimBookingImport(trx: Trx): Promise<boolean> {
  const { rows } = await trx.raw('select pg_try_advisory_xact_lock(?) as claimed', [IMPORT_LOCK]);
  await allowLongStatements(trx);
  return rows[0].claimed;
}

/** Lets the statements of a transaction take ten minutes: one may lock or change 50,000 bookings. */
async function allowLongStatements(trx: Trx): Promise<void> {
  await trx.raw("set local statement_timeout = '10min'");
}

const REFERENCES_A_STATEMENT = 5000;

/**
 * Returns the digests of the rows from which bookings of the tenant were imported, by reference. An erased booking is found by the digest of its
 * reference.
 * @param key CURSOR_KEY
 */
export async function findImportedRows(
  db: Db,
  tenantId: string,
  references: string[],
  key: string,
): Promise<Map<string, string | null>> {
  const found = new Map<string, string | null>();
  for (let at = 0; at < references.length; at += REFERENCES_A_STATEMENT) {
    const some = references.slice(at, at + REFERENCES_A_STATEMENT);
    const named = new Map(
      some.flatMap((ref) => [[ref, ref] as const, [erasedImportRef(ref, key), ref] as const]),
    );
    const { rows } = await db.raw<{ rows: { importRef: string; importDigest: string | null }[] }>(
      'select import_ref, import_digest from booking_leads where tenant_id = :tenantId and import_ref = any(:refs::text[])',
      { tenantId, refs: [...named.keys()] },
    );
    for (const { importRef, importDigest } of rows) found.set(named.get(importRef)!, importDigest);
  }
  return found;
}

/** Returns a digest that shows whether two imports had the same key, and nothing else of the key. */
function checkOfKey(key: string): string {
  return createHmac('sha256', key).update('the key of imports of bookings').digest('hex');
}

/**
 * Returns the last import of the tenant whose digests have another key, unless it was undone.
 * @rule an import needs the key of the imports before: test/cli/booking-import-runs.long.test.ts
 */
export async function findImportOfOtherKey(
  db: Db,
  tenantId: string,
  key: string,
): Promise<string | undefined> {
  const found = await db('booking_imports')
    .where({ tenant_id: tenantId, undone_at: null })
    .whereNot('key_check', checkOfKey(key))
    .orderBy('created_at', 'desc')
    .first<{ id: string } | undefined>('id');
  return found?.id;
}

interface NewImport {
  id: string;
  tenantId: string;
  by: string;
  isSilent: boolean;
  /** CURSOR_KEY */
  key: string;
}

/** Inserts an import. Returns its instant, RFC 3339 with microseconds. */
export async function insertImport(
  trx: Trx,
  { id, tenantId, by, isSilent, key }: NewImport,
): Promise<string> {
  const { rows } = await trx.raw<{ rows: { at: string }[] }>(
    `insert into booking_imports (id, tenant_id, created_by, silent, key_check)
     values (:id, :tenantId, :by, :isSilent, :keyCheck)
     returning to_json(created_at at time zone 'UTC') #>> '{}' || 'Z' as at`,
    { id, tenantId, by, isSilent, keyCheck: checkOfKey(key) },
  );
  return rows[0]!.at;
}

/**
 * Records a reminder of payment for each unpaid booking of an import, so that none is sent.
 * @rule the bookings of a silent import get no reminder: test/cli/booking-import-runs.long.test.ts
 */
export async function leaveOutReminders(trx: Trx, importId: string): Promise<void> {
  await trx.raw(
    `insert into payment_reminders (lead_id, sent_at)
     select id, clock_timestamp() from booking_leads where import_id = :importId and payment_due_at is not null`,
    { importId },
  );
}

/** An import that was written. */
export interface StoredImport {
  id: string;
  tenantId: string;
  silent: boolean;
}

/** Returns the import, locked until the transaction ends. Undefined: there is none. */
export async function lockImport(trx: Trx, id: string): Promise<StoredImport | undefined> {
  await allowLongStatements(trx);
  return trx('booking_imports')
    .select<StoredImport[]>('id', 'tenant_id', 'silent')
    .where({ id })
    .forUpdate()
    .first();
}

import type { Db, Trx } from '../../platform/database/database';
import type { Operation } from '../idempotency/operation';
import { COUNTS_KEPT_DAYS, type Refusal, type RefusalFilter, REFUSALS_KEPT_DAYS } from './refusal';

export interface RefusalCount {
  tenantId: string;
  operation: Operation;
  code: string;
  /** The age of the first refusal. */
  ageMs: number;
  count: number;
}

export type RecordedRefusal = Omit<Refusal, 'id' | 'at' | 'tenant' | 'tour'> & {
  tenantId: string;
  tourId: string | null;
  ageMs: number;
};

/**
 * The name of the advisory lock. A transaction that adds refusals takes the lock in shared mode. An erasure takes it in exclusive mode, so
 * that no refusal is added while the erasure searches.
 */
const REFUSALS_LOCK = 'sale refusals';

/**
 * The reference of refusal `i`. Null if a booking of the tenant was anonymized after the refusal was recorded: the reference may identify
 * this booking's customer, and the erasure could not see the refusal. The minute is needed because `anonymized_at` is read before the
 * COMMIT of the anonymizing transaction.
 */
const REFERENCE = `case when not exists (
    select from booking_leads l where l.tenant_id = i."tenantId"
      and l.anonymized_at > clock_timestamp() - i."ageMs" * interval '1 ms' - interval '1 minute'
  ) then i."externalRef" end`;

/** Adds counts and refusals, and deletes old ones. The caller passes ages instead of times, so that only the database's clock is used. */
export async function insertRefusals(
  trx: Trx,
  counts: RefusalCount[],
  refusals: RecordedRefusal[],
): Promise<void> {
  await trx.raw('select pg_advisory_xact_lock_shared(hashtext(?))', [REFUSALS_LOCK]);
  await trx.raw(
    `insert into sale_refusal_counts as c (day, tenant_id, operation, code, count)
     select (clock_timestamp() - i."ageMs" * interval '1 ms') at time zone 'UTC', i."tenantId", i.operation, i.code, sum(i.count)
     from json_to_recordset(:counts::json) as i ("tenantId" uuid, operation text, code text, "ageMs" float8, count integer)
     join tenants t on t.id = i."tenantId"
     group by 1, 2, 3, 4 order by 1, 2, 3, 4
     on conflict (day, tenant_id, operation, code) do update set count = c.count + excluded.count`,
    { counts: JSON.stringify(counts) },
  );
  await trx.raw(
    `insert into sale_refusals (at, tenant_id, operation, code, request_id, tour_id, departure_date, departure_time, quantity,
       seats_available, resource, external_ref, hold_id, booking_ref)
     select clock_timestamp() - i."ageMs" * interval '1 ms', i."tenantId", i.operation, i.code, i."requestId", i."tourId",
       i."departureDate", i."departureTime", i.quantity, i."seatsAvailable", i.resource, ${REFERENCE}, i."holdId", i."bookingRef"
     from json_to_recordset(:refusals::json) as i ("tenantId" uuid, operation text, code text, "ageMs" float8,
       "requestId" text, "tourId" uuid, "departureDate" date, "departureTime" text, quantity integer, "seatsAvailable" integer,
       resource text, "externalRef" text, "holdId" uuid, "bookingRef" text)
     join tenants t on t.id = i."tenantId"
     order by 1`,
    { refusals: JSON.stringify(refusals) },
  );
  await trx.raw('delete from sale_refusal_counts where day < current_date - ?::integer', [COUNTS_KEPT_DAYS]);
  await trx.raw('delete from sale_refusals where at < now() - make_interval(days => ?)', [
    REFUSALS_KEPT_DAYS,
  ]);
}

const CONDITIONS: { [F in keyof RefusalFilter]?: string } = {
  tenantId: 'r.tenant_id',
  sandbox: 'n.sandbox',
  code: 'r.code',
  externalRef: 'r.external_ref',
  holdId: 'r.hold_id',
  bookingRef: 'r.booking_ref',
};

/** Returns refusals, newest first. */
export async function findRefusals(db: Db, filter: RefusalFilter): Promise<Refusal[]> {
  const query = db('sale_refusals as r')
    .join('tenants as n', 'n.id', 'r.tenant_id')
    .leftJoin('tours as t', 't.id', 'r.tour_id')
    .select('r.*', 'n.slug as tenant', 't.slug as tour')
    .orderBy([
      { column: 'r.at', order: 'desc' },
      { column: 'r.id', order: 'desc' },
    ])
    .limit(filter.limit);
  for (const [name, column] of Object.entries(CONDITIONS)) {
    const value = filter[name as keyof RefusalFilter];
    if (value !== undefined) void query.where(column, value);
  }
  if (filter.since) void query.where('r.at', '>=', filter.since);
  if (filter.after !== undefined) {
    void query.whereRaw('(r.at, r.id) < (select l.at, l.id from sale_refusals l where l.id = ?)', [
      filter.after,
    ]);
  }
  return query;
}

/** Blocks writers of refusals until the transaction ends. */
export async function lockRefusals(trx: Trx): Promise<void> {
  await trx.raw('select pg_advisory_xact_lock(hashtext(?))', [REFUSALS_LOCK]);
}

/** Returns the references of the tenant's refusals after `afterId`, in id order. */
export async function findExternalReferences(
  trx: Trx,
  tenantId: string,
  { afterId, limit }: { afterId: number; limit: number },
): Promise<{ id: number; externalRef: string }[]> {
  return trx('sale_refusals')
    .where({ tenant_id: tenantId })
    .andWhere('id', '>', afterId)
    .whereNotNull('external_ref')
    .orderBy('id')
    .limit(limit)
    .select('id', 'external_ref');
}

/** Erases the references; the other columns hold no personal data. */
export async function eraseExternalReferences(trx: Trx, ids: number[]): Promise<void> {
  await trx('sale_refusals').whereIn('id', ids).update({ external_ref: null });
}

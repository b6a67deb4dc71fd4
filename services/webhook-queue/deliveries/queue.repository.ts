import type { Db, Trx } from '../../platform/database/database';

/** Condition on a queue row q: no worker holds a live lease. */
export const FREE = '(q.lease_until is null or q.lease_until < now())';
/** Condition on a queue row q: it is due and free. */
export const DUE = `q.next_at <= now() and ${FREE}`;
/** Condition on a queue row q: a worker holds a live lease. */
export const IN_FLIGHT = 'q.lease_until > now()';
/** Shown status of a delivery d with its queue row q. */
export const SHOWN_STATUS = `case when ${IN_FLIGHT} then 'delivering' else d.status end`;
/** Status of a finished delivery d after it is queued again. */
export const QUEUED_STATUS = `case when d.attempts = 0 then 'pending' else 'retrying' end`;

/** Reason of a lost worker's attempt, as an SQL literal. */
export const WORKER_LOST = `'The worker was lost while the request was in flight; it may have arrived.'`;

/** Limits the rows of one statement. `reconcileOrphans` processes the other rows later. */
const BATCH_LIMIT = 10_000;

export async function countWaitingFor(db: Db | Trx, endpointId: string): Promise<number> {
  const queued = db('webhook_queue').where({ endpoint_id: endpointId });
  const [row] = await queued.count<{ count: number }[]>('* as count');
  return row!.count;
}

/**
 * Counts the deliveries that the endpoint can adopt: the deliveries of its tenant that wait without an endpoint. Returns 0 if the endpoint
 * does not subscribe to booking.created.
 */
export async function countAdoptable(db: Db | Trx, endpointId: string): Promise<number> {
  const { rows } = await db.raw<{ rows: [{ count: number }] }>(
    `select count(*)::integer as count from webhook_endpoints e
     join webhook_deliveries d on d.tenant_id = e.tenant_id and d.endpoint_id is null
     where e.id = :endpointId::uuid and e.status <> 'removed' and 'booking.created' = any (e.events)`,
    { endpointId },
  );
  return rows[0].count;
}

/**
 * Assigns waiting deliveries without an endpoint to this endpoint: at most 10,000, the oldest first. They are due at once.
 * @returns the number of deliveries
 */
export async function adoptWaiting(trx: Trx, endpointId: string): Promise<number> {
  const { rows: waiting } = await trx.raw<{ rows: { id: string; eventId: string }[] }>(
    `select d.id, d.event_id from webhook_endpoints e
     join webhook_deliveries d on d.tenant_id = e.tenant_id and d.endpoint_id is null
     where e.id = :endpointId::uuid and e.status <> 'removed' and 'booking.created' = any (e.events)
     order by d.id limit ${BATCH_LIMIT}`,
    { endpointId },
  );
  const ids = waiting.map(({ id }) => id);
  const eventIds = waiting.map(({ eventId }) => eventId);
  // Locks events before deliveries, as an erasure does, and builds the bodies only under the locks.
  await trx.raw('select from webhook_events where id = any (?::uuid[]) order by id for share', [eventIds]);
  await trx.raw(
    'select from webhook_deliveries where id = any (?::uuid[]) and endpoint_id is null order by id for update',
    [ids],
  );
  const { rows } = await trx.raw<{ rows: [{ adopted: number }] }>(
    `with adopted as (
       update webhook_deliveries d set endpoint_id = e.id, next_attempt_at = now(),
         body = webhook_body(e.format, ev.type, ev.created_at, ev.body)
       from unnest(:ids::uuid[], :eventIds::uuid[]) as w (id, event_id), webhook_endpoints e, webhook_events ev
       where d.id = w.id and d.endpoint_id is null and ev.id = w.event_id and e.id = :endpointId::uuid
       returning d.id, d.endpoint_id, d.next_attempt_at
     ), queued as (
       insert into webhook_queue (delivery_id, endpoint_id, next_at)
       select id, endpoint_id, next_attempt_at from adopted returning 1
     )
     select count(*)::integer as adopted from queued`,
    { endpointId, ids, eventIds },
  );
  return rows[0].adopted;
}

/**
 * Cancels at most 10,000 deliveries that wait for the endpoint. If a request is in flight, records its attempt, because the request may
 * still arrive.
 * @returns the number of deliveries
 */
export async function cancelWaiting(trx: Trx, endpointId: string): Promise<number> {
  // Locks the rows in a statement that joins no partitioned table (ADR 15).
  const { rows } = await trx.raw<{ rows: [{ locked: { id: string; fence: number }[] | null }] }>(
    `with locked as materialized (
       select q.* from webhook_queue q where q.endpoint_id = :endpointId::uuid order by q.delivery_id limit ${BATCH_LIMIT} for update
     ), logged as (
       insert into webhook_attempts (delivery_id, number, started_at, duration_ms, outcome, reason, worker)
       select l.delivery_id, l.fence, l.claimed_at, extract(epoch from now() - l.claimed_at) * 1000, 'cancelled',
         'The endpoint was removed while the request was in flight; it may have arrived.', l.worker
       from locked l where l.worker is not null
       on conflict (delivery_id, number) do nothing
     ), unqueued as (
       delete from webhook_queue q using locked l where q.delivery_id = l.delivery_id
     )
     select json_agg(json_build_object('id', delivery_id, 'fence', fence)) as locked from locked`,
    { endpointId },
  );
  const { rowCount } = await trx.raw<{ rowCount: number }>(
    `update webhook_deliveries d
     set status = 'cancelled', attempts = l.fence, next_attempt_at = null, finished_at = now(),
       last_error = 'The endpoint was removed.'
     from json_to_recordset(:locked::json) as l (id uuid, fence integer) where d.id = l.id`,
    { locked: JSON.stringify(rows[0].locked ?? []) },
  );
  return rowCount;
}

export async function readDatabaseTime(db: Db | Trx): Promise<Date> {
  const { rows } = await db.raw<{ rows: [{ now: Date }] }>('select now() as now');
  return rows[0].now;
}

interface DueLowerBoundRow {
  now: Date;
  /**
   * The oldest `next_at` of each endpoint that has queued deliveries. Counts leased deliveries too, because a worker may lose its lease.
   */
  oldest: { endpointId: string; at: Date }[];
}

/** Scans the queue table once: 16 to 187 ms with a million dead rows in it. */
export async function findDueLowerBounds(db: Db, limit: number): Promise<DueLowerBoundRow> {
  const { rows } = await db.raw<{ rows: [{ now: Date; oldest: { endpointId: string; at: string }[] }] }>(
    `select now() as now, coalesce((
       select json_agg(json_build_object('endpointId', endpoint_id, 'at', at)) from (
         select endpoint_id, min(next_at) as at from webhook_queue group by endpoint_id limit :limit::integer
       ) o
     ), '[]') as oldest`,
    { limit },
  );
  const [{ now, oldest }] = rows;
  return { now, oldest: oldest.map(({ endpointId, at }) => ({ endpointId, at: new Date(at) })) };
}

interface Orphans {
  /** Ids of endpoints whose tenant has deliveries that wait without an endpoint. */
  toAdopt: string[];
  /** Ids of removed endpoints that still have queued deliveries. */
  toCancel: string[];
}

/** Finds the endpoints whose deliveries `reconcileOrphans` must adopt or cancel. */
export async function findOrphans(db: Db): Promise<Orphans> {
  const { rows } = await db.raw<{ rows: [Orphans] }>(
    `select
       array(
         select distinct on (e.tenant_id) e.id::text from webhook_endpoints e
         where e.status <> 'removed' and 'booking.created' = any (e.events)
           and exists (select from webhook_deliveries d where d.tenant_id = e.tenant_id and d.endpoint_id is null)
         order by e.tenant_id, e.id
       ) as to_adopt,
       array(
         select e.id::text from webhook_endpoints e
         where e.status = 'removed' and exists (select from webhook_queue q where q.endpoint_id = e.id)
       ) as to_cancel`,
  );
  return rows[0];
}

import type { Db, Trx } from '../../platform/database';
import type { DeliveryStatus } from './delivery';
import { inTime, type DeliveryFilter } from './delivery-search.repository';
import { QUEUED_STATUS } from './queue.repository';

/** Statuses that nothing will change by itself. */
export type FinishedStatus = Extract<DeliveryStatus, 'delivered' | 'dead' | 'cancelled'>;
export type ReplayFilter = Omit<DeliveryFilter, 'status'> & {
  status: FinishedStatus;
  /** Not what was finished since, as what was replayed first. */
  finishedBefore?: Date;
};

/** Deliveries by the state of their endpoint. */
export interface HeldBack {
  paused: number;
  disabled: number;
}

/** @param atMost counting stops there; without it all are counted */
export async function countReplayable(db: Db | Trx, filter: ReplayFilter, atMost?: number): Promise<number> {
  const found = replayable(db, filter).select('d.id');
  if (atMost !== undefined) void found.limit(atMost);
  const [row] = await db.from(found.as('found')).count<{ count: number }[]>('* as count');
  return row!.count;
}

/** What the filter finds, but no replay sends: deliveries of endpoints that take nothing at the moment. */
export async function countHeldBack(db: Db | Trx, filter: ReplayFilter, atMost?: number): Promise<HeldBack> {
  const found = finished(db, filter).whereIn('e.status', ['paused', 'disabled']).select('e.status');
  if (atMost !== undefined) void found.limit(atMost);
  const rows = await db
    .from(found.as('found'))
    .groupBy('status')
    .select('status')
    .count<{ status: keyof HeldBack; count: number }[]>('* as count');
  return { paused: 0, disabled: 0, ...Object.fromEntries(rows.map(({ status, count }) => [status, count])) };
}

/**
 * Queues finished deliveries of active endpoints again, those first that finished first; their attempts are counted on.
 * @returns how many
 */
export async function requeueFinished(trx: Trx, filter: ReplayFilter, limit: number): Promise<number> {
  const chosen = replayable(trx, filter)
    .select('d.id', 'd.endpoint_id', 'd.attempts')
    .orderBy(['d.finished_at', 'd.id'])
    .limit(limit)
    .forUpdate('d');
  const { rows } = await trx.raw<{ rows: [{ requeued: number }] }>(
    `with chosen as (?), queued as (
       insert into webhook_queue (delivery_id, endpoint_id, next_at, fence)
       select id, endpoint_id, now(), attempts from chosen
     ), requeued as (
       update webhook_deliveries d set next_attempt_at = now(), finished_at = null,
         status = ${QUEUED_STATUS}
       from chosen where d.id = chosen.id returning 1
     )
     select count(*)::integer as requeued from requeued`,
    [chosen],
  );
  return rows[0].requeued;
}

function replayable(db: Db | Trx, filter: ReplayFilter) {
  return finished(db, filter).where('e.status', 'active');
}

function finished(db: Db | Trx, { tenantId, endpointId, status, since, finishedBefore }: ReplayFilter) {
  const query = db('webhook_deliveries as d')
    .join('webhook_endpoints as e', 'e.id', 'd.endpoint_id')
    .where('d.status', status);
  if (tenantId) void query.where('d.tenant_id', tenantId);
  if (endpointId) void query.where('d.endpoint_id', endpointId);
  if (finishedBefore) void query.where('d.finished_at', '<', finishedBefore);
  return inTime(query, { since });
}

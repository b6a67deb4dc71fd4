import type { Db, Trx } from '../../platform/database/database';
import { isUuid } from '../../platform/forms/text-forms';
import type { DeliveryStatus, EventType } from './delivery';
import { type DeliveryFilter, inTimeRange } from './delivery-search.repository';
import { QUEUED_STATUS, readDatabaseTime } from './queue.repository';

/** Maximum number of deliveries of one replay. */
export const REPLAY_LIMIT = 10_000;

/**
 * Queues finished deliveries of active endpoints again: at most REPLAY_LIMIT, in the order in which they finished. Each delivery keeps its
 * webhook-id.
 * @returns replayed: the number of queued deliveries. left: the number of further matching deliveries. finishedBefore: pass this time to
 * the next call, so that it queues only the deliveries that are left
 */
export async function replayDeliveries(
  trx: Trx,
  filter: ReplayFilter,
): Promise<{ replayed: number; left: number; finishedBefore: Date }> {
  const finishedBefore = filter.finishedBefore ?? (await readDatabaseTime(trx));
  const bounded = { ...filter, finishedBefore };
  const replayed = await requeueFinished(trx, bounded, REPLAY_LIMIT);
  const left = replayed < REPLAY_LIMIT ? 0 : await countReplayable(trx, bounded);
  return { replayed, left, finishedBefore };
}

/** The statuses of finished deliveries. Only an operator's retry or replay changes them. */
export type FinishedStatus = Extract<DeliveryStatus, 'delivered' | 'dead' | 'cancelled'>;
export type ReplayFilter = Omit<DeliveryFilter, 'status'> & {
  status: FinishedStatus;
  type?: EventType;
  /** Finds only deliveries that finished before this time. A delivery that finished again after a replay is later than this time. */
  finishedBefore?: Date;
};

/** Numbers of matching deliveries that a replay does not send, by the state of the endpoint. */
export interface HeldBack {
  paused: number;
  disabled: number;
}

/** Counts the deliveries that a replay sends. @param atMost counting stops at this number */
export async function countReplayable(db: Db | Trx, filter: ReplayFilter, atMost?: number): Promise<number> {
  const found = replayable(db, filter).select('d.id');
  if (atMost !== undefined) void found.limit(atMost);
  const [row] = await db.from(found.as('found')).count<{ count: number }[]>('* as count');
  return row!.count;
}

/** The deliveries to one endpoint that a replay sends. */
export interface ReplayShare {
  endpointId: string;
  /** Slug of the tenant. */
  tenant: string;
  url: string;
  count: number;
  /** Creation times of the oldest and of the newest of these deliveries. */
  oldest: Date;
  newest: Date;
}

/**
 * Counts for each endpoint the deliveries that a replay sends, at most REPLAY_LIMIT in total. The endpoint with the most deliveries comes
 * first.
 */
export async function countReplayByEndpoint(db: Db, filter: ReplayFilter): Promise<ReplayShare[]> {
  const chosen = replayable(db, filter)
    .select('d.endpoint_id', 'd.created_at')
    .orderBy(['d.finished_at', 'd.id'])
    .limit(REPLAY_LIMIT);
  return db
    .from(chosen.as('d'))
    .join('webhook_endpoints as e', 'e.id', 'd.endpoint_id')
    .join('tenants as t', 't.id', 'e.tenant_id')
    .groupBy('e.id', 't.slug', 'e.url')
    .orderByRaw('count(*) desc, e.id')
    .select<ReplayShare[]>(
      'e.id as endpoint_id',
      't.slug as tenant',
      'e.url',
      db.raw('count(*)::integer as count'),
      db.raw('min(d.created_at) as oldest'),
      db.raw('max(d.created_at) as newest'),
    );
}

/** Counts the deliveries that match the filter but belong to paused or disabled endpoints. */
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
 * Queues finished deliveries of active endpoints again, in the order in which they finished. The attempt numbers of a delivery continue.
 * @returns the number of deliveries
 */
async function requeueFinished(trx: Trx, filter: ReplayFilter, limit: number): Promise<number> {
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

function finished(db: Db | Trx, { tenantId, endpointId, status, type, since, finishedBefore }: ReplayFilter) {
  const query = db('webhook_deliveries as d')
    .join('webhook_endpoints as e', 'e.id', 'd.endpoint_id')
    .where('d.status', status);
  if (tenantId) void query.where('d.tenant_id', tenantId);
  if (endpointId)
    void (isUuid(endpointId) ? query.where('d.endpoint_id', endpointId) : query.whereRaw('false'));
  if (type) void query.join('webhook_events as ev', 'ev.id', 'd.event_id').where('ev.type', type);
  if (finishedBefore) void query.where('d.finished_at', '<', finishedBefore);
  return inTimeRange(query, { since });
}

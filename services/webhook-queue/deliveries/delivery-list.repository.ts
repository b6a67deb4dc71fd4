import type { Knex } from 'knex';
import type { Db, Trx } from '../../platform/database';
import type { AttemptReport, DeliveryStatus, Outcome } from './delivery';
import {
  IN_FLIGHT,
  inTime,
  led,
  matching,
  type DeliveryFilter,
  type DeliverySearch,
} from './delivery-search.repository';

export type { DeliveryFilter, DeliverySearch };

/** As the terminal shows it (CONTRACT section 6), in wire names. */
export interface DeliveryItem {
  id: string;
  /** Slug. */
  tenant: string;
  event_type: string;
  booking_ref: string | null;
  /** Id; null while the delivery waits for an endpoint. */
  endpoint: string | null;
  status: DeliveryStatus;
  attempts: number;
  next_attempt_at: Date | null;
  last_status_code: number | null;
  last_error: string | null;
  created_at: Date;
}

export interface AttemptItem {
  number: number;
  started_at: Date;
  duration_ms: number;
  outcome: Outcome;
  status_code: number | null;
  reason: string | null;
  phases: AttemptReport['phases'];
  peer: string | null;
  signature: string | null;
  response_headers: Record<string, string> | null;
  response_body: string | null;
}

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

/** Null while its endpoint takes nothing; an open breaker makes it later. */
const NEXT_ATTEMPT = `case when e.status = 'active' then
  case when q.asked then d.next_attempt_at else greatest(d.next_attempt_at, h.blocked_until) end end as next_attempt_at`;

export async function findDeliveries(
  db: Db | Trx,
  search: DeliverySearch,
  limit: number,
): Promise<DeliveryItem[]> {
  const query = deliveries(db).orderBy('d.id', 'desc').limit(limit);
  return matching(db, query, search);
}

/**
 * As findDeliveries, but looks through `window` candidates at most: those that one index finds by status, endpoint, tenant or
 * time, whatever else they must be. So a rare thing costs no walk through all of history.
 * @returns also the candidate where it stopped, if it did before it had looked at all of them
 */
export async function findDeliveriesWithin(
  db: Db,
  search: DeliverySearch,
  { limit, window }: { limit: number; window: number },
): Promise<{ items: DeliveryItem[]; stoppedAt: { id: string; created_at: Date } | null }> {
  // What these find is little, however long the history.
  if (search.bookingRef || search.status === 'delivering' || search.withoutEndpoint)
    return { items: await findDeliveries(db, search, limit), stoppedAt: null };
  const candidates = led(db('webhook_deliveries as d'), search).orderBy('d.id', 'desc');
  const query = deliveries(db, candidates.clone().select('d.*').limit(window).as('d'));
  const items = await matching(db, query.orderBy('d.id', 'desc').limit(limit), search);
  if (items.length === limit) return { items, stoppedAt: null };
  const last = await candidates
    .offset(window - 1)
    .first<{ id: string; created_at: Date } | undefined>('d.id', 'd.created_at');
  return { items, stoppedAt: last ?? null };
}

export async function findDeliveryItem(db: Db | Trx, id: string): Promise<DeliveryItem | undefined> {
  return deliveries(db).where('d.id', id).first<DeliveryItem | undefined>();
}

type DeliveryWithBody = DeliveryItem & { tenant_id: string; event_id: string; body: string };

export async function findDelivery(db: Db | Trx, id: string): Promise<DeliveryWithBody | undefined> {
  const query = deliveries(db)
    .select('d.tenant_id', 'd.event_id', db.raw('coalesce(d.body, ev.body) as body'))
    .where('d.id', id);
  return query.first<DeliveryWithBody | undefined>();
}

export async function findAttempts(db: Db | Trx, deliveryId: string): Promise<AttemptItem[]> {
  return db('webhook_attempts')
    .where({ delivery_id: deliveryId })
    .orderBy('number')
    .select<AttemptItem[]>(
      'number',
      'started_at',
      'duration_ms',
      'outcome',
      'status_code',
      'reason',
      'phases',
      'peer',
      'signature',
      'response_headers',
      'response_body',
    );
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
         status = case when d.attempts = 0 then 'pending' else 'retrying' end
       from chosen where d.id = chosen.id returning 1
     )
     select count(*)::integer as requeued from requeued`,
    [chosen],
  );
  return rows[0].requeued;
}

function deliveries(db: Db | Trx, from: Knex.QueryBuilder | string = 'webhook_deliveries as d') {
  return db
    .from(from)
    .join('webhook_events as ev', 'ev.id', 'd.event_id')
    .join('tenants as t', 't.id', 'd.tenant_id')
    .leftJoin('webhook_queue as q', 'q.delivery_id', 'd.id')
    .leftJoin('webhook_endpoints as e', 'e.id', 'd.endpoint_id')
    .leftJoin('webhook_health as h', 'h.endpoint_id', 'd.endpoint_id')
    .select<DeliveryItem[]>(
      'd.id',
      't.slug as tenant',
      'ev.type as event_type',
      'ev.booking_ref',
      'd.endpoint_id as endpoint',
      db.raw(`case when ${IN_FLIGHT} then 'delivering' else d.status end as status`),
      'd.attempts',
      db.raw(NEXT_ATTEMPT),
      'd.last_status_code',
      'd.last_error',
      'd.created_at',
    );
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

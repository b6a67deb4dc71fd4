import type { Db, Trx } from '../../../platform/database/database';
import type { DeliveryStatus } from '../../deliveries/delivery';
import { type AttemptItem, attemptsOf } from '../../deliveries/find-deliveries';
import { SHOWN_STATUS } from '../../deliveries/queue.repository';
import type { EndpointStatus } from '../../endpoints/endpoint';
import { COUNTED_MAX } from '../../stats/queue-counts.repository';

/** Maximum number of attempts on the page. Only a delivery with many manual retries has more. */
export const ATTEMPTS_SHOWN = 30;
const SIBLINGS_SHOWN = 20;

export interface DeliveryRow {
  id: string;
  /** Time of the query, by the database's clock. */
  now: Date;
  eventId: string;
  /** Slug of the tenant. */
  tenant: string;
  eventType: string;
  bookingRef: string | null;
  /** The exact body that is sent. Holds personal data. */
  body: string;
  status: DeliveryStatus;
  attempts: number;
  /** Number of attempts that count for the retry schedule; null for a finished delivery. */
  triesSpent: number | null;
  uncounted: number | null;
  nextAttemptAt: Date | null;
  lastError: string | null;
  createdAt: Date;
  finishedAt: Date | null;
  endpointId: string | null;
  url: string | null;
  format: string | null;
  endpointStatus: EndpointStatus | null;
  statusReason: string | null;
  blockedUntil: Date | null;
  worker: string | null;
  claimedAt: Date | null;
  leaseUntil: Date | null;
}

export async function findDeliveryDetail(db: Db, id: string): Promise<DeliveryRow | undefined> {
  const { rows } = await db.raw<{ rows: DeliveryRow[] }>(
    `select d.id, now() as now, d.event_id, t.slug as tenant, ev.type as event_type, ev.booking_ref,
       coalesce(d.body, ev.body) as body, ${SHOWN_STATUS} as status, d.attempts,
       q.tries as tries_spent, q.spared as uncounted, coalesce(q.next_at, d.next_attempt_at) as next_attempt_at, d.last_error,
       d.created_at, d.finished_at, d.endpoint_id, e.url, e.format,
       e.status as endpoint_status, e.status_reason, h.blocked_until, q.worker,
       q.claimed_at, q.lease_until
     from webhook_deliveries d
     join webhook_events ev on ev.id = d.event_id
     join tenants t on t.id = d.tenant_id
     left join webhook_endpoints e on e.id = d.endpoint_id
     left join webhook_health h on h.endpoint_id = d.endpoint_id
     left join webhook_queue q on q.delivery_id = d.id
     where d.id = ?`,
    [id],
  );
  return rows[0];
}

export interface AttemptRow extends AttemptItem {
  worker: string;
}

/** Lists the last attempts, the newest first. */
export async function findShownAttempts(db: Db, deliveryId: string): Promise<AttemptRow[]> {
  return attemptsOf(db, deliveryId)
    .select<AttemptRow[]>('worker')
    .orderBy('number', 'desc')
    .limit(ATTEMPTS_SHOWN);
}

export type Sibling = Pick<DeliveryRow, 'id' | 'status'> & { endpointId: string; url: string };

/**
 * Lists the other deliveries of the same event. The ids of these deliveries begin with the same time, so the query reads a short range of
 * ids.
 */
export async function findSiblings(db: Db, { id, eventId, createdAt }: DeliveryRow): Promise<Sibling[]> {
  return db('webhook_deliveries as d')
    .join('webhook_endpoints as e', 'e.id', 'd.endpoint_id')
    .leftJoin('webhook_queue as q', 'q.delivery_id', 'd.id')
    .where('d.event_id', eventId)
    .whereNot('d.id', id)
    .whereRaw(
      `d.id >= webhook_first_id(:createdAt::timestamptz) and d.id < webhook_first_id(:createdAt::timestamptz + interval '1 ms')`,
      { createdAt },
    )
    .orderBy('d.id')
    .limit(SIBLINGS_SHOWN)
    .select<Sibling[]>('d.id', 'd.endpoint_id', 'e.url', db.raw(`${SHOWN_STATUS} as status`));
}

/** A delivery's endpoint, with the endpoint's state. */
export interface DeliveryEndpoint {
  id: string;
  url: string;
  status: EndpointStatus;
  statusReason: string | null;
  blockedUntil: Date | null;
}

export async function findDeliveryEndpoints(
  db: Db,
  endpointIds: readonly string[],
): Promise<Map<string, DeliveryEndpoint>> {
  const rows = await db('webhook_endpoints as e')
    .leftJoin('webhook_health as h', 'h.endpoint_id', 'e.id')
    .whereIn('e.id', endpointIds)
    .select<DeliveryEndpoint[]>('e.id', 'e.url', 'e.status', 'e.status_reason', 'h.blocked_until');
  return new Map(rows.map((row) => [row.id, row]));
}

/** Number of an endpoint's newest deliveries that are searched for failures. */
const SEARCHED_DELIVERIES = 1000;

export type FailureRow = Pick<
  DeliveryRow,
  'id' | 'eventType' | 'bookingRef' | 'status' | 'attempts' | 'lastError' | 'createdAt'
>;

/** Lists failed deliveries of an endpoint, the newest first. */
export async function findRecentFailures(db: Db, endpointId: string, limit: number): Promise<FailureRow[]> {
  const newest = db('webhook_deliveries')
    .where({ endpoint_id: endpointId })
    .orderBy('id', 'desc')
    .limit(SEARCHED_DELIVERIES)
    .select('*');
  return db
    .from(newest.as('d'))
    .join('webhook_events as ev', 'ev.id', 'd.event_id')
    .leftJoin('webhook_queue as q', 'q.delivery_id', 'd.id')
    .whereIn('d.status', ['retrying', 'dead'])
    .whereNotNull('d.last_error')
    .orderBy('d.id', 'desc')
    .limit(limit)
    .select<FailureRow[]>(
      'd.id',
      'ev.type as event_type',
      'ev.booking_ref',
      db.raw(`${SHOWN_STATUS} as status`),
      'd.attempts',
      'd.last_error',
      'd.created_at',
    );
}

/** Maximum number of tenants that the overview names. */
const NAMED_MAX = 5;

export interface WaitingTenant {
  /** Slug of the tenant. */
  tenant: string;
  waiting: number;
}

/**
 * Lists tenants with deliveries that wait for an endpoint. The tenant with the most such deliveries comes first. Reads at most COUNTED_MAX
 * + 1 deliveries in total.
 */
export async function findWaitingTenants(db: Db): Promise<WaitingTenant[]> {
  const { rows } = await db.raw<{ rows: WaitingTenant[] }>(
    `select t.slug as tenant, count(*) as waiting
     from (select tenant_id from webhook_deliveries where endpoint_id is null limit :bound) d join tenants t on t.id = d.tenant_id
     group by t.slug order by waiting desc, tenant limit ${NAMED_MAX}`,
    { bound: COUNTED_MAX + 1 },
  );
  return rows;
}

export async function findTenantIdBySlug(db: Db | Trx, slug: string): Promise<string | undefined> {
  const row = await db('tenants').where({ slug }).first<{ id: string } | undefined>('id');
  return row?.id;
}

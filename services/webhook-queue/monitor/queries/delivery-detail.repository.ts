import type { Db } from '../../../platform/database';
import type { AttemptReport, DeliveryStatus, Outcome } from '../../deliveries/delivery';
import { SHOWN_STATUS } from '../../deliveries/queue.repository';
import type { EndpointStatus } from '../../endpoints/endpoint';

/** More than that is a delivery that was retried by hand again and again. */
export const TRIES_SHOWN = 30;
/** Endpoints of one tenant that are told of one event. */
const SIBLINGS_SHOWN = 20;

export interface DeliveryRow {
  id: string;
  /** Of the reading, by the database's clock. */
  now: Date;
  eventId: string;
  /** Slug. */
  tenant: string;
  eventType: string;
  bookingRef: string | null;
  /** The very bytes that are sent. Personal data. */
  body: string;
  status: DeliveryStatus;
  attempts: number;
  /** Of the schedule; null where it is finished. */
  triesSpent: number | null;
  spared: number | null;
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
    `select d.id, now() as now, d.event_id as "eventId", t.slug as tenant, ev.type as "eventType", ev.booking_ref as "bookingRef",
       coalesce(d.body, ev.body) as body, ${SHOWN_STATUS} as status, d.attempts,
       q.tries as "triesSpent", q.spared, coalesce(q.next_at, d.next_attempt_at) as "nextAttemptAt", d.last_error as "lastError",
       d.created_at as "createdAt", d.finished_at as "finishedAt", d.endpoint_id as "endpointId", e.url, e.format,
       e.status as "endpointStatus", e.status_reason as "statusReason", h.blocked_until as "blockedUntil", q.worker,
       q.claimed_at as "claimedAt", q.lease_until as "leaseUntil"
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

export interface TryRow {
  number: number;
  startedAt: Date;
  durationMs: number;
  outcome: Outcome;
  statusCode: number | null;
  reason: string | null;
  phases: AttemptReport['phases'];
  peer: string | null;
  signature: string | null;
  responseHeaders: Record<string, string> | null;
  responseBody: string | null;
  worker: string;
}

/** The last ones, the newest first. */
export async function findTries(db: Db, deliveryId: string): Promise<TryRow[]> {
  return db('webhook_attempts')
    .where({ delivery_id: deliveryId })
    .orderBy('number', 'desc')
    .limit(TRIES_SHOWN)
    .select<TryRow[]>(
      'number',
      'started_at as startedAt',
      'duration_ms as durationMs',
      'outcome',
      'status_code as statusCode',
      'reason',
      'phases',
      'peer',
      'signature',
      'response_headers as responseHeaders',
      'response_body as responseBody',
      'worker',
    );
}

export interface Sibling {
  id: string;
  url: string;
  status: DeliveryStatus;
}

/** Where else the same event goes. Its deliveries are of the moment that begins all their ids. */
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
    .select<Sibling[]>('d.id', 'e.url', db.raw(`${SHOWN_STATUS} as status`));
}

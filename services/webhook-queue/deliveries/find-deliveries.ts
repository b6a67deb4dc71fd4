import type { Db, Trx } from '../../platform/database/database';
import { isUuid } from '../../platform/forms/text-forms';
import { webhookId } from '../signing/sign-payload';
import { DeliveryNotFoundError } from '../webhook.errors';
import type { Knex } from 'knex';
import type { AttemptReport, DeliveryStatus } from './delivery';
import { byLeadingIndex, type DeliverySearch, matchingSearch } from './delivery-search.repository';
import { SHOWN_STATUS } from './queue.repository';

/** A delivery as lists show it. */
export interface DeliveryItem {
  id: string;
  /** Slug of the tenant. */
  tenant: string;
  eventType: string;
  bookingRef: string | null;
  /** Endpoint id; null while the delivery waits for an endpoint. */
  endpoint: string | null;
  status: DeliveryStatus;
  attempts: number;
  nextAttemptAt: Date | null;
  lastStatusCode: number | null;
  lastError: string | null;
  createdAt: Date;
}

/** Converts a delivery to wire names. */
export function toDeliveryDocument(delivery: DeliveryItem) {
  return {
    id: delivery.id,
    tenant: delivery.tenant,
    event_type: delivery.eventType,
    booking_ref: delivery.bookingRef,
    endpoint: delivery.endpoint,
    status: delivery.status,
    attempts: delivery.attempts,
    next_attempt_at: delivery.nextAttemptAt,
    last_status_code: delivery.lastStatusCode,
    last_error: delivery.lastError,
    created_at: delivery.createdAt,
  };
}

export interface AttemptItem extends Omit<AttemptReport, 'retryAfterSeconds'> {
  number: number;
  startedAt: Date;
}

export type AttemptDocument = ReturnType<typeof toAttemptDocument>;

/** Converts an attempt to wire names. Omits the headers and the body of the response, which may repeat personal data of the request. */
export function toAttemptDocument(attempt: AttemptItem) {
  return {
    number: attempt.number,
    started_at: attempt.startedAt,
    duration_ms: attempt.durationMs,
    outcome: attempt.outcome,
    status_code: attempt.statusCode,
    reason: attempt.reason,
    phases: attempt.phases,
    peer: attempt.peer,
    signature: attempt.signature,
  };
}

/**
 * Time of the next attempt; null if the endpoint is not active. An open breaker postpones the attempt, except an attempt that an operator
 * requested.
 */
const NEXT_ATTEMPT = `case when e.status = 'active' then
  case when q.asked then d.next_attempt_at else greatest(d.next_attempt_at, h.blocked_until) end end as next_attempt_at`;

/** Finds deliveries, newest first. */
export async function findDeliveries(
  db: Db | Trx,
  search: DeliverySearch,
  limit: number,
): Promise<DeliveryItem[]> {
  if (search.endpointId && !isUuid(search.endpointId)) return [];
  const query = deliveries(db).orderBy('d.id', 'desc').limit(limit);
  return matchingSearch(db, query, search);
}

/**
 * Finds deliveries among at most `window` candidates from one index (status, endpoint, tenant or time). So a search with few matches does
 * not scan the whole history.
 * @returns stoppedAt: the last candidate, if the search read `window` candidates and found fewer than `limit` matches; a further search can
 * start after it. Otherwise null
 */
export async function findDeliveriesWithin(
  db: Db,
  search: DeliverySearch,
  { limit, window }: { limit: number; window: number },
): Promise<{ items: DeliveryItem[]; stoppedAt: { id: string; createdAt: Date } | null }> {
  // Needs no window for these conditions, because each of them matches few rows even in a long history.
  if (search.bookingRef || search.status === 'delivering' || search.withoutEndpoint)
    return { items: await findDeliveries(db, search, limit), stoppedAt: null };
  const candidates = byLeadingIndex(db('webhook_deliveries as d'), search).orderBy('d.id', 'desc');
  const query = deliveries(db, candidates.clone().select('d.*').limit(window).as('d'));
  const items = await matchingSearch(db, query.orderBy('d.id', 'desc').limit(limit), search);
  if (items.length === limit) return { items, stoppedAt: null };
  const last = await candidates
    .offset(window - 1)
    .first<{ id: string; createdAt: Date } | undefined>('d.id', 'd.created_at');
  return { items, stoppedAt: last ?? null };
}

export async function findDeliveryItem(db: Db | Trx, id: string): Promise<DeliveryItem | undefined> {
  return deliveries(db).where('d.id', id).first<DeliveryItem | undefined>();
}

type DeliveryWithBody = DeliveryItem & { tenantId: string; eventId: string; body: string };

async function findDelivery(db: Db | Trx, id: string): Promise<DeliveryWithBody | undefined> {
  const query = deliveries(db)
    .select('d.tenant_id', 'd.event_id', db.raw('coalesce(d.body, ev.body) as body'))
    .where('d.id', id);
  return query.first<DeliveryWithBody | undefined>();
}

async function findAttempts(db: Db | Trx, deliveryId: string): Promise<AttemptItem[]> {
  return attemptsOf(db, deliveryId).orderBy('number');
}

/** Selects the attempts of a delivery; the caller adds the order. */
export function attemptsOf(db: Db | Trx, deliveryId: string) {
  return db('webhook_attempts')
    .where({ delivery_id: deliveryId })
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
      db.raw(`${SHOWN_STATUS} as status`),
      'd.attempts',
      db.raw(NEXT_ATTEMPT),
      'd.last_status_code',
      'd.last_error',
      'd.created_at',
    );
}

export interface DeliveryDetail extends DeliveryItem {
  tenantId: string;
  /** The webhook-id header: the same for all attempts and replays. */
  webhookId: string;
  /** The body that is sent; contains personal data. */
  body: string;
  tries: AttemptItem[];
}

/** Returns a delivery with its attempts. @throws DeliveryNotFoundError */
export async function showDelivery(db: Db | Trx, id: string): Promise<DeliveryDetail> {
  const delivery = isUuid(id) ? await findDelivery(db, id) : undefined;
  if (!delivery) throw new DeliveryNotFoundError();
  const { eventId, ...shown } = delivery;
  return { ...shown, webhookId: webhookId(eventId), tries: await findAttempts(db, id) };
}

/** Maximum number of deliveries in the list. A booking has fewer: at most its number of events times the tenant's number of endpoints. */
const BOOKING_LIMIT = 200;

/** Lists the deliveries of a booking, oldest first, with their attempts. */
export async function listDeliveriesOfBooking(
  db: Db,
  bookingRef: string,
): Promise<(DeliveryItem & { tries: AttemptItem[] })[]> {
  const items = await findDeliveries(db, { bookingRef }, BOOKING_LIMIT);
  const withTries = items.map(async (item) => ({ ...item, tries: await findAttempts(db, item.id) }));
  return (await Promise.all(withTries)).reverse();
}

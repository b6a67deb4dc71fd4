import type { Knex } from 'knex';
import type { Db, Trx } from '../../platform/database/database';
import type { DeliveryStatus, AttemptOutcome } from './delivery';
import { IN_FLIGHT } from './queue.repository';

export interface DeliveryFilter {
  tenantId?: string;
  endpointId?: string;
  status?: DeliveryStatus;
  /** Created at this time or later. */
  since?: Date;
}

/** Conditions of a search in the history. All of them must hold. */
export interface DeliverySearch extends DeliveryFilter {
  /** Finds deliveries that wait without an endpoint. */
  withoutEndpoint?: boolean;
  type?: string;
  /** Outcome of the last attempt. */
  outcome?: AttemptOutcome;
  /** Range of the HTTP status of the last response. Includes both ends. */
  codes?: readonly [from: number, to: number];
  /** Created before this time. */
  until?: Date;
  bookingRef?: string;
  /** Finds only deliveries whose id is smaller than this one, which are older. */
  before?: string;
}

/**
 * A search for deliveries in flight reads at most this number of due deliveries of an endpoint, the oldest first. Workers also claim the
 * oldest first. So the search misses a delivery in flight only if all workers together have more than this number in flight to the
 * endpoint.
 */
const LEASES_CHECKED = 200;

/** Adds all conditions of the search to a query with these aliases: delivery d, event ev, and queue row q. */
export function matchingSearch<Query extends Knex.QueryBuilder>(
  db: Db | Trx,
  query: Query,
  search: DeliverySearch,
): Query {
  const { tenantId, endpointId, status, type, outcome, codes, bookingRef } = search;
  if (tenantId) void query.where('d.tenant_id', tenantId);
  if (endpointId) void query.where('d.endpoint_id', endpointId);
  if (search.withoutEndpoint) void query.whereNull('d.endpoint_id');
  void inTimeRange(query, search);
  if (status === 'delivering') void query.whereRaw('d.id in (?)', [inFlight(db)]);
  else if (status) void query.where('d.status', status).whereRaw(`(${IN_FLIGHT}) is not true`);
  if (type) void query.where('ev.type', type);
  if (codes) void query.whereBetween('d.last_status_code', codes);
  if (bookingRef) void query.whereRaw('d.id in (?)', [ofBooking(db, bookingRef)]);
  if (outcome)
    void query.whereExists((attempt) =>
      attempt
        .from('webhook_attempts as a')
        .whereRaw('a.delivery_id = d.id and a.number = d.attempts')
        .where({ outcome }),
    );
  return query;
}

/** Adds the time range, and one of the status, the endpoint and the tenant. PostgreSQL serves both conditions by one index. */
export function byLeadingIndex<Query extends Knex.QueryBuilder>(query: Query, search: DeliverySearch): Query {
  const { status, endpointId, tenantId } = search;
  if (status && status !== 'delivered') void query.where('d.status', status);
  else if (endpointId) void query.where('d.endpoint_id', endpointId);
  else if (tenantId) void query.where('d.tenant_id', tenantId);
  return inTimeRange(query, search);
}

/**
 * Adds the time range as conditions on the creation time and on the id. Ids begin with the creation time, so PostgreSQL skips the
 * partitions of other months.
 */
export function inTimeRange<Query extends Knex.QueryBuilder>(
  query: Query,
  { since, until, before }: DeliverySearch,
): Query {
  if (since)
    void query
      .where('d.created_at', '>=', since)
      .whereRaw('d.id >= webhook_first_id(?::timestamptz)', [since]);
  if (until)
    void query
      .where('d.created_at', '<', until)
      .whereRaw(`d.id < webhook_first_id(?::timestamptz + interval '1 ms')`, [until]);
  if (before) void query.where('d.id', '<', before);
  return query;
}

function inFlight(db: Db | Trx) {
  return db.raw(
    `select f.delivery_id from webhook_endpoints e cross join lateral (
       select q.delivery_id, q.lease_until from webhook_queue q
       where q.endpoint_id = e.id and q.next_at <= now() order by q.next_at limit ${LEASES_CHECKED}
     ) f where f.lease_until > now()`,
  );
}

/**
 * Finds the deliveries of a booking through its events. The id of a delivery starts with nearly the same time as the id of its event, so
 * the query reads only a short range of ids. The limit keeps the planner from joining the whole tables (at 200,000 deliveries 4 ms instead
 * of 92).
 */
function ofBooking(db: Db | Trx, bookingRef: string) {
  return db.raw(
    `select o.id from webhook_events b cross join lateral (
       select d.id from webhook_deliveries d
       where d.event_id = b.id and d.id >= webhook_first_id(b.created_at)
         and d.id < webhook_first_id(b.created_at + interval '1 ms')
       limit 1000
     ) o where b.booking_ref = ?`,
    [bookingRef],
  );
}

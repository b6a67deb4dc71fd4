import type { Knex } from 'knex';
import type { Db, Trx } from '../../platform/database';
import type { DeliveryStatus, Outcome } from './delivery';
import { IN_FLIGHT } from './queue.repository';

export interface DeliveryFilter {
  tenantId?: string;
  endpointId?: string;
  status?: DeliveryStatus;
  /** Created then or later. */
  since?: Date;
}

/** What a person looks for in the history; both ends of a range are included, but `until`. */
export interface DeliverySearch extends DeliveryFilter {
  /** Waiting without an endpoint. */
  withoutEndpoint?: boolean;
  type?: string;
  /** Of the last attempt. */
  outcome?: Outcome;
  codes?: readonly [from: number, to: number];
  until?: Date;
  bookingRef?: string;
  /** Id of the delivery after which it goes on: lists run from the newest to the oldest. */
  before?: string;
}

/** Due ones of an endpoint that are looked at for those in flight: they stand in front, as many as it has lanes in all workers. */
const LANES_LOOKED_AT = 200;

/** All that is asked for. The query has the delivery as d, its event as ev, and what is queued of it as q. */
export function matching<Query extends Knex.QueryBuilder>(
  db: Db | Trx,
  query: Query,
  search: DeliverySearch,
): Query {
  const { tenantId, endpointId, status, type, outcome, codes, bookingRef } = search;
  if (tenantId) void query.where('d.tenant_id', tenantId);
  if (endpointId) void query.where('d.endpoint_id', endpointId);
  if (search.withoutEndpoint) void query.whereNull('d.endpoint_id');
  void inTime(query, search);
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

/** The one condition that an index leads by, and the time. */
export function led<Query extends Knex.QueryBuilder>(query: Query, search: DeliverySearch): Query {
  const { status, endpointId, tenantId } = search;
  if (status && status !== 'delivered') void query.where('d.status', status);
  else if (endpointId) void query.where('d.endpoint_id', endpointId);
  else if (tenantId) void query.where('d.tenant_id', tenantId);
  return inTime(query, search);
}

/** By id as well, so that months outside are not looked at. */
export function inTime<Query extends Knex.QueryBuilder>(
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
       where q.endpoint_id = e.id and q.next_at <= now() order by q.next_at limit ${LANES_LOOKED_AT}
     ) f where f.lease_until > now()`,
  );
}

/**
 * An event and its deliveries are of one moment, which begins the ids of both. The limit keeps the planner from joining the two
 * tables as a whole (92 ms at 200,000 deliveries, against 4).
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

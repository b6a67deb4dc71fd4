import type { Knex } from 'knex';
import type { Db } from '../../../platform/database';
import type { EndpointStatus } from '../../endpoints/endpoint';
import { SIGNS } from '../../endpoints/endpoint-secrets';
import type { EndpointStateFilter } from './read-query';
import type { DeliveryStatus } from '../../deliveries/delivery';
import { SHOWN_STATUS } from '../../deliveries/queue.repository';

/** Counting waiting deliveries stops at this number + 1. */
export const WAITING_COUNT_LIMIT = 1000;

export interface EndpointRow {
  id: string;
  /** Time of the query, by the database's clock. */
  now: Date;
  tenantId: string;
  /** Slug. */
  tenant: string;
  url: string;
  format: string;
  events: string[];
  status: EndpointStatus;
  statusReason: string | null;
  statusSince: Date;
  createdAt: Date;
  /** Null for a healthy endpoint. */
  failures: number | null;
  failingSince: Date | null;
  exhausted: number | null;
  openings: number | null;
  blockedUntil: Date | null;
  /** Unfinished deliveries. */
  waiting: number;
  /** Creation of the newest secret; null for a removed endpoint. */
  secretMadeAt: Date | null;
  /** Number of secrets that sign now. */
  secrets: number;
}

interface EndpointSearch {
  /** Slug. */
  tenant?: string;
  /** Undefined: all but removed endpoints. */
  status?: EndpointStateFilter;
  /** Id of the last endpoint of the previous page. */
  after?: string;
}

/** Lists endpoints by tenant, then by age. */
export async function findEndpointRows(
  db: Db,
  search: EndpointSearch,
  limit: number,
): Promise<EndpointRow[]> {
  const query = endpoints(db).orderBy(['t.slug', 'e.id']).limit(limit);
  if (search.tenant) void query.where('t.slug', search.tenant);
  if (search.after)
    void query.whereRaw(
      `(t.slug, e.id) > (select p.slug, a.id from webhook_endpoints a join tenants p on p.id = a.tenant_id where a.id = ?)`,
      [search.after],
    );
  return inState(query, search.status);
}

export async function findEndpointRow(db: Db, id: string): Promise<EndpointRow | undefined> {
  return endpoints(db).where('e.id', id).first<EndpointRow | undefined>();
}

function inState<Query extends Knex.QueryBuilder>(
  query: Query,
  status: EndpointStateFilter | undefined,
): Query {
  if (status === undefined) void query.whereNot('e.status', 'removed');
  else if (status === 'breaker') void query.where('e.status', 'active').where('h.openings', '>', 0);
  else void query.where('e.status', status);
  return query;
}

function endpoints(db: Db) {
  return db('webhook_endpoints as e')
    .join('tenants as t', 't.id', 'e.tenant_id')
    .leftJoin('webhook_health as h', 'h.endpoint_id', 'e.id')
    .select<EndpointRow[]>(
      'e.id',
      db.raw('now() as now'),
      'e.tenant_id',
      't.slug as tenant',
      'e.url',
      'e.format',
      'e.events',
      'e.status',
      'e.status_reason',
      'e.status_since',
      'e.created_at',
      'h.failures',
      'h.failing_since',
      'h.exhausted',
      'h.openings',
      'h.blocked_until',
      db.raw(
        `(select count(*) from (select from webhook_queue q where q.endpoint_id = e.id limit ${WAITING_COUNT_LIMIT + 1}) w) as waiting`,
      ),
      db.raw(
        `(select max(s.created_at) from webhook_secrets s where s.endpoint_id = e.id) as secret_made_at`,
      ),
      db.raw(`(select count(*) from webhook_secrets s where s.endpoint_id = e.id and ${SIGNS}) as secrets`),
    );
}

export interface StateChange {
  at: Date;
  actor: string;
}

/** Finds the last state change by an operator, by endpoint id. */
export async function findStateChanges(
  db: Db,
  endpoints: readonly Pick<EndpointRow, 'id' | 'tenantId'>[],
): Promise<Map<string, StateChange>> {
  const rows = await db('audit_log')
    .distinctOn('subject')
    .whereIn('tenant_id', [...new Set(endpoints.map(({ tenantId }) => tenantId))])
    .whereIn(
      'subject',
      endpoints.map(({ id }) => id),
    )
    .whereIn('action', [
      'webhook.pause',
      'webhook.resume',
      'webhook.disable',
      'webhook.enable',
      'webhook.remove',
    ])
    .orderBy([{ column: 'subject' }, { column: 'id', order: 'desc' }])
    .select<(StateChange & { subject: string })[]>('subject', 'at', 'actor');
  return new Map(rows.map(({ subject, at, actor }) => [subject, { at, actor }]));
}

/** Searches failures among this many newest deliveries of an endpoint. */
const SEARCHED_DELIVERIES = 1000;

export interface FailureRow {
  id: string;
  eventType: string;
  bookingRef: string | null;
  status: DeliveryStatus;
  attempts: number;
  lastError: string | null;
  createdAt: Date;
}

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

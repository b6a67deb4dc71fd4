import type { Knex } from 'knex';
import type { Db } from '../../../platform/database';
import type { EndpointStatus } from '../../endpoints/endpoint';
import type { EndpointFilter } from './read-query';

/** Counting what waits stops one beyond it. */
export const WAITING_MOST = 1000;

export interface EndpointRow {
  id: string;
  /** Of the reading, by the database's clock. */
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
  /** Null where nothing is wrong. */
  failures: number | null;
  failingSince: Date | null;
  exhausted: number | null;
  openings: number | null;
  openedAt: Date | null;
  blockedUntil: Date | null;
  /** Deliveries that are due, wait for their next try, or are being sent. */
  waiting: number;
  /** When the newest secret was made; null for a removed endpoint. */
  secretMadeAt: Date | null;
  /** Secrets that sign at this moment. */
  secrets: number;
}

export interface EndpointSearch {
  /** Slug. */
  tenant?: string;
  /** Left out: all but removed ones. */
  status?: EndpointFilter;
  /** Id of the endpoint after which it goes on. */
  after?: string;
}

/** By tenant, then by age. */
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

function inState<Query extends Knex.QueryBuilder>(query: Query, status: EndpointFilter | undefined): Query {
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
      'e.tenant_id as tenantId',
      't.slug as tenant',
      'e.url',
      'e.format',
      'e.events',
      'e.status',
      'e.status_reason as statusReason',
      'e.status_since as statusSince',
      'e.created_at as createdAt',
      'h.failures',
      'h.failing_since as failingSince',
      'h.exhausted',
      'h.openings',
      'h.opened_at as openedAt',
      'h.blocked_until as blockedUntil',
      db.raw(
        `(select count(*) from (select from webhook_queue q where q.endpoint_id = e.id limit ${WAITING_MOST + 1}) w) as waiting`,
      ),
      db.raw(
        `(select max(s.created_at) from webhook_secrets s where s.endpoint_id = e.id) as "secretMadeAt"`,
      ),
      db.raw(
        `(select count(*) from webhook_secrets s where s.endpoint_id = e.id and (s.expires_at is null or s.expires_at > now()))
           as secrets`,
      ),
    );
}

export interface StateChange {
  at: Date;
  actor: string;
}

/** By endpoint, the last change of its state that a person made. What a receiver's answer did is of another moment. */
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

/** Newest deliveries of an endpoint among which its failures are looked for. */
const LOOKED_AT = 1000;

export interface FailureRow {
  id: string;
  eventType: string;
  bookingRef: string | null;
  status: 'retrying' | 'dead';
  attempts: number;
  lastError: string | null;
  createdAt: Date;
}

/** The newest first. */
export async function findRecentFailures(db: Db, endpointId: string, limit: number): Promise<FailureRow[]> {
  const newest = db('webhook_deliveries')
    .where({ endpoint_id: endpointId })
    .orderBy('id', 'desc')
    .limit(LOOKED_AT)
    .select('*');
  return db
    .from(newest.as('d'))
    .join('webhook_events as ev', 'ev.id', 'd.event_id')
    .whereIn('d.status', ['retrying', 'dead'])
    .whereNotNull('d.last_error')
    .orderBy('d.id', 'desc')
    .limit(limit)
    .select<FailureRow[]>(
      'd.id',
      'ev.type as eventType',
      'ev.booking_ref as bookingRef',
      'd.status',
      'd.attempts',
      'd.last_error as lastError',
      'd.created_at as createdAt',
    );
}

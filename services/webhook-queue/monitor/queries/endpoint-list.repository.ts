import type { Knex } from 'knex';
import type { Db } from '../../../platform/database';
import type { EndpointStatus } from '../../endpoints/endpoint';
import { SIGNS } from '../../endpoints/secret.repository';
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
      'h.blocked_until as blockedUntil',
      db.raw(
        `(select count(*) from (select from webhook_queue q where q.endpoint_id = e.id limit ${WAITING_MOST + 1}) w) as waiting`,
      ),
      db.raw(
        `(select max(s.created_at) from webhook_secrets s where s.endpoint_id = e.id) as "secretMadeAt"`,
      ),
      db.raw(`(select count(*) from webhook_secrets s where s.endpoint_id = e.id and ${SIGNS}) as secrets`),
    );
}

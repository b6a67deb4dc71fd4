import type { Db } from '../../../platform/database/database';
import type { Endpoint } from '../../endpoints/endpoint';
import { SIGNS } from '../../endpoints/endpoint-secrets';
import type { EndpointStateFilter } from './read-query';

/** The highest number of waiting deliveries that is shown exactly. The counting stops at this number + 1. */
export const WAITING_COUNT_LIMIT = 1000;

export interface EndpointRow extends Endpoint {
  /** Time of the query, by the database's clock. */
  now: Date;
  statusSince: Date;
  /** This field and the next four are null for a healthy endpoint. */
  failures: number | null;
  failingSince: Date | null;
  exhausted: number | null;
  openings: number | null;
  blockedUntil: Date | null;
  /** Number of unfinished deliveries. Counting stops at WAITING_COUNT_LIMIT + 1. */
  waiting: number;
  /** Creation of the newest secret; null for a removed endpoint. */
  secretMadeAt: Date | null;
  /** Number of secrets that sign now. */
  secrets: number;
}

/** Maximum number of choices of a select. */
export const CHOICES_MAX = 200;

/** Lists at most CHOICES_MAX + 1 tenants for a form field. The keys and the values are the slugs. */
export async function findTenantChoices(db: Db): Promise<Record<string, string>> {
  const slugs = await db('tenants')
    .orderBy('slug')
    .limit(CHOICES_MAX + 1)
    .pluck<string[]>('slug');
  return Object.fromEntries(slugs.map((slug) => [slug, slug]));
}

/**
 * Lists at most CHOICES_MAX + 1 endpoints for a form field: their URLs, keyed by id. Omits removed endpoints.
 * @param tenant a slug; undefined: of all tenants
 */
export async function findEndpointChoices(db: Db, tenant?: string): Promise<Record<string, string>> {
  const query = db('webhook_endpoints as e')
    .join('tenants as t', 't.id', 'e.tenant_id')
    .whereNot('e.status', 'removed')
    .orderBy(['t.slug', 'e.id'])
    .limit(CHOICES_MAX + 1)
    .select<{ id: string; tenant: string; url: string }[]>('e.id', 't.slug as tenant', 'e.url');
  if (tenant) void query.where('t.slug', tenant);
  const rows = await query;
  return Object.fromEntries(
    rows.map(({ id, tenant, url }) => [id, `${tenant}: ${url.replace(/^https?:[/][/]/, '')}`]),
  );
}

/** Lists the endpoints of these hosts that are not removed, so that the name of an endpoint can be distinct. */
export async function findEndpointsOfHosts(
  db: Db,
  hosts: readonly string[],
): Promise<{ id: string; url: string }[]> {
  return db('webhook_endpoints')
    .whereNot('status', 'removed')
    .whereRaw(`split_part(url, '/', 3) = any(?)`, [[...hosts]])
    .select<{ id: string; url: string }[]>('id', 'url');
}

interface EndpointSearch {
  /** Slug of the tenant. */
  tenant?: string;
  /** Undefined: all but removed endpoints. */
  status?: EndpointStateFilter;
  /** Id of the last endpoint of the previous page. */
  after?: string;
}

/** Lists endpoints in the order of their tenants' slugs, then the oldest first. */
export async function findEndpointRows(
  db: Db,
  { tenant, status, after }: EndpointSearch,
  limit: number,
): Promise<EndpointRow[]> {
  const query = endpoints(db).orderBy(['t.slug', 'e.id']).limit(limit);
  if (tenant) void query.where('t.slug', tenant);
  if (after)
    void query.whereRaw(
      `(t.slug, e.id) > (select p.slug, a.id from webhook_endpoints a join tenants p on p.id = a.tenant_id where a.id = ?)`,
      [after],
    );
  if (status === undefined) return query.whereNot('e.status', 'removed');
  if (status === 'breaker') return query.where('e.status', 'active').where('h.openings', '>', 0);
  return query.where('e.status', status);
}

export async function findEndpointRow(db: Db, id: string): Promise<EndpointRow | undefined> {
  return endpoints(db).where('e.id', id).first<EndpointRow | undefined>();
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

/** Finds for each endpoint the last state change by an operator. Keyed by endpoint id. */
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

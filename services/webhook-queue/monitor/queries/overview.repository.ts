import type { Db } from '../../../platform/database';
import { DUE } from '../../deliveries/queue.repository';
import { BEAT_SECONDS } from '../../upkeep/worker-beat.repository';

/** Counting stops one beyond it. */
export const COUNTED_MOST = 10_000;
/** Endpoints and tenants that are named; the rest is a number. */
const NAMED_MOST = 5;
/** Endpoints that are asked for what is due. */
const PROBED_MOST = 5000;
/** Three beats. */
const ALIVE_SECONDS = 3 * BEAT_SECONDS;

export interface Counts {
  now: Date;
  /** That a worker could take at this moment. */
  due: number;
  oldestDue: Date | null;
  /** Due, but their endpoint is paused, disabled or blocked by its breaker. */
  held: number;
  retrying: number;
  dead: number;
  /** Of those, that died within 24 hours. */
  deadToday: number;
  /** Waiting without an endpoint. */
  waiting: number;
  breakersOpen: number;
  breakersTrying: number;
  disabled: number;
  paused: number;
  endpoints: number;
}

/**
 * One index probe an endpoint for the oldest, and a walk along the index that ends at the bound for the number: the order is there
 * for that, without it a bitmap of all is made first.
 */
const DUE_OF = (which: string) => `
  select (
      select count(*) from (
        select from ${which} r cross join lateral (
          select from webhook_queue q
          where q.endpoint_id = r.id and ${DUE}
          order by q.next_at limit :bound
        ) q limit :bound
      ) counted
    ) as due, (
      select min(q.next_at) from ${which} r cross join lateral (
        select q.next_at from webhook_queue q
        where q.endpoint_id = r.id and ${DUE}
        order by q.next_at limit 1
      ) q
    ) as oldest`;

const COUNTS = `
  with endpoint as materialized (
    select e.id, e.status, e.status = 'active' and h.blocked_until > now() as blocked,
      e.status = 'active' and h.openings > 0 and h.blocked_until <= now() as trying
    from webhook_endpoints e left join webhook_health h on h.endpoint_id = e.id where e.status <> 'removed'
  ), ready as materialized (
    select id from endpoint where status = 'active' and blocked is not true limit ${PROBED_MOST}
  ), kept as materialized (
    select id from endpoint where status <> 'active' or blocked limit ${PROBED_MOST}
  ), ready_due as (${DUE_OF('ready')}), kept_due as (${DUE_OF('kept')})
  select now() as now, ready_due.due, ready_due.oldest as "oldestDue", kept_due.due as held, dead.*,
    (select count(*) from (select from webhook_deliveries where status = 'retrying' limit :bound) r) as retrying,
    (select count(*) from (select from webhook_deliveries where endpoint_id is null limit :bound) w) as waiting,
    by_state.*
  from ready_due, kept_due, (
    select count(*) as dead, count(*) filter (where finished_at > now() - interval '24 hours') as "deadToday"
    from (select finished_at from webhook_deliveries where status = 'dead' order by id desc limit :bound) d
  ) dead, (
    select count(*) as endpoints, count(*) filter (where blocked) as "breakersOpen", count(*) filter (where trying) as "breakersTrying",
      count(*) filter (where status = 'disabled') as disabled, count(*) filter (where status = 'paused') as paused
    from endpoint
  ) by_state`;

export async function findCounts(db: Db): Promise<Counts> {
  const { rows } = await db.raw<{ rows: [Counts] }>(COUNTS, { bound: COUNTED_MOST + 1 });
  return rows[0];
}

export interface WorkerRow {
  id: string;
  startedAt: Date;
  beatAt: Date;
  alive: boolean;
  slots: number;
  inFlight: number;
}

/** Those that live first, then those that were seen last. */
export async function findWorkers(db: Db): Promise<WorkerRow[]> {
  return db('webhook_workers')
    .orderByRaw(`beat_at > now() - interval '${ALIVE_SECONDS} seconds' desc, id`)
    .limit(100)
    .select<WorkerRow[]>(
      'id',
      'started_at as startedAt',
      'beat_at as beatAt',
      'slots',
      'in_flight as inFlight',
      db.raw(`beat_at > now() - interval '${ALIVE_SECONDS} seconds' as alive`),
    );
}

export interface SickEndpoint {
  id: string;
  tenant: string;
  url: string;
  status: 'active' | 'disabled';
  statusReason: string | null;
  openings: number | null;
  failingSince: Date | null;
  blockedUntil: Date | null;
  blocked: boolean;
}

/** Disabled ones and those whose breaker is not closed; the longest sick first. */
export async function findSickEndpoints(db: Db): Promise<SickEndpoint[]> {
  return db('webhook_endpoints as e')
    .join('tenants as t', 't.id', 'e.tenant_id')
    .leftJoin('webhook_health as h', 'h.endpoint_id', 'e.id')
    .whereRaw(`e.status = 'disabled' or (e.status = 'active' and h.openings > 0)`)
    .orderByRaw('h.failing_since nulls first, e.id')
    .limit(NAMED_MOST)
    .select<SickEndpoint[]>(
      'e.id',
      't.slug as tenant',
      'e.url',
      'e.status',
      'e.status_reason as statusReason',
      'h.openings',
      'h.failing_since as failingSince',
      'h.blocked_until as blockedUntil',
      db.raw('coalesce(h.blocked_until > now(), false) as blocked'),
    );
}

/** Tenants whose deliveries wait without an endpoint, the most first; counted up to the bound over all of them. */
export async function findWaitingTenants(db: Db): Promise<{ tenant: string; waiting: number }[]> {
  const { rows } = await db.raw<{ rows: { tenant: string; waiting: number }[] }>(
    `select t.slug as tenant, count(*) as waiting
     from (select tenant_id from webhook_deliveries where endpoint_id is null limit :bound) d join tenants t on t.id = d.tenant_id
     group by t.slug order by waiting desc, tenant limit ${NAMED_MOST}`,
    { bound: COUNTED_MOST + 1 },
  );
  return rows;
}

import type { Db } from '../../platform/database/database';
import { DUE } from '../deliveries/queue.repository';

/** The highest count that is shown exactly. Queries count up to one more, which means "more than this number". */
export const COUNTED_MAX = 10_000;

/** Maximum number of endpoints that are probed for due deliveries. */
const PROBED_MAX = 5000;

export interface QueueCounts {
  now: Date;
  /** Deliveries that a worker could claim now. */
  due: number;
  oldestDue: Date | null;
  /** Due deliveries whose endpoint is paused, disabled or blocked by its breaker. */
  held: number;
  retrying: number;
  dead: number;
  /** Deliveries that became dead within the last 24 hours. */
  deadToday: number;
  /** Deliveries that wait without an endpoint. */
  waiting: number;
  breakersOpen: number;
  breakersTrying: number;
  disabled: number;
  paused: number;
  endpoints: number;
}

/**
 * Counts due deliveries by an index scan that ends at `:bound`. Finds the oldest due delivery by one index look-up for each endpoint. The
 * first `order by` forces the index scan: without this clause PostgreSQL builds a bitmap of all rows first.
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

/**
 * Counts the queue. The CTEs:
 * - endpoint: the endpoints that are not removed, with the state of their breaker.
 * - ready: the endpoints to which a worker may send.
 * - held: the endpoints whose deliveries wait, because they are paused, disabled or blocked by their breaker.
 * - ready_due, held_due: the number and the oldest time of the due deliveries, for `ready` and for `held`.
 */
const COUNTS = `
  with endpoint as materialized (
    select e.id, e.status, e.status = 'active' and h.blocked_until > now() as blocked,
      e.status = 'active' and h.openings > 0 and h.blocked_until <= now() as trying
    from webhook_endpoints e left join webhook_health h on h.endpoint_id = e.id where e.status <> 'removed'
  ), ready as materialized (
    select id from endpoint where status = 'active' and blocked is not true limit ${PROBED_MAX}
  ), held as materialized (
    select id from endpoint where status <> 'active' or blocked limit ${PROBED_MAX}
  ), ready_due as (${DUE_OF('ready')}), held_due as (${DUE_OF('held')})
  select now() as now, ready_due.due, ready_due.oldest as oldest_due, held_due.due as held, dead.*,
    (select count(*) from (select from webhook_deliveries where status = 'retrying' limit :bound) r) as retrying,
    (select count(*) from (select from webhook_deliveries where endpoint_id is null limit :bound) w) as waiting,
    by_state.*
  from ready_due, held_due, (
    select count(*) as dead, count(*) filter (where finished_at > now() - interval '24 hours') as dead_today
    from (select finished_at from webhook_deliveries where status = 'dead' order by id desc limit :bound) d
  ) dead, (
    select count(*) as endpoints, count(*) filter (where blocked) as breakers_open, count(*) filter (where trying) as breakers_trying,
      count(*) filter (where status = 'disabled') as disabled, count(*) filter (where status = 'paused') as paused
    from endpoint
  ) by_state`;

/** Counts the deliveries that became dead at `since` or later, among the newest COUNTED_MAX + 1 dead deliveries. */
export async function countDeadSince(db: Db, since: Date): Promise<number> {
  const newest = db('webhook_deliveries')
    .where({ status: 'dead' })
    .orderBy('id', 'desc')
    .limit(COUNTED_MAX + 1);
  const [row] = await db
    .from(newest.select('finished_at').as('d'))
    .where('finished_at', '>=', since)
    .count<{ count: number }[]>();
  return row!.count;
}

export async function findQueueCounts(db: Db): Promise<QueueCounts> {
  const { rows } = await db.raw<{ rows: [QueueCounts] }>(COUNTS, { bound: COUNTED_MAX + 1 });
  return rows[0];
}

import type { Db, Trx } from '../platform/database';
import type { ClaimedDelivery, Settlement } from './delivery';
import { asksForPatience } from './retry-schedule';

export interface ClaimLimits {
  worker: string;
  /** Rows at most: those that can be sent at once. A claimed row never waits in memory. */
  rows: number;
  /** Requests at most that this worker may have in flight; the shares below are of these. */
  slots: number;
  /** Requests at most that one endpoint may have in flight from this worker. */
  lanes: number;
  /** What each endpoint has in flight from this worker now. */
  busy: ReadonlyMap<string, number>;
  /** Endpoints whose last request from this worker got no answer: one lane each, and together half of the slots at most. */
  silent: ReadonlySet<string>;
  leaseSeconds: number;
}

/** A claimed delivery with what its next step depends on. */
export interface Claim extends ClaimedDelivery {
  /** How often the receiver answered 429 or 503 before. */
  throttled: number;
}

interface ClaimedRow {
  delivery_id: string;
  endpoint_id: string;
  event_id: string;
  url: string;
  body: string;
  fence: number;
  tries: number;
  throttled: number;
  claimed_at: Date;
  secrets: { id: string; key_id: string; nonce: string; ciphertext: string }[] | null;
}

/**
 * Endpoints drawn for one claim, of those with work due: it bounds what is ranked. With 5000 such a claim takes 20 ms, and
 * 63 ms if all are ranked; with one, and 250,000 deliveries due, 2 ms.
 */
const ENDPOINTS_A_CLAIM = 500;

/**
 * now(), not clock_timestamp(): the statement is a transaction of its own, and only a stable time can bound the index
 * scan. `picked` repeats the condition because it is judged again on the row that the lock waited for. The row of a worker
 * that never came back still names it: its attempt is written down before the new one begins.
 *
 * Turns, not age, decide who is next: the tenant with the least in flight, then the endpoint with the least, then a lottery,
 * so that no backlog waits in front of a newcomer. A tenant that has its quarter of the slots gets more only while a quarter
 * stays free for the others: what hangs is not given back before its deadline.
 */
const CLAIM = `
  with busy as (
    select e.id, e.tenant_id, b.in_flight, e.id = any (:silentIds::uuid[]) as silent
    from unnest(:busyIds::uuid[], :busyCounts::integer[]) as b (endpoint_id, in_flight)
    join webhook_endpoints e on e.id = b.endpoint_id
  ), ready as materialized (
    select e.*, coalesce(b.in_flight, 0) as in_flight
    from (select id, tenant_id, id = any (:silentIds::uuid[]) as silent from webhook_endpoints where status = 'active') e
    left join busy b on b.id = e.id
    cross join lateral (
      select from webhook_queue q
      where q.endpoint_id = e.id and q.next_at <= now() and (q.lease_until is null or q.lease_until < now())
      order by q.next_at
      limit 1
    ) q
    where coalesce(b.in_flight, 0) < case when e.silent then 1 else :lanes::integer end
    order by random() limit ${ENDPOINTS_A_CLAIM}
  ), due as materialized (
    select q.delivery_id, r.tenant_id, r.silent, r.in_flight + q.nth as lane, random() as lot
    from ready r
    cross join lateral (
      select q.delivery_id, row_number() over (order by q.next_at) as nth from webhook_queue q
      where q.endpoint_id = r.id and q.next_at <= now() and (q.lease_until is null or q.lease_until < now())
      order by q.next_at
      limit least(:rows::integer, case when r.silent then 1 else :lanes::integer end - r.in_flight)
    ) q
  ), turns as (
    select d.*, coalesce(t.in_flight, 0) + row_number() over (partition by d.tenant_id order by d.lane, d.silent, d.lot) as turn
    from due d left join (select tenant_id, sum(in_flight) as in_flight from busy group by 1) t using (tenant_id)
  ), allowed as (
    select t.*, row_number() over (order by t.turn, t.lot) as place
    from (select *, row_number() over (partition by silent order by turn, lot) as nth from turns) t
    where not t.silent
      or t.nth + (select coalesce(sum(in_flight), 0) from busy where silent) <= greatest(1, :slots::integer / 2)
  ), next as (
    select a.delivery_id from allowed a
    where a.turn <= greatest(1, :slots::integer / 4)
      or a.place + (select coalesce(sum(in_flight), 0) from busy) <= :slots::integer - greatest(1, :slots::integer / 4)
    order by a.place
    limit :rows::integer
  ), picked as materialized (
    select q.* from webhook_queue q
    where q.delivery_id = any (array(select delivery_id from next)) and (q.lease_until is null or q.lease_until < now())
    order by q.delivery_id
    for update skip locked
  ), lost as (
    insert into webhook_attempts (delivery_id, number, started_at, duration_ms, outcome, reason, worker)
    select p.delivery_id, p.fence, p.claimed_at, extract(epoch from p.lease_until - p.claimed_at) * 1000, 'worker_lost',
      'The worker was lost while the request was in flight; it may have arrived.', p.worker
    from picked p where p.worker is not null
  ), told as (
    update webhook_deliveries d
    set attempts = p.fence, last_status_code = null,
      last_error = 'The worker was lost while the request was in flight; it may have arrived.'
    from picked p where d.id = p.delivery_id and p.worker is not null
  ), claimed as (
    update webhook_queue q
    set fence = q.fence + 1, worker = :worker::text, claimed_at = now(),
      lease_until = now() + make_interval(secs => :leaseSeconds::float8)
    from picked p where q.delivery_id = p.delivery_id
    returning q.*
  )
  select c.delivery_id, c.endpoint_id, c.fence, c.tries, c.throttled, c.claimed_at, e.url, ev.id as event_id, coalesce(d.body, ev.body) as body, (
      select jsonb_agg(jsonb_build_object('id', s.id, 'key_id', s.key_id,
        'nonce', encode(s.nonce, 'hex'), 'ciphertext', encode(s.ciphertext, 'hex')) order by s.created_at desc)
      from webhook_secrets s where s.endpoint_id = c.endpoint_id and (s.expires_at is null or s.expires_at > now())
    ) as secrets
  from claimed c
  join webhook_endpoints e on e.id = c.endpoint_id
  join webhook_deliveries d on d.id = c.delivery_id
  join webhook_events ev on ev.id = d.event_id`;

/** Leases what is due to this worker, in one statement. The caller sends it with no transaction open. */
export async function claimDue(
  db: Db,
  { worker, rows, slots, lanes, busy, silent, leaseSeconds }: ClaimLimits,
): Promise<Claim[]> {
  const result = await db.raw<{ rows: ClaimedRow[] }>(CLAIM, {
    worker,
    rows,
    slots,
    lanes,
    leaseSeconds,
    silentIds: [...silent],
    busyIds: [...busy.keys()],
    busyCounts: [...busy.values()],
  });
  return result.rows.map(toClaim);
}

/**
 * A result counts only under the fence of its claim: that of a worker whose lease ran out, or whose delivery was
 * cancelled meanwhile, finds no row here and changes nothing.
 */
const SETTLE = `
  with result as (
    select * from jsonb_to_recordset(:results::jsonb) as r (delivery_id uuid, fence integer, status text, wait_seconds float8,
      tries integer, throttled boolean, duration_ms integer, outcome text, status_code smallint, reason text, response_body text)
  ), mine as materialized (
    select r.*, q.claimed_at, q.worker from webhook_queue q join result r using (delivery_id)
    where q.fence = r.fence order by q.delivery_id for update of q
  ), logged as (
    insert into webhook_attempts
      (delivery_id, number, started_at, duration_ms, outcome, status_code, reason, response_body, worker)
    select delivery_id, fence, claimed_at, duration_ms, outcome, status_code, reason, response_body, worker from mine
  ), finished as (
    delete from webhook_queue q using mine where q.delivery_id = mine.delivery_id and mine.status <> 'retrying'
  ), again as (
    update webhook_queue q
    set next_at = now() + make_interval(secs => mine.wait_seconds), tries = mine.tries, throttled = q.throttled + mine.throttled::integer,
      worker = null, claimed_at = null, lease_until = null
    from mine where q.delivery_id = mine.delivery_id and mine.status = 'retrying'
  )
  update webhook_deliveries d
  set status = mine.status, attempts = mine.fence, last_status_code = mine.status_code, last_error = mine.reason,
    next_attempt_at = case when mine.status = 'retrying' then now() + make_interval(secs => mine.wait_seconds) end,
    finished_at = case when mine.status <> 'retrying' then now() end
  from mine where d.id = mine.delivery_id
  returning d.id`;

/**
 * Writes down the results of many attempts in one statement.
 * @returns the ids of the deliveries that took their result; for the others it came too late
 */
export async function settle(db: Db | Trx, settlements: Settlement[]): Promise<Set<string>> {
  const results = settlements.map(({ delivery, report, next }) => ({
    delivery_id: delivery.id,
    fence: delivery.fence,
    status: next.status,
    wait_seconds: next.waitSeconds,
    tries: next.tries,
    throttled: asksForPatience(report.statusCode),
    duration_ms: report.durationMs,
    outcome: report.outcome,
    status_code: report.statusCode,
    reason: report.reason,
    response_body: report.responseBody,
  }));
  const { rows } = await db.raw<{ rows: { id: string }[] }>(SETTLE, { results: JSON.stringify(results) });
  return new Set(rows.map(({ id }) => id));
}

function toClaim(row: ClaimedRow): Claim {
  return {
    id: row.delivery_id,
    endpointId: row.endpoint_id,
    eventId: row.event_id,
    url: row.url,
    body: row.body,
    fence: row.fence,
    tries: row.tries,
    throttled: row.throttled,
    claimedAt: row.claimed_at,
    secrets: (row.secrets ?? []).map((secret) => ({
      id: secret.id,
      keyId: secret.key_id,
      nonce: Buffer.from(secret.nonce, 'hex'),
      ciphertext: Buffer.from(secret.ciphertext, 'hex'),
    })),
  };
}

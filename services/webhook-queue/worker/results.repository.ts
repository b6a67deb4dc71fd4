import type { Db, Trx } from '../../platform/database/database';
import type { BreakerRules } from './breaker';
import { classifyEndpoint } from '../sending/classify-response';
import type { AttemptResult } from '../deliveries/delivery';
import { isNotCounted } from './retry-schedule';

export interface RecordedResult {
  /** Ids of deliveries whose result was recorded; the other results came too late. */
  taken: Set<string>;
  /** Ids of endpoints whose breaker opened. */
  opened: string[];
  /** Ids of endpoints to disable, because they accepted no delivery for days. */
  toDisable: string[];
}

/** SQL: the last request was a probe. A first block lasts openSeconds, less or more 10 %. */
const IS_PROBE = 's.sent_at > h.opened_at + make_interval(secs => :openSeconds::float8 / 2)';

/**
 * Records results of attempts. A result changes nothing if its fence is not the fence of the queue row any more: another worker has claimed
 * the delivery meanwhile, or the delivery was cancelled or queued again.
 *
 * The first failure of an endpoint creates its webhook_health row, and the next success deletes this row. A closed breaker opens after
 * `failures` failures in a row, or when the failure rate is too high (`trips`). An open breaker opens again when a probe fails. Requests
 * that were in flight when the breaker opened do not change the breaker, nor do those that a worker claimed before the opening was
 * committed: a request is a probe if it was claimed later than half of the shortest block. After a probe without a verdict, another probe
 * is sent.
 *
 * The CTEs:
 * - result: the input.
 * - held: locks the queue rows whose fence is still the fence of their result. For a delivery that an operator requested, ignores every
 *   verdict except healthy.
 * - logged: inserts the attempts.
 * - finished: deletes the queue rows of finished deliveries.
 * - rescheduled: releases the other queue rows until their next attempt.
 * - updated: stores the last attempt of each delivery. The parameter `ids` selects the partitions when the statement is planned. The join
 *   compares texts, so that PostgreSQL 18 does not select the partitions again while the statement runs (ADR 15).
 * - by_endpoint: sums the results of each endpoint.
 * - health: locks the health rows in the order of endpoint ids.
 * - recovered: deletes the health rows of healthy endpoints.
 * - failing: calculates the new state of failing endpoints.
 * - stored: stores the new state, and opens breakers.
 */
const RECORD_RESULTS = `
  with result (delivery_id, fence, status, wait_seconds, tries, uncounted, duration_ms, outcome, status_code, reason, phases, peer,
    signature, response_headers, response_body, verdict, trips) as (
    select * from jsonb_to_recordset(:results::jsonb) as r (id uuid, fence integer, status text, "waitSeconds" float8,
      tries integer, uncounted boolean, "durationMs" integer, outcome text, "statusCode" smallint, reason text, phases jsonb,
      peer text, signature text, "responseHeaders" jsonb, "responseBody" text, verdict text, trips boolean)
  ), held as materialized (
    select r.*, case when not q.asked or r.verdict = 'healthy' then r.verdict end as counted_verdict, q.endpoint_id, q.claimed_at,
      q.worker
    from webhook_queue q join result r using (delivery_id)
    where q.fence = r.fence and q.worker is not null order by q.delivery_id for update of q
  ), logged as (
    insert into webhook_attempts (delivery_id, number, started_at, duration_ms, outcome, status_code, reason, phases, peer, signature,
      response_headers, response_body, worker)
    select delivery_id, fence, claimed_at, duration_ms, outcome, status_code, reason, phases, peer, signature,
      response_headers, response_body, worker from held
    on conflict (delivery_id, number) do nothing
  ), finished as (
    delete from webhook_queue q using held where q.delivery_id = held.delivery_id and held.status <> 'retrying'
  ), rescheduled as (
    update webhook_queue q
    set next_at = now() + make_interval(secs => held.wait_seconds), tries = held.tries, spared = q.spared + held.uncounted::integer,
      asked = false, worker = null, claimed_at = null, lease_until = null
    from held where q.delivery_id = held.delivery_id and held.status = 'retrying'
  ), updated as (
    update webhook_deliveries d
    set status = held.status, attempts = held.fence, last_status_code = held.status_code, last_error = held.reason,
      next_attempt_at = case when held.status = 'retrying' then now() + make_interval(secs => held.wait_seconds) end,
      finished_at = case when held.status <> 'retrying' then now() end
    from held where d.id = any (:ids::uuid[]) and d.id::text = held.delivery_id::text
    returning d.id
  ), by_endpoint as (
    select endpoint_id, max(claimed_at) filter (where counted_verdict = 'healthy') as healthy_at,
      count(*) filter (where counted_verdict = 'failing') as failures, count(*) filter (where status = 'dead') as deaths,
      bool_or(trips) as trips, bool_or(counted_verdict is not null) as has_verdict,
      max(claimed_at) filter (where counted_verdict is not null or verdict is null) as sent_at
    from held group by endpoint_id
  ), health as materialized (
    select * from webhook_health where endpoint_id in (select endpoint_id from by_endpoint) order by endpoint_id for update
  ), recovered as (
    delete from webhook_health h using by_endpoint s, health b
    where h.endpoint_id = s.endpoint_id and b.endpoint_id = s.endpoint_id and (b.opened_at is null or s.healthy_at > b.opened_at)
      and s.healthy_at is not null
  ), failing as (
    select s.endpoint_id, coalesce(h.failures, 0) + s.failures as failures, coalesce(h.exhausted, 0) + s.deaths as exhausted,
      coalesce(h.openings, 0) as openings, h.opened_at, h.blocked_until, ${IS_PROBE} as probed,
      s.failures > 0 and case when h.opened_at is null then s.trips or coalesce(h.failures, 0) + s.failures >= :failures::integer
        else ${IS_PROBE} end as opens
    from by_endpoint s left join health h using (endpoint_id)
    where (s.healthy_at is null or s.trips) and (s.has_verdict or h.endpoint_id is not null)
  ), stored as (
    insert into webhook_health as h (endpoint_id, failures, exhausted, openings, opened_at, blocked_until)
    select endpoint_id, failures, exhausted, openings + opens::integer, case when opens then now() else opened_at end,
      case when opens then now() + make_interval(secs =>
        least(:openSeconds::float8 * 2 ^ least(openings, 30), :openSecondsMax::float8) * (0.9 + 0.2 * random()))
        when probed then now() else blocked_until end
    from failing order by endpoint_id
    on conflict (endpoint_id) do update set failures = excluded.failures, exhausted = excluded.exhausted,
      openings = excluded.openings, opened_at = excluded.opened_at, blocked_until = excluded.blocked_until
    returning h.endpoint_id, h.opened_at = now() as opened,
      h.failing_since < now() - make_interval(secs => :autoDisableSeconds::float8) and h.exhausted >= :autoDisableDeaths::integer as auto_disable
  )
  select array(select id::text from updated) as taken,
    array(select endpoint_id::text from stored where opened) as opened,
    array(select endpoint_id::text from stored where auto_disable) as to_disable`;

/** A result, and whether the failure rate of the endpoint opens its breaker. */
export type EndpointFinding = AttemptResult & { trips: boolean };

/** Records the results of many attempts in one statement. */
export async function recordResults(
  db: Db | Trx,
  findings: EndpointFinding[],
  breaker: BreakerRules,
): Promise<RecordedResult> {
  const { rows } = await db.raw<{ rows: [{ taken: string[]; opened: string[]; toDisable: string[] }] }>(
    RECORD_RESULTS,
    {
      ...breaker,
      results: JSON.stringify(findings.map(toRow)),
      ids: findings.map(({ delivery }) => delivery.id),
    },
  );
  const { taken, opened, toDisable } = rows[0];
  return { taken: new Set(taken), opened, toDisable };
}

/**
 * Records delivered attempts of endpoints without a webhook_health row. Such a result changes only its delivery. The statement takes the
 * server two thirds of the time that RECORD_RESULTS takes (ADR 15). Fences and partitions work as in RECORD_RESULTS. The CTEs:
 * - result: the input.
 * - finished: deletes the queue rows whose fence is still the fence of their result. Does not use "worker is not null", because the planner
 *   would then expect no row, as in an idle queue, and would compare each row with each result. In a batch of 700 this takes 500 µs for
 *   each result, instead of 60.
 * - logged: inserts the attempts.
 * - updated: stores the last attempt of each delivery.
 */
const RECORD_DELIVERED = `
  with result (delivery_id, fence, duration_ms, status_code, phases, peer, signature, response_headers, response_body) as (
    select * from jsonb_to_recordset(:results::jsonb) as r (id uuid, fence integer, "durationMs" integer, "statusCode" smallint,
      phases jsonb, peer text, signature text, "responseHeaders" jsonb, "responseBody" text)
  ), finished as (
    delete from webhook_queue q using result r
    where q.delivery_id = r.delivery_id and q.fence = r.fence and coalesce(q.worker, '') <> ''
      and not exists (select from webhook_health h where h.endpoint_id = q.endpoint_id)
    returning r.*, q.claimed_at, q.worker
  ), logged as (
    insert into webhook_attempts (delivery_id, number, started_at, duration_ms, outcome, status_code, phases, peer, signature,
      response_headers, response_body, worker)
    select delivery_id, fence, claimed_at, duration_ms, 'delivered', status_code, phases, peer, signature, response_headers,
      response_body, worker from finished
    on conflict (delivery_id, number) do nothing
  ), updated as (
    update webhook_deliveries d
    set status = 'delivered', attempts = f.fence, last_status_code = f.status_code, last_error = null, next_attempt_at = null,
      finished_at = now()
    from finished f where d.id = any (:ids::uuid[]) and d.id::text = f.delivery_id::text
    returning d.id
  )
  select array(select delivery_id::text from result where delivery_id not in (select id from updated)) as others`;

/**
 * Records the results of delivered attempts in one statement.
 * @returns ids of the deliveries whose result was not recorded, because the result came too late or the endpoint has a webhook_health row
 */
export async function recordDelivered(db: Db | Trx, results: AttemptResult[]): Promise<Set<string>> {
  const { rows } = await db.raw<{ rows: [{ others: string[] }] }>(RECORD_DELIVERED, {
    results: JSON.stringify(results.map(toDeliveredRow)),
    ids: results.map(({ delivery }) => delivery.id),
  });
  return new Set(rows[0].others);
}

function toDeliveredRow({ delivery: { id, fence }, report }: AttemptResult) {
  const { durationMs, statusCode, phases, peer, signature, responseHeaders, responseBody } = report;
  return { id, fence, durationMs, statusCode, phases, peer, signature, responseHeaders, responseBody };
}

function toRow({ delivery: { id, fence }, report, next, trips }: EndpointFinding) {
  const [uncounted, verdict] = [isNotCounted(report), classifyEndpoint(report)];
  return { ...report, ...next, id, fence, uncounted, verdict, trips };
}

import type { Db, Trx } from '../../platform/database';
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
  hopeless: string[];
}

/**
 * Records results. A result counts only under the fence of its claim: after a lost lease or a cancelled delivery it finds no row
 * and changes nothing.
 *
 * The first failure creates the webhook_health row of an endpoint, and the next success deletes it. The breaker opens at the nth
 * failure in a row, and again when a probe fails. Requests that were in flight at that moment neither open nor close it. A probe
 * without a verdict is followed by another probe.
 *
 * The CTEs:
 * - result: the input. mine: the queue rows that still have its fence, locked; without the verdict of requested deliveries.
 * - logged: inserts attempts. finished, again: delete or reschedule the queue rows. told: updates the deliveries.
 * - seen: sums by endpoint. health: locks the health rows in id order. healed: deletes those of healthy endpoints.
 * - ill: the new state of failing endpoints. noted: stores it, and opens breakers.
 */
const RECORD_RESULTS = `
  with result as (
    select * from jsonb_to_recordset(:results::jsonb) as r (delivery_id uuid, fence integer, status text, wait_seconds float8,
      tries integer, spared boolean, duration_ms integer, outcome text, status_code smallint, reason text, phases jsonb,
      peer text, signature text, response_headers jsonb, response_body text, verdict text, trips boolean)
  ), mine as materialized (
    select r.*, case when not q.asked or r.verdict = 'healthy' then r.verdict end as judged, q.endpoint_id, q.claimed_at, q.worker
    from webhook_queue q join result r using (delivery_id)
    where q.fence = r.fence and q.worker is not null order by q.delivery_id for update of q
  ), logged as (
    insert into webhook_attempts (delivery_id, number, started_at, duration_ms, outcome, status_code, reason, phases, peer, signature,
      response_headers, response_body, worker)
    select delivery_id, fence, claimed_at, duration_ms, outcome, status_code, reason, phases, peer, signature,
      response_headers, response_body, worker from mine
    on conflict (delivery_id, number) do nothing
  ), finished as (
    delete from webhook_queue q using mine where q.delivery_id = mine.delivery_id and mine.status <> 'retrying'
  ), again as (
    update webhook_queue q
    set next_at = now() + make_interval(secs => mine.wait_seconds), tries = mine.tries, spared = q.spared + mine.spared::integer,
      asked = false, worker = null, claimed_at = null, lease_until = null
    from mine where q.delivery_id = mine.delivery_id and mine.status = 'retrying'
  ), told as (
    update webhook_deliveries d
    set status = mine.status, attempts = mine.fence, last_status_code = mine.status_code, last_error = mine.reason,
      next_attempt_at = case when mine.status = 'retrying' then now() + make_interval(secs => mine.wait_seconds) end,
      finished_at = case when mine.status <> 'retrying' then now() end
    from mine where d.id = mine.delivery_id
    returning d.id
  ), seen as (
    select endpoint_id, max(claimed_at) filter (where judged = 'healthy') as well_at, count(*) filter (where judged = 'failing') as failures,
      count(*) filter (where status = 'dead') as deaths, bool_or(trips) as trips, bool_or(judged is not null) as told,
      max(claimed_at) filter (where judged is not null or verdict is null) as sent_at
    from mine group by endpoint_id
  ), health as materialized (
    select * from webhook_health where endpoint_id in (select endpoint_id from seen) order by endpoint_id for update
  ), healed as (
    delete from webhook_health h using seen s, health b
    where h.endpoint_id = s.endpoint_id and b.endpoint_id = s.endpoint_id and (b.opened_at is null or s.well_at > b.opened_at)
      and s.well_at is not null
  ), ill as (
    select s.endpoint_id, coalesce(h.failures, 0) + s.failures as failures, coalesce(h.exhausted, 0) + s.deaths as exhausted,
      coalesce(h.openings, 0) as openings, h.opened_at, h.blocked_until, s.sent_at > h.opened_at as probed,
      s.failures > 0 and case when h.opened_at is null then s.trips or coalesce(h.failures, 0) + s.failures >= :failures::integer
        else s.sent_at > h.opened_at end as opens
    from seen s left join health h using (endpoint_id)
    where (s.well_at is null or s.trips) and (s.told or h.endpoint_id is not null)
  ), noted as (
    insert into webhook_health as h (endpoint_id, failures, exhausted, openings, opened_at, blocked_until)
    select endpoint_id, failures, exhausted, openings + opens::integer, case when opens then now() else opened_at end,
      case when opens then now() + make_interval(secs =>
        least(:openSeconds::float8 * 2 ^ least(openings, 30), :openSecondsMax::float8) * (0.9 + 0.2 * random()))
        when probed then now() else blocked_until end
    from ill order by endpoint_id
    on conflict (endpoint_id) do update set failures = excluded.failures, exhausted = excluded.exhausted,
      openings = excluded.openings, opened_at = excluded.opened_at, blocked_until = excluded.blocked_until
    returning h.endpoint_id, h.opened_at = now() as opened,
      h.failing_since < now() - make_interval(secs => :hopelessSeconds::float8) and h.exhausted >= :hopelessDeaths::integer as hopeless
  )
  select array(select id::text from told) as taken,
    array(select endpoint_id::text from noted where opened) as opened,
    array(select endpoint_id::text from noted where hopeless) as hopeless`;

/** A result, and whether the failure rate of the endpoint opens its breaker. */
export type EndpointFinding = AttemptResult & { trips: boolean };

/** Records the results of many attempts in one statement. */
export async function recordResults(
  db: Db | Trx,
  findings: EndpointFinding[],
  breaker: BreakerRules,
): Promise<RecordedResult> {
  const { rows } = await db.raw<{ rows: [{ taken: string[]; opened: string[]; hopeless: string[] }] }>(
    RECORD_RESULTS,
    {
      ...breaker,
      results: JSON.stringify(findings.map(toRow)),
    },
  );
  const { taken, opened, hopeless } = rows[0];
  return { taken: new Set(taken), opened, hopeless };
}

function toRow({ delivery, report, next, trips }: EndpointFinding) {
  return {
    delivery_id: delivery.id,
    fence: delivery.fence,
    status: next.status,
    wait_seconds: next.waitSeconds,
    tries: next.tries,
    spared: isNotCounted(report),
    duration_ms: report.durationMs,
    outcome: report.outcome,
    status_code: report.statusCode,
    reason: report.reason,
    phases: report.phases,
    peer: report.peer,
    signature: report.signature,
    response_headers: report.responseHeaders,
    response_body: report.responseBody,
    verdict: classifyEndpoint(report),
    trips,
  };
}

import type { ClaimedDelivery } from '../deliveries/delivery';
import { type Db, inTransaction, runPrepared, type Trx } from '../../platform/database/database';
import { DUE, FREE, WORKER_LOST } from '../deliveries/queue.repository';
import { SIGNS } from '../endpoints/endpoint-secrets';
import type { SealedSecret } from '../signing/seal-secret';
import type { EndpointConcurrency } from './adaptive-concurrency';

/**
 * State of an endpoint in this worker. For an endpoint without this state, a claim uses the initial concurrency limit and counts no request
 * in flight.
 */
export interface KnownEndpoint extends EndpointConcurrency {
  id: string;
  /** Number of claimed deliveries to the endpoint. Their requests are in flight or wait for a slot. */
  inFlight: number;
  /**
   * A time before which no delivery of the endpoint is due, so that the index scan begins at this time. Null: the claim scans all index
   * entries of the endpoint.
   */
  dueLowerBound: Date | null;
}

export interface ClaimLimits {
  worker: string;
  /** Maximum number of deliveries in this claim. */
  rows: number;
  /** Maximum number of deliveries that this worker holds at a time. The share of each tenant is a fraction of this number. */
  capacity: number;
  /** Maximum number of requests in flight. The shares of slow and of unproven endpoints are fractions of this number. */
  slots: number;
  /** Concurrency limit of the endpoints without an entry in `known`. */
  concurrencyLimit: number;
  known: KnownEndpoint[];
  /** Ids of proven endpoints: the endpoint accepted its last delivery from this worker quickly, and is not slow. */
  proven: string[];
  /** A time before which no delivery to an endpoint outside `known` is due. Null: the claim scans all index entries of these endpoints. */
  dueLowerBound: Date | null;
  /** The claim reads the endpoints whose id is greater than this one. */
  after: string;
  leaseSeconds: number;
}

/** A claimed delivery. It includes the values that decideNext and the lower bounds of claim-due.ts need. */
export interface Claim extends ClaimedDelivery {
  /** Number of previous attempts for which isNotCounted (retry-schedule.ts) returned true. */
  uncounted: number;
  /** Time since which the delivery is due. */
  dueAt: Date;
}

interface ClaimAnswer {
  claims: Claim[];
  /** Number of claimed deliveries that another worker had claimed before and did not finish within its lease. */
  lost: number;
  /** The last endpoint id that this claim read. Pass it as `after` to the next claim. Null after the last endpoint. */
  next: string | null;
}

/** The result of CLAIM as one row with JSON. Reading it takes half the time of reading many rows. */
interface ClaimRow {
  next: string | null;
  claimedAt: Date;
  lost: { id: string; fence: number }[] | null;
  /** Keyed by endpoint id. Nonce and ciphertext are in hexadecimal. */
  receivers: Record<string, Receiver<Record<keyof SealedSecret, string>>> | null;
  /** Each array is: id, endpointId, fence, tries, uncounted, dueAt in seconds. PostgreSQL writes arrays faster than objects. */
  claimed: [string, string, number, number, number, number][] | null;
}

interface Receiver<Sealed> {
  url: string;
  isSubscription: boolean;
  secrets: Sealed[];
  ownHeaders: Sealed[];
}

/** id, eventId, body, createdAt in seconds, traceparent. */
type ContentRow = [string, string, string, number, string | null];

/** Maximum number of endpoints that one claim reads. The next claim reads the endpoints after these. */
const ENDPOINTS_A_CLAIM = 1000;

/** The sealed text of a row s as JSON. */
const SEALED = `json_build_object('id', s.id, 'keyId', s.key_id, 'nonce', encode(s.nonce, 'hex'), 'ciphertext', encode(s.ciphertext, 'hex'))`;

/** Condition: the queue row q belongs to the ready endpoint e, q is due, and no worker holds a live lease on q. */
const DUE_OF_ENDPOINT = `q.endpoint_id = e.id and q.next_at >= e.due_from and ${DUE}`;

/**
 * Claims due deliveries.
 *
 * The order is fair. The tenant with the fewest deliveries in flight comes first; within a tenant, the endpoint with the fewest comes first.
 * Ties are decided at random. So the backlog of one tenant never delays another tenant. A tenant may use more than a quarter of the
 * capacity only while another quarter stays free for other tenants, because a request that hangs keeps its slot until its deadline. A
 * delivery that an operator requested ignores breakers and these shares.
 *
 * An open breaker blocks its endpoint for some time. After that time, one request of one worker probes the endpoint. The lock on the
 * webhook_health row decides which worker sends this request. All other requests stay blocked until the result of the probe is recorded
 * or the lease expires.
 *
 * The statement uses now(), because an index scan can be bounded only by a time that is stable. The statement reads no partitioned table
 * (ADR 15). The CTEs:
 * - known: the state of endpoints in this worker.
 * - part: the next 1000 active endpoints.
 * - held: the number of deliveries that this worker has in flight, by tenant.
 * - ready: endpoints of the part that no breaker blocks.
 * - probe: locks the health rows of ready endpoints whose breaker opened and that have a due delivery. Each endpoint gets one request.
 * - due: due deliveries within the concurrency limit of each ready endpoint.
 * - turns: the due deliveries with their rank within their tenant.
 * - allowed: the rows of `turns` within the limits for slow and for unproven endpoints, with their rank over all tenants.
 * - next: the first allowed deliveries within the share of each tenant.
 * - requested: deliveries that an operator requested.
 * - sendable: the requested deliveries whose endpoint is active.
 * - picked: locks the queue rows. Checks again that no other worker has claimed one since the snapshot.
 * - lost: inserts the attempt of each worker whose lease on a picked row has expired.
 * - probing: blocks the probed endpoints for other workers.
 * - claimed: leases the picked rows to this worker.
 * - receiver: the URL, the secrets and the own headers of the endpoints of the claimed deliveries.
 */
const CLAIM = `
  with known (id, in_flight, concurrency_limit, slow, due_lower_bound) as materialized (
    select * from jsonb_to_recordset(:known::jsonb)
      as k (id uuid, "inFlight" integer, "concurrencyLimit" integer, slow boolean, "dueLowerBound" timestamptz)
  ), part as materialized (
    select e.id, e.tenant_id from webhook_endpoints e where e.id > :after::uuid and e.status = 'active' order by e.id limit ${ENDPOINTS_A_CLAIM}
  ), held as materialized (
    select e.tenant_id, sum(k.in_flight) as in_flight from known k join webhook_endpoints e on e.id = k.id
    where k.in_flight > 0 group by e.tenant_id
  ), ready as materialized (
    select e.id, e.tenant_id, b.due_from, coalesce(k.in_flight, 0) as in_flight, coalesce(k.slow, false) as slow,
      e.id = any (:proven::uuid[]) as proven,
      h.opened_at is not null as probed,
      case when h.opened_at is null then coalesce(k.concurrency_limit, :concurrencyLimit::integer) else 1 end as concurrency_limit
    from part e
    left join known k on k.id = e.id
    cross join lateral (
      select coalesce(case when k.id is null then :dueLowerBound::timestamptz else k.due_lower_bound end, '-infinity') as due_from
    ) b
    left join webhook_health h on h.endpoint_id = e.id
    where h.blocked_until is null or h.blocked_until <= now()
  ), probe as materialized (
    select h.endpoint_id from webhook_health h
    where h.endpoint_id = any (array(
      select e.id from ready e cross join lateral (select from webhook_queue q where ${DUE_OF_ENDPOINT} order by q.next_at limit 1) q where e.probed
    )) and h.blocked_until <= now()
    for update skip locked
  ), due as materialized (
    select q.delivery_id, e.tenant_id, e.slow, e.proven, e.in_flight + q.nth as nth, random() as tie
    from ready e
    cross join lateral (
      select q.delivery_id, row_number() over (order by q.next_at) as nth from webhook_queue q
      where ${DUE_OF_ENDPOINT} order by q.next_at limit greatest(0, least(:rows::integer, e.concurrency_limit - e.in_flight))
    ) q
    where not e.probed or e.id in (select endpoint_id from probe)
  ), turns as (
    select d.*, coalesce(h.in_flight, 0) + row_number() over (partition by d.tenant_id order by d.nth, d.slow, d.tie) as turn
    from due d left join held h using (tenant_id)
  ), allowed as (
    select t.*, row_number() over (order by t.turn, t.tie) as place
    from (
      select *, count(*) filter (where slow) over in_turn as nth_slow,
        count(*) filter (where not proven) over in_turn as nth_unproven
      from turns window in_turn as (order by turn, tie rows unbounded preceding)
    ) t
    where (not t.slow
        or t.nth_slow + (select coalesce(sum(in_flight), 0) from known where slow) <= greatest(1, :slots::integer / 2))
      and (t.proven
        or t.nth_unproven + (select coalesce(sum(in_flight), 0) from known where id <> all (:proven::uuid[]))
          <= greatest(1, :slots::integer * 7 / 8))
  ), next as (
    select a.delivery_id from allowed a
    where a.turn <= greatest(1, :capacity::integer / 4)
      or a.place + (select coalesce(sum(in_flight), 0) from held) <= :capacity::integer - greatest(1, :capacity::integer / 4)
    order by a.turn, a.tie
    limit :rows::integer
  ), requested as materialized (
    select q.delivery_id, q.endpoint_id from webhook_queue q where q.asked order by q.delivery_id limit :rows::integer
  ), sendable as (
    select r.delivery_id from requested r join webhook_endpoints e on e.id = r.endpoint_id and e.status = 'active'
  ), picked as materialized (
    select q.* from webhook_queue q
    where q.delivery_id = any (array(select delivery_id from next union select delivery_id from sendable)) and ${FREE}
    order by q.delivery_id
    for update skip locked
  ), lost as (
    insert into webhook_attempts (delivery_id, number, started_at, duration_ms, outcome, reason, worker)
    select p.delivery_id, p.fence, p.claimed_at, extract(epoch from p.lease_until - p.claimed_at) * 1000, 'worker_lost',
      ${WORKER_LOST}, p.worker
    from picked p where p.worker is not null
    on conflict (delivery_id, number) do nothing
    returning delivery_id as id, number as fence
  ), probing as (
    update webhook_health h set blocked_until = now() + make_interval(secs => :leaseSeconds::float8)
    where h.endpoint_id in (select endpoint_id from probe intersect select endpoint_id from picked)
  ), claimed as (
    update webhook_queue q
    set fence = q.fence + 1, worker = :worker::text, claimed_at = now(),
      lease_until = now() + make_interval(secs => :leaseSeconds::float8)
    from picked p where q.delivery_id = p.delivery_id
    returning q.*
  ), receiver as (
    select e.id, json_build_object('url', e.url, 'isSubscription', e.format = 'octo', 'secrets', (
      select coalesce(json_agg(${SEALED} order by s.created_at desc), '[]')
      from webhook_secrets s where s.endpoint_id = e.id and ${SIGNS}), 'ownHeaders', (
      select coalesce(json_agg(${SEALED}), '[]') from webhook_endpoint_headers s where s.endpoint_id = e.id)) as value
    from webhook_endpoints e where e.id in (select endpoint_id from claimed)
  )
  select (select case when count(*) = ${ENDPOINTS_A_CLAIM} then (array_agg(id order by id desc))[1] end from part) as next,
    now() as claimed_at, (select json_agg(lost) from lost) as lost, (select json_object_agg(id, value) from receiver) as receivers,
    (select json_agg(json_build_array(delivery_id, endpoint_id, fence, tries, spared, date_part('epoch', next_at)) order by delivery_id)
     from claimed) as claimed`;

/** Stores the attempts of lost workers as the last attempts of their deliveries. */
const STORE_LOST = `
  update webhook_deliveries d set attempts = l.fence, last_status_code = null, last_error = ${WORKER_LOST}
  from json_to_recordset(:lost::json) as l (id uuid, fence integer) where d.id = l.id`;

const READ_CONTENTS = `
  select coalesce(json_agg(json_build_array(d.id, d.event_id, coalesce(d.body, ev.body), date_part('epoch', d.created_at),
    ev.traceparent)), '[]') as contents
  from webhook_deliveries d join webhook_events ev on ev.id = d.event_id
  where d.id = any (:ids::uuid[])`;

/**
 * Forces index scans. After an idle time the statistics say that the queue table is empty, so the planner would sort all due rows. With
 * 100,000 due rows a claim would then take 79 to 180 ms instead of 10.
 */
const CLAIM_PLANS = 'set local enable_bitmapscan = off; set local enable_seqscan = off';

/** Leases due deliveries to this worker in a transaction of its own. The caller must have no open transaction. */
export async function claimDeliveries(db: Db, { known, ...limits }: ClaimLimits): Promise<ClaimAnswer> {
  const claim = async (trx: Trx) => {
    const { rows } = await runPrepared(trx, CLAIM, { ...limits, known: JSON.stringify(known) });
    const [row] = rows as [ClaimRow];
    if (row.lost) await trx.raw(STORE_LOST, { lost: JSON.stringify(row.lost) });
    const ids = (row.claimed ?? []).map(([id]) => id);
    return { row, contents: await readContents(trx, ids) };
  };
  const { row, contents } = await inTransaction(db, claim, { settings: CLAIM_PLANS });
  const { claimedAt, lost, next } = row;
  const receivers = new Map(
    Object.entries(row.receivers ?? {}).map(([endpointId, { secrets, ownHeaders, ...receiver }]) => [
      endpointId,
      { ...receiver, secrets: secrets.map(toSealedSecret), ownHeaders: ownHeaders.map(toSealedSecret) },
    ]),
  );
  const claims = (row.claimed ?? []).map(([id, endpointId, fence, tries, uncounted, dueAt]): Claim => {
    const [, eventId, body, createdAt, traceparent] = contents.get(id)!;
    const { url, isSubscription, secrets, ownHeaders } = receivers.get(endpointId)!;
    return {
      id,
      endpointId,
      eventId,
      fence,
      tries,
      uncounted,
      url,
      isSubscription,
      body,
      secrets,
      ownHeaders,
      claimedAt,
      dueAt: new Date(dueAt * 1000),
      createdAt: new Date(createdAt * 1000),
      traceparent,
    };
  });
  return { claims, lost: lost?.length ?? 0, next };
}

async function readContents(trx: Trx, ids: string[]): Promise<Map<string, ContentRow>> {
  if (ids.length === 0) return new Map();
  const { rows } = await trx.raw<{ rows: [{ contents: ContentRow[] }] }>(READ_CONTENTS, { ids });
  return new Map(rows[0].contents.map((content) => [content[0], content]));
}

function toSealedSecret({ id, keyId, nonce, ciphertext }: Record<keyof SealedSecret, string>): SealedSecret {
  return { id, keyId, nonce: Buffer.from(nonce, 'hex'), ciphertext: Buffer.from(ciphertext, 'hex') };
}

import { randomUUID } from 'node:crypto';
import { type Db, inTransaction, runPrepared } from '../../services/platform/database';

/** The newest migration of the last release. A release moves it on, and the statements below to those that it sends. */
export const LAST_RELEASE = '0031_seat_count_plans';

const TENANT = '11111111-1111-4111-8111-111111111111';
const KEY = 'abcdefghijkl';

/** Inserts a tenant and a catalog with statements that know only the columns of the last release. */
export async function givenCatalogOfLastRelease(db: Db): Promise<void> {
  await db.raw(`
    insert into tenants (id, slug, name, booking_prefix, country, currency, currency_digits)
      values ('${TENANT}', 'acme', 'Acme Travel', 'ACME', 'DE', 'EUR', 2);
    insert into api_keys (id, tenant_id, family_id, scopes, digest, digest_alg)
      values ('${KEY}', '${TENANT}', '${KEY}', '{booking:create}', decode(repeat('00', 32), 'hex'), 'sha256');
    insert into webhook_endpoints (tenant_id, url) values ('${TENANT}', 'https://acme.example/webhook');
    insert into tours (slug, name, name_folded, continent, country, duration_days, currency, currency_digits, base_price_minor, time_zone, status)
      select 'tour-' || n, 'Tour ' || n, 'tour ' || n, 'asia', 'VN', 3, 'EUR', 2, 50000, 'Asia/Ho_Chi_Minh',
        case n % 4 when 3 then 'draft' else 'published' end
      from generate_series(1, 8) as n;
    insert into departures (tour_id, departure_date, seats_total, prices_minor)
      select id, current_date + days, 50000, '{"adult": 50000}' from tours, generate_series(30, 32) as days;
    insert into visibility_continent_rules (tenant_id, continent, visible) values ('${TENANT}', 'asia', true);
    insert into visibility_tour_rules (tenant_id, tour_id, visible, continent, name_folded)
      select '${TENANT}', id, true, continent, name_folded from tours where slug = 'tour-1';
    insert into price_rules (tenant_id, kind, percent) values ('${TENANT}', 'percent', 10)`);
}

/** Places a hold of two seats over OCTO, and confirms it in a second transaction, with the statements that the API of the last release sends. */
export async function sellAsLastRelease(db: Db): Promise<void> {
  const holdId = randomUUID();
  const departure = await db('departures').select('id').orderByRaw('random()').first<{ id: string }>();
  const sale = { id: departure.id, holdId, tenant: TENANT, actor: `key ${KEY}` };
  await inTransaction(db, async (trx) => {
    for (const statement of [LOCK, COUNT, HOLD, OCTO]) await runPrepared(trx, statement, sale);
  });
  await inTransaction(db, async (trx) => {
    for (const statement of [LOCK_KEY, LOCK, COUNT, CONVERT, LEAD, ENQUEUE, STORE_ANSWER])
      await runPrepared(trx, statement, sale);
  });
}

/** Changes a tour and its departures, as commands of the last release do. */
export async function changeCatalogAsLastRelease(db: Db): Promise<void> {
  await inTransaction(db, async (trx) => {
    await trx.raw(
      `select id from departures where tour_id = (select id from tours where slug = 'tour-2') order by id for update`,
    );
    await trx.raw(
      `update tours set base_price_minor = base_price_minor + 1, revision = revision + 1, updated_at = now() where slug = 'tour-2'`,
    );
    await trx.raw(
      `update departures set seats_total = seats_total + 1, updated_at = now() where tour_id = (select id from tours where slug = 'tour-2')`,
    );
    await trx.raw(`update visibility_continent_rules set visible = not visible`);
  });
}

/** Lists the open tours of a tenant, and computes their next departures, as the API of the last release does. */
export async function readCatalogAsLastRelease(db: Db): Promise<void> {
  await inTransaction(db, async (trx) => {
    await trx.raw('delete from next_departures_due');
    await trx.raw(NEXT_DEPARTURES);
  });
  const { rows } = await db.raw(LIST, { tenant: TENANT });
  if (rows.length === 0) throw new Error('the catalog of the last release is empty');
}

/** Claims deliveries and records that they arrived, as the queue of the last release does. */
export async function deliverAsLastRelease(db: Db): Promise<void> {
  const { rows } = await db.raw<{ rows: { deliveryId: string }[] }>(CLAIM);
  const ids = rows.map(({ deliveryId }) => deliveryId);
  if (ids.length > 0) await db.raw(RECORD, { ids });
}

const LOCK = 'select id from departures where id = :id for update';

const COUNT = `
  select d.seats_total, t.currency, (select taken from count_seats(d.id, false, clock_timestamp())) as seats_taken
  from departures d join tours t on t.id = d.tour_id where d.id = :id`;

const HOLD = `
  insert into seat_holds (id, tenant_id, sandbox, departure_id, quantity, hold_minutes, status, created_at, expires_at, ended_at,
    ended_by, children, unit_price_minor, child_price_minor, single_supplement_minor, currency, currency_digits, price_breakdown,
    external_ref, customer_name, customer_phone, customer_email, placed_by)
  select :holdId, :tenant, false, :id, 2, 15, 'active', at, at + make_interval(mins => 15), null,
    null, 0, 50000, null, null, 'EUR', 2, '{}', null, null, null, null, :actor
  from clock_timestamp() as at`;

const OCTO = `
  insert into octo_bookings (tenant_id, uuid, hold_id, request_digest, contact, unit_items, notes, updated_at)
  select :tenant, :holdId, :holdId, '\\x00', '{}', '[{"unitId": "adult"}, {"unitId": "adult"}]', null, clock_timestamp()`;

const LOCK_KEY = `select pg_try_advisory_xact_lock(hashtextextended(:tenant || ' octo.confirm ' || :holdId, 7))`;

const CONVERT = `
  update seat_holds h set status = 'converted', ended_at = clock_timestamp(), ended_by = :actor
  where h.id = :holdId and h.status = 'active'`;

const LEAD = `
  with numbered as materialized (
    select nextval(pg_get_serial_sequence('booking_leads', 'id')) as id, d.id as departure_id, d.tour_id, d.departure_date
    from departures d where d.id = :id
  )
  insert into booking_leads (id, booking_ref, tenant_id, sandbox, tour_id, departure_id, departure_date, hold_id, adults,
    children, single_supplements, unit_price_minor, child_price_minor, single_supplement_minor, travellers, total_minor, deposit_minor,
    currency, currency_digits, price_breakdown, payment_method, external_ref, customer_name, customer_phone, customer_email, notes,
    source, created_by, created_at, payment_due_at)
  overriding system value
  select id, 'ACME-' || id, :tenant, false, tour_id, departure_id, departure_date, :holdId, 2,
    0, 0, 50000, null, null, null, 100000, 20000,
    'EUR', 2, '{}', 'bank', null, 'Ana Lima', '+4930901820', 'ana@example.com', null,
    'octo', :actor, clock_timestamp(), clock_timestamp() + make_interval(mins => 4320)
  from numbered
  returning id, booking_ref, price_breakdown, created_at, payment_due_at`;

const ENQUEUE = `
  with clock as materialized (
    select clock_timestamp() as at
  ), incoming as materialized (
    select webhook_new_id(clock.at) as id, clock.at, l.tenant_id, 'booking.created' as type, l.booking_ref, '{}' as body
    from clock, booking_leads l where l.hold_id = :holdId
  ), target as (
    select i.id as event_id, e.id as endpoint_id, webhook_body(e.format, i.type, i.at, i.body) as body
    from incoming i
    join webhook_endpoints e on e.tenant_id = i.tenant_id and e.status <> 'removed' and i.type = any (e.events)
  ), event as (
    insert into webhook_events (id, tenant_id, type, booking_ref, body, created_at)
    select i.id, i.tenant_id, i.type, i.booking_ref, i.body, i.at from incoming i
    where i.type = 'booking.created' or exists (select from target t where t.event_id = i.id)
    returning id, tenant_id, created_at
  ), delivery as (
    insert into webhook_deliveries (id, event_id, tenant_id, endpoint_id, body, next_attempt_at, created_at)
    select webhook_new_id(event.created_at), event.id, event.tenant_id, target.endpoint_id, target.body, event.created_at, event.created_at
    from event left join target on target.event_id = event.id
    returning id, endpoint_id, next_attempt_at
  )
  insert into webhook_queue (delivery_id, endpoint_id, next_at)
  select d.id, d.endpoint_id, d.next_attempt_at from delivery d where d.endpoint_id is not null`;

const STORE_ANSWER = `
  insert into idempotency_keys as i (tenant_id, operation, key, fingerprint, status, answer, expires_at)
  values (:tenant, 'octo.confirm', :holdId, '\\x00', 200, '{}', clock_timestamp() + make_interval(hours => 24))
  on conflict (tenant_id, operation, key) do update
    set fingerprint = excluded.fingerprint, status = excluded.status, answer = excluded.answer,
      created_at = excluded.created_at, expires_at = excluded.expires_at
    where i.expires_at <= clock_timestamp()`;

const NEXT_DEPARTURES = `
  insert into next_departures (tour_id, continent, sort_key, computed_at, open_until)
  select t.id, t.continent, next_departure_key(next.departure_date, t.name_folded, t.id), clock.at, coalesce(next.closes_at, 'infinity')
  from clock_timestamp() as clock (at), tours t left join lateral (
    select d.departure_date, departure_closes_at(d.departure_date, d.closes_at, t.time_zone) as closes_at
    from departures d
    where d.tour_id = t.id and departure_is_open(d.status, d.departure_date, d.closes_at, t.time_zone, clock.at)
    order by d.departure_date limit 1) next on true
  on conflict (tour_id) do update set continent = excluded.continent, sort_key = excluded.sort_key,
    computed_at = excluded.computed_at, open_until = excluded.open_until`;

const LIST = `
  select t.id, t.slug, t.name, t.summary, t.country, t.duration_days, t.image_url, t.tags, t.currency, t.base_price_minor, n.sort_key
  from tours t
    join next_departures n on n.tour_id = t.id
    left join visibility_tour_rules r on r.tour_id = t.id and r.tenant_id = :tenant
    left join visibility_continent_rules c on c.continent = t.continent and c.tenant_id = :tenant
  where t.status = 'published' and coalesce(r.visible, c.visible, true)
  order by n.sort_key`;

const CLAIM = `
  update webhook_queue q set worker = 'last-release', claimed_at = clock_timestamp(), fence = q.fence + 1,
    lease_until = clock_timestamp() + interval '1 minute'
  from (select delivery_id from webhook_queue where lease_until is null order by next_at limit 5 for update skip locked) as due
  where q.delivery_id = due.delivery_id
  returning q.delivery_id`;

const RECORD = `
  with attempt as (
    insert into webhook_attempts (delivery_id, number, started_at, duration_ms, outcome, status_code, worker)
    select unnest(:ids::uuid[]), 1, clock_timestamp(), 1, 'delivered', 200, 'last-release'
  ), done as (
    update webhook_deliveries set status = 'delivered', attempts = 1, next_attempt_at = null, last_status_code = 200,
      finished_at = clock_timestamp()
    where id = any (:ids)
  )
  delete from webhook_queue where delivery_id = any (:ids)`;

import type { Db } from '../../services/platform/database/database';

/** Numbers of rows. */
export interface CatalogSize {
  tours: number;
  /**
   * Number of dates of each tour. The first date is in 30 days, and each further date is a week later. Every tenth tour has three
   * departures a date.
   */
  departures: number;
  /** Tenants, each with rules of visibility and price. */
  tenants: number;
  /** Number of bookings in the last year. A tenth as many ended holds are added. */
  bookings: number;
  /** Live holds. */
  holds: number;
  /** Number of webhook deliveries. One in fifty is due. The others were delivered. */
  deliveries: number;
}

/**
 * Fills a migrated database with one statement for each table, without triggers and foreign keys. Then analyzes the tables. The rows
 * belong in turn to the tenants `large-0`, `large-1`, …. Every tenth tenant sees only the tours of its visibility rules.
 * @param db the connections of a superuser
 */
export async function fillLargeCatalog(db: Db, size: CatalogSize): Promise<void> {
  await db.transaction(async (trx) => {
    await trx.raw('set local session_replication_role = replica');
    const indexes = await dropIndexes(trx);
    for (const statement of STATEMENTS) await trx.raw(statement, { ...size });
    for (const index of indexes) await trx.raw(index);
  });
  await db.raw('vacuum analyze');
}

/**
 * Drops the indexes of the largest tables that belong to no constraint. To create them after the rows takes less time than to keep them
 * while the rows are inserted.
 * @returns the statements that create them again
 */
async function dropIndexes(trx: Db): Promise<string[]> {
  const { rows } = await trx.raw<{ rows: { name: string; definition: string }[] }>(
    `select i.indexrelid::regclass::text as name, pg_get_indexdef(i.indexrelid) as definition
     from pg_index i left join pg_constraint c on c.conindid = i.indexrelid
     where i.indrelid = any(?::regclass[]) and c.oid is null`,
    [LARGEST],
  );
  await trx.raw(`drop index ${rows.map(({ name }) => name).join(', ')}`);
  return rows.map(({ definition }) => definition);
}

const LARGEST = ['tours', 'tour_names', 'departures', 'next_departures', 'tour_tags', 'tour_tag_names'];

const STATEMENTS = [
  `insert into tours (slug, name, name_folded, continent, country, tags, duration_days, currency, currency_digits, base_price_minor, time_zone)
   select 'large-' || n, initcap(name), name, continent,
     (array['IT', 'FR', 'ES', 'GR', 'PT', 'JP', 'VN', 'PE', 'KE', 'NZ'])[1 + n / 5 % 10],
     array['tag-' || n % 20, 'rare-' || n % 20000], case when n % 10000 = 0 then 200 else 3 + n % 12 end, 'EUR', 2, 99000 + n % 500, 'Europe/Rome'
   from generate_series(1, :tours) n, lateral (select
     (array['alpine', 'coastal', 'desert', 'forest', 'island', 'river', 'volcano', 'winter'])[1 + n % 8] || ' '
       || (array['walk', 'ride', 'cruise', 'safari', 'trek', 'climb', 'tour'])[1 + n % 7] || ' ' || left(md5(n::text), 8) as name,
     (array['africa', 'asia', 'europe', 'oceania', 'south-america'])[1 + n % 5] as continent) as made`,
  // Translates nine tours of ten into German, and each third of them into Japanese too. A Japanese name comes after all others.
  `update tours t set translations = made.translations, translation_names = made.names
   from (select id, jsonb_object_agg(tag, jsonb_build_object('name', name)) as translations, jsonb_object_agg(tag, name) as names
         from (select t.id, tag, case tag when 'de' then 'reise ' else '旅' end || left(md5(t.slug), 8) as name
               from tours t cross join unnest(case substr(t.slug, 7)::integer % 3 when 0 then array['de', 'ja'] else array['de'] end) tag
               where t.slug not like '%0') each group by id) made
   where made.id = t.id`,
  `insert into tour_names (tour_id, language, languages, continent, country, name_folded, searched)
   select t.id, name.language, case when jsonb_exists(t.translation_names, 'ja') then 'en +de +ja' else 'en +de' end, t.continent, t.country, name.folded,
     case when name.language = 'en' then name.folded else name.folded || e'\x01' || t.name_folded end
   from tours t cross join lateral (
     select 'en' as language, t.name_folded as folded union all select key, value from jsonb_each_text(t.translation_names)) name
   where t.translation_names <> '{}'`,
  `insert into departures (tour_id, departure_date, start_time, seats_total, prices_minor)
   select t.id, current_date + 23 + 7 * k, own_time, 1000, '{"adult": 99000}' from tours t, generate_series(1, :departures) k,
     unnest(case when t.slug like '%0' then array['09:30', '12:00', '14:30'] else array[null] end) own_time`,
  `insert into tenants (slug, name, booking_prefix, currency, currency_digits, country, status, default_visible, max_holds, max_unpaid)
   select 'large-' || n, 'Large ' || n, 'L' || n, 'EUR', 2, 'DE', 'active', n % 10 <> 1, 1000000, 1000000
   from generate_series(0, :tenants - 1) n`,
  `insert into next_departures (tour_id, continent, sort_key, computed_at, open_until)
   select t.id, t.continent, next_departure_key(min(d.departure_date), t.name_folded, t.id), now(), departure_closes_at(min(d.departure_date), null, null, null, t.time_zone)
   from tours t join departures d on d.tour_id = t.id group by t.id`,
  `insert into tour_tags (tour_id, tag, continent, name_folded, is_translated)
   select id, unnest(tags), continent, name_folded, translation_names <> '{}' from tours`,
  `insert into tour_tag_names (tour_id, tag, language, languages, continent, name_folded)
   select n.tour_id, g.tag, n.language, n.languages, n.continent, n.name_folded
   from tour_names n join tour_tags g on g.tour_id = n.tour_id`,
  // Gives each tour a change in its own transaction. The transactions are spread evenly over the last year.
  `insert into tour_changes (tour_id, change_id) select id, row_number() over (order by slug) from tours`,
  `insert into catalog_commits (change_id, at)
   select change_id, date_trunc('milliseconds', now()) - interval '1 year' * change_id / :tours from tour_changes`,
  `select setval(pg_get_serial_sequence('change_marks', 'change_id'), :tours)`,
  `update catalog_commits set at = now() - interval '2 years' where change_id = 0`,
  `create temporary table many_tenants on commit drop as
     select id, default_visible, (row_number() over (order by slug) - 1)::integer as n from tenants where slug like 'large-%'`,
  `create temporary table many_departures on commit drop as
     select d.id, d.tour_id, d.departure_date, (row_number() over () - 1)::integer as n from departures d`,
  `create index on many_departures (n)`,
  `analyze many_tenants, many_departures`,
  `insert into visibility_tour_rules (tenant_id, tour_id, visible, continent, name_folded)
   select m.id, t.id, not m.default_visible, t.continent, t.name_folded
   from many_tenants m join tours t on (hashtext(t.slug) & 2147483647) % least(:tenants, 500) = m.n % 500`,
  `insert into tour_publications (tour_id, continent, from_change) select id, continent, 0 from tours`,
  `insert into visibility_periods (tenant_id, scope, visible, from_change)
   select id, 'default', default_visible, 0 from many_tenants union all select id, 'usable', true, 0 from many_tenants
   union all select tenant_id, tour_id::text, visible, 0 from visibility_tour_rules`,
  `insert into tenant_changes (tenant_id, scope, change_id)
   select r.tenant_id, r.tour_id::text, c.change_id from visibility_tour_rules r join tour_changes c on c.tour_id = r.tour_id`,
  `insert into price_rules (tenant_id, continent, kind, percent)
   select id, continent, 'percent', 5 from many_tenants, unnest(array['africa', 'asia', 'europe']) continent`,
  `insert into seat_holds (tenant_id, departure_id, party, seats, hold_minutes, status, expires_at, prices_minor, currency,
     currency_digits, price_breakdown, external_ref, created_at)
   select m.id, d.id, '{"adult": 1}', 1, 60, status, at + interval '60 minutes', '{"adult": 99000}', 'EUR', 2, '{}', 'cart-' || k, at
   from (select k, 'active' as status, now() as at from generate_series(1, :holds) k
         union all
         select k, 'released', now() - interval '1 year' * (1 - 10 * k::float8 / :bookings) from generate_series(1, :bookings / 10) k) made
     join many_tenants m on m.n = k % :tenants
     join many_departures d on d.n = (k::bigint * 7919 % (:tours::bigint * :departures))::integer`,
  `insert into booking_leads (booking_ref, tenant_id, tour_id, departure_id, departure_date, party, seats, status, prices_minor,
     total_minor, deposit_minor, currency, currency_digits, price_breakdown, payment_method, external_ref, customer_name,
     customer_phone, customer_email, created_at, payment_due_at)
   select 'LARGE-' || k, m.id, d.tour_id, d.id, d.departure_date, '{"adult": 1}', 1, status, '{"adult": 99000}', 99000, 0, 'EUR', 2, '{}', 'bank',
     'order-' || k, 'Ana Lima', '+4930901820', 'ana@example.com', at,
     case when status = 'pending_payment' then now() + interval '1 day' end
   from generate_series(1, :bookings) k, lateral (select
       now() - interval '1 year' * (1 - k::float8 / :bookings) as at,
       (array['confirmed', 'confirmed', 'cancelled', 'expired', 'pending_payment'])[1 + k / :tenants % 5] as status) as made
     , many_tenants m, many_departures d
   where m.n = k % :tenants and d.n = (k::bigint * 7919 % (:tours::bigint * :departures))::integer`,
  `insert into webhook_endpoints (tenant_id, url) select id, 'https://hooks.example.com/' || n from many_tenants`,
  `create temporary table many_deliveries on commit drop as
     select k, webhook_new_id() as event_id, webhook_new_id() as delivery_id, e.tenant_id, e.id as endpoint_id, k % 50 = 0 as due
     from generate_series(1, :deliveries) k
       join many_tenants m on m.n = k % :tenants join webhook_endpoints e on e.tenant_id = m.id`,
  `insert into webhook_events (id, tenant_id, type, booking_ref, body, created_at)
   select event_id, tenant_id, 'booking.created', 'LARGE-' || k, '{}', now() from many_deliveries`,
  `insert into webhook_deliveries (id, event_id, tenant_id, endpoint_id, status, attempts, next_attempt_at, created_at, finished_at)
   select delivery_id, event_id, tenant_id, endpoint_id, case when due then 'pending' else 'delivered' end,
     case when due then 0 else 1 end, case when due then now() end, now(), case when not due then now() end from many_deliveries`,
  `insert into webhook_queue (delivery_id, endpoint_id, next_at) select delivery_id, endpoint_id, now() from many_deliveries where due`,
];

/**
 * Adds holds and bookings to the tenant `large-0`. One in twenty holds is released, and has the reference `same`. Each hold belongs
 * to an OCTO booking. The dates of the OCTO bookings are spread over 400 days.
 */
export async function fillLargeTenant(db: Db, sales: number): Promise<void> {
  await db.transaction(async (trx) => {
    await trx.raw('set local session_replication_role = replica');
    for (const statement of SALES_OF_TENANT) await trx.raw(statement, { sales });
  });
  await db.raw('vacuum analyze seat_holds, booking_leads, octo_bookings');
}

const SALES_OF_TENANT = [
  `create temporary table some_departures on commit drop as
     select id, tour_id, departure_date, (row_number() over () - 1)::integer as n from departures limit 500`,
  `insert into seat_holds (tenant_id, departure_id, party, seats, hold_minutes, status, expires_at, prices_minor, currency,
     currency_digits, price_breakdown, external_ref, created_at)
   select m.id, d.id, '{"adult": 1}', 1, 60, case when k % 20 = 0 then 'released' else 'converted' end, at + interval '60 minutes', '{"adult": 99000}', 'EUR', 2, '{}',
     case when k % 20 = 0 then 'same' else 'own-' || k end, at
   from generate_series(1, :sales) k join some_departures d on d.n = k % 500
     , lateral (select now() - interval '1 year' * k / :sales as at) made, tenants m where m.slug = 'large-0'`,
  `insert into booking_leads (booking_ref, tenant_id, tour_id, departure_id, departure_date, party, seats, status, prices_minor,
     total_minor, deposit_minor, currency, currency_digits, price_breakdown, payment_method, customer_name, customer_phone,
     customer_email, created_at)
   select 'SALE-' || k, m.id, d.tour_id, d.id, d.departure_date, '{"adult": 1}', 1, 'confirmed', '{"adult": 99000}', 99000, 0, 'EUR', 2, '{}', 'bank',
     'Ana Lima', '+4930901820', 'ana@example.com', now() - interval '1 year' * k / :sales
   from generate_series(1, :sales) k join some_departures d on d.n = k % 500, tenants m where m.slug = 'large-0'`,
  `insert into octo_bookings (tenant_id, uuid, hold_id, contact, unit_items, updated_at, departure_date)
   select h.tenant_id, gen_random_uuid(), h.id, '{}', '[]', h.created_at, current_date + (row_number() over (order by h.id) % 400)::integer
   from seat_holds h join tenants m on m.id = h.tenant_id where m.slug = 'large-0'`,
];

/**
 * Archives one published tour in twenty, each in its own transaction of the last two weeks. Tenants with `default_visible` saw these
 * tours before.
 */
export async function archiveManyTours(db: Db): Promise<void> {
  await db.transaction(async (trx) => {
    await trx.raw('set local session_replication_role = replica');
    await trx.raw(
      `update tours set status = 'archived' where abs(hashtext(slug)) % 20 = 0 and status = 'published'`,
    );
    await trx.raw(
      `insert into catalog_commits (change_id, at)
       select -n, date_trunc('milliseconds', now()) - interval '14 days' * n / 1000 from generate_series(1, 1000) n`,
    );
    await trx.raw(
      `update tour_publications p set until_change = -1 - abs(hashtext(t.slug)) / 20 % 1000
       from tours t where t.id = p.tour_id and t.status = 'archived'`,
    );
  });
  await db.raw('vacuum analyze tours, tour_publications, catalog_commits');
}

/** Creates the tenant `ruled`. Its visibility rules of the last week show 10,000 tours. All other tours are hidden. */
export async function fillRuledTenant(db: Db): Promise<void> {
  await db.transaction(async (trx) => {
    await trx.raw(
      `insert into tenants (slug, name, booking_prefix, currency, currency_digits, country, status, default_visible)
       values ('ruled', 'Ruled', 'RULED', 'EUR', 2, 'DE', 'active', false)`,
    );
    await trx.raw(
      `insert into visibility_tour_rules (tenant_id, tour_id, visible, continent, name_folded)
       select n.id, t.id, true, t.continent, t.name_folded
       from tours t, tenants n where n.slug = 'ruled' and t.slug like 'large-%' order by t.slug limit 10000`,
    );
  });
  await db.raw('vacuum analyze visibility_tour_rules, visibility_periods, tenant_changes');
}

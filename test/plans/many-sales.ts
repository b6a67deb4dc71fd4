import type { Db } from '../../services/platform/database/database';

/** Numbers of rows. */
export interface SalesSize {
  tours: number;
  /** Departures of each tour, spread over the next 340 days. A quarter of them has one seat, a tenth is closed. */
  departures: number;
  /** Number of bookings in the last year, by 500 tenants. The customers have 30,000 surnames, each with 32 first names. */
  bookings: number;
}

/** Selects the indexes that no constraint needs. */
const INDEXES = `select indexrelid::regclass::text as name, pg_get_indexdef(indexrelid) as definition from pg_index
  where indrelid in ('departures'::regclass, 'booking_leads'::regclass) and not indisunique`;

/**
 * Fills a migrated database with one statement for each table, without triggers and foreign keys. Builds the indexes after the rows,
 * because this order takes a third of the time.
 * @param db the connections of a superuser
 */
export async function fillManySales(db: Db, size: SalesSize): Promise<void> {
  await db.transaction(async (trx) => {
    await trx.raw("set local session_replication_role = replica; set local maintenance_work_mem = '256MB'");
    const { rows: indexes } = await trx.raw<{ rows: { name: string; definition: string }[] }>(INDEXES);
    for (const { name } of indexes) await trx.raw('drop index ??', [name]);
    for (const statement of STATEMENTS) await trx.raw(statement, { ...size });
    for (const { definition } of indexes) await trx.raw(definition.replaceAll('?', '\\?'));
  });
  await db.raw('vacuum analyze');
}

const STATEMENTS = [
  `insert into tours (slug, name, name_folded, continent, country, duration_days, currency, currency_digits, base_price_minor, time_zone, start_time)
   select 'many-' || n, 'Many ' || n, 'many ' || n, 'europe', 'IT', 1, 'EUR', 2, 9900, 'Europe/Rome', case when n % 3 = 0 then '10:00' end
   from generate_series(1, :tours) n`,
  `insert into departures (tour_id, departure_date, start_time, seats_total, prices_minor, status, closes_at)
   select t.id, current_date + (17 * k + abs(hashtext(t.slug))) % 340, case when k % 2 = 0 then '09:30' end,
     case when k % 4 = 1 then 1 else 1000 end, '{"adult": 9900}',
     case when (k + abs(hashtext(t.slug))) % 1000 = 0 then 'cancelled' else 'scheduled' end, case when k % 10 = 2 then now() end
   from tours t, generate_series(1, :departures) k`,
  `insert into tenants (slug, name, booking_prefix, currency, currency_digits, country, status, default_visible)
   select 'many-' || n, 'Many ' || n, 'M' || n, 'EUR', 2, 'DE', 'active', true from generate_series(0, 499) n`,
  `create temporary table many_tenants on commit drop as
     select id, (row_number() over (order by slug) - 1)::integer as n from tenants where slug like 'many-%'`,
  `create temporary table many_departures on commit drop as
     select id, tour_id, departure_date, (row_number() over () - 1)::integer as n from departures`,
  `create index on many_departures (n)`,
  `analyze many_tenants, many_departures`,
  `insert into booking_leads (booking_ref, tenant_id, tour_id, departure_id, departure_date, party, seats, status, prices_minor,
     total_minor, deposit_minor, currency, currency_digits, price_breakdown, payment_method, external_ref, customer_name,
     customer_phone, customer_email, created_at)
   select 'MANY-' || k, m.id, d.tour_id, d.id, d.departure_date, '{"adult": 1}', 1, (array['confirmed', 'cancelled'])[1 + k % 10 / 9], '{"adult": 9900}', 9900, 0, 'EUR', 2,
     '{}', 'bank', 'order-' || k, initcap(first_name || ' ' || surname), '+4930' || lpad((k::bigint * 7919 % 10000000)::text, 7, '0'),
     first_name || '.' || surname || '@example.com', now() - interval '1 year' * k / :bookings
   from generate_series(1, :bookings) k, lateral (select
       (array['ana', 'jose', 'maria', 'peter', 'lukas', 'sophie', 'zoe', 'emma'])[1 + k % 8]
         || (array['', 'lina', 'bert', 'mira'])[1 + k / 8 % 4] as first_name,
       translate(left(md5((k % 30000)::text), 7), '0123456789', 'ghijklmnop') as surname) as made
     , many_tenants m, many_departures d
   where m.n = k % 500 and d.n = (k::bigint * 7919 % (:tours::bigint * :departures))::integer`,
];

import { migrateWithin } from '../../services/platform/migrate/migrate';
import { listMigrations } from '../../services/platform/migrate/migration-files';
import { type Db, inTransaction } from '../../services/platform/database/database';

// Sales in a database of the release before price categories were data: a party and its prices were numbers in columns of their own.

/** The migrations of that release. */
export const EARLIER_MIGRATIONS = listMigrations().filter((name) => name < '0144');

/** Makes the schema of that release, with sales of every form: parties, statuses, prices and price calculations. */
export async function givenEarlierSales(db: Db, count: number): Promise<void> {
  await inTransaction(db, (trx) => migrateWithin(trx, EARLIER_MIGRATIONS));
  await db.raw(TENANT_AND_TOUR);
  await db.raw(HOLDS, [count]);
  await db.raw(LEADS, [count]);
}

const TENANT_AND_TOUR = `
  insert into tenants (slug, name, booking_prefix, country, currency, currency_digits, sandbox)
  values ('acme', 'Acme Travel', 'ACME', 'DE', 'EUR', 2, false), ('trial', 'Trial', 'TRIAL', 'DE', 'EUR', 2, true);
  insert into tours (slug, name, name_folded, continent, country, duration_days, currency, currency_digits, base_price_minor)
  values ('alps', 'Alps', 'alps', 'europe', 'IT', 3, 'EUR', 2, 50000);
  insert into departures (tour_id, departure_date, seats_total, prices_minor)
  select id, date '2041-01-01' + day, 100000, '{"adult": 50000, "child": 30000, "single_supplement": 9000}'
  from tours, generate_series(0, 999) as day`;

/** Selects the numbered sales: an adult party, children alone, supplements, and prices of categories that the party does not have. */
const NUMBERED = `
  select n, d.id as departure_id, d.tour_id, d.departure_date, t.id as tenant_id, t.sandbox,
    n % 4 as adults, (n / 4) % 3 + case when n % 4 = 0 then 1 else 0 end as children,
    case when n % 4 > 1 then n % 2 else 0 end as singles,
    case when n % 5 = 0 then '{}'::jsonb
         else '{"platform_unit_price": 500, "platform_child_price": 300.5, "platform_single_supplement": null, "rule_id": 7}' end
      as price_breakdown
  from generate_series(1, ?::integer) as n
  join departures d on d.departure_date = date '2041-01-01' + n % 1000
  join tenants t on t.sandbox = (n % 11 = 0)`;

const HOLDS = `
  insert into seat_holds (tenant_id, departure_id, quantity, children, unit_price_minor, child_price_minor, single_supplement_minor,
    hold_minutes, status, expires_at, currency, currency_digits, price_breakdown, sandbox)
  select tenant_id, departure_id, adults + children, children, 50000, case when children > 0 or n % 3 = 0 then 30000 end,
    case when n % 7 = 0 then 9000 end, 60, case when n % 6 = 0 then 'released' else 'active' end, now() + interval '50 minutes',
    'EUR', 2, price_breakdown, sandbox
  from (${NUMBERED}) as sale`;

const LEADS = `
  insert into booking_leads (booking_ref, tenant_id, tour_id, departure_id, departure_date, adults, children, single_supplements,
    unit_price_minor, child_price_minor, single_supplement_minor, total_minor, deposit_minor, currency, currency_digits, price_breakdown,
    payment_method, status, confirmed_at, customer_name, customer_phone, customer_email, sandbox)
  select 'ACME-' || n, tenant_id, tour_id, case when n % 8 > 0 then departure_id end, case when n % 8 > 0 then departure_date end,
    adults, children, singles, 50000, case when children > 0 or n % 3 = 0 then 30000 end,
    case when singles > 0 or n % 7 = 0 then 9000 end, adults * 50000 + children * 30000 + singles * 9000, 0, 'EUR', 2, price_breakdown,
    'bank', case when n % 6 = 0 then 'cancelled' when n % 2 = 0 then 'confirmed' else 'pending_payment' end,
    case when n % 2 = 0 then now() end, 'Ana Lima', '+4930901820', 'ana@example.com', sandbox
  from (${NUMBERED}) as sale`;

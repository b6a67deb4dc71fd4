import type { Db, Trx } from '../../platform/database/database';
import { TENANT_MAY_BE_USED } from '../tenants/tenant';
import type { ExchangeRate } from './convert-price';
import type { TenantCurrencies } from './selling-currency';

/** Selects all rates. Selects decimals and dates as texts, because the rows may be returned as JSON, which has only floats. */
export const EXCHANGE_RATES =
  'select r.currency, r.units_per_eur::text, r.rate_date::text from exchange_rates r';

/** Returns the rates in the order of their currencies. */
export async function findExchangeRates(db: Db): Promise<ExchangeRate[]> {
  const { rows } = await db.raw<{ rows: ExchangeRate[] }>(`${EXCHANGE_RATES} order by r.currency`);
  return rows;
}

/** Returns today's date in UTC, and the latest date in any time zone, both by the database's clock. YYYY-MM-DD */
export async function readToday(db: Db): Promise<{ utc: string; latest: string }> {
  const { rows } = await db.raw<{ rows: [{ utc: string; latest: string }] }>(
    `select (clock_timestamp() at time zone 'UTC')::date::text as utc,
       (clock_timestamp() at time zone 'Etc/GMT-14')::date::text as latest`,
  );
  return rows[0];
}

/** Locks the rates until the transaction ends, so that two commands do not set them at the same time. */
export async function lockExchangeRates(trx: Trx): Promise<void> {
  await trx.raw('lock table exchange_rates in share row exclusive mode');
}

/** Stores rates, and replaces the ones that are known. Writes nothing for a rate that stays the same. */
export async function putExchangeRates(trx: Trx, rates: ExchangeRate[]): Promise<void> {
  await trx.raw(
    `insert into exchange_rates (currency, units_per_eur, rate_date)
     select * from unnest(:currencies::text[], :units::numeric[], :dates::date[]) as w (currency, units_per_eur, rate_date)
     on conflict (currency) do update set units_per_eur = excluded.units_per_eur, rate_date = excluded.rate_date
       where (exchange_rates.units_per_eur, exchange_rates.rate_date) is distinct from (excluded.units_per_eur, excluded.rate_date)`,
    {
      currencies: rates.map(({ currency }) => currency),
      units: rates.map(({ unitsPerEur }) => unitsPerEur),
      dates: rates.map(({ rateDate }) => rateDate),
    },
  );
}

/** A tenant that sells every tour in one currency. */
export interface TenantWithSellingCurrency extends TenantCurrencies {
  slug: string;
  sellIn: string;
}

/** Returns the tenants with a selling currency that the API serves, by slug. */
export async function findTenantsWithSellingCurrency(db: Db): Promise<TenantWithSellingCurrency[]> {
  return db('tenants as t')
    .select('t.slug', 't.currency', 't.currency_digits', 't.sell_in', 't.sell_in_digits')
    .whereNotNull('t.sell_in')
    .whereRaw(TENANT_MAY_BE_USED)
    .orderBy('t.slug');
}

/** The published tours of one currency that a tenant cannot sell in its selling currency. */
export interface UnsellableTours {
  tenant: string;
  sellIn: string;
  /** The currency of the tours. */
  currency: string;
  tours: number;
  /** The currencies whose rates are missing. */
  missing: string[];
}

/** Finds published tours whose rate is missing, at most 100 rows. @param tenantId undefined: of all tenants that the API serves */
export async function findUnsellableTours(db: Db, tenantId?: string): Promise<UnsellableTours[]> {
  const { rows } = await db.raw<{ rows: UnsellableTours[] }>(
    `with published as materialized (
       select o.currency::text, count(*)::integer as tours from tours o where o.status = 'published' group by o.currency
     )
     select t.slug as tenant, t.sell_in, p.currency, p.tours, array(
         select needed.currency from unnest(array[p.currency, t.sell_in::text]) as needed (currency)
         where needed.currency <> 'EUR' and not exists (select from exchange_rates r where r.currency = needed.currency)
         order by needed.currency) as missing
     from tenants t join published p on p.currency <> all(sellable_currencies(t.sell_in))
     where t.sell_in is not null and ${TENANT_MAY_BE_USED} and (:tenantId::uuid is null or t.id = :tenantId::uuid)
     order by t.slug, p.currency limit 100`,
    { tenantId: tenantId ?? null },
  );
  return rows;
}

/** Returns the rates that the API uses and that are older than `days`, by currency. */
export async function findOldRates(db: Db, days: number): Promise<ExchangeRate[]> {
  const { rows } = await db.raw<{ rows: ExchangeRate[] }>(
    `with converted as materialized (
       select distinct t.sell_in::text, o.currency::text
       from tenants t join (select distinct currency from tours where status = 'published') o on o.currency <> t.sell_in
       where ${TENANT_MAY_BE_USED}
     )
     ${EXCHANGE_RATES}
     where r.rate_date < (clock_timestamp() at time zone 'UTC')::date - :days::integer
       and exists (select from converted c where r.currency in (c.sell_in, c.currency))
     order by r.currency`,
    { days },
  );
  return rows;
}

-- The platform's prices that a hold or booking has locked are a column in minor units, like its other amounts (ADR 71). Before, the stored
-- calculation had them with decimals. Its unit_price goes too: it repeats the price of the first category. The update is not rolling: a
-- process of an earlier release reads and writes these two in the calculation.
do $$ begin
  if exists (select from api_instances where polled_at > clock_timestamp() - interval '1 minute') then
    raise exception 'an instance of an earlier release runs, which stores the prices of the platform with decimals'
      using errcode = 'object_not_in_prerequisite_state', constraint = 'migration_needs_stopped_instances';
  end if;
end $$;

-- Returns prices by category in minor units. @param prices in major units; null: none @param digits the decimals of their currency
create function prices_in_minor_units(prices jsonb, digits smallint) returns jsonb
  language sql immutable
  return coalesce((
    select jsonb_object_agg(price.code, round(price.amount::numeric * 10 ^ digits::numeric)::bigint)
    from jsonb_each_text(prices) as price (code, amount) where price.amount is not null), '{}');

-- In the currency of the sale. A category that is missing: its price is not known, for a sale from before these prices were locked.
alter table seat_holds add column platform_prices_minor jsonb not null default '{}';
alter table booking_leads add column platform_prices_minor jsonb not null default '{}';
-- Writes each table once, and changes no time of a change.
alter table seat_holds
  alter column platform_prices_minor type jsonb using prices_in_minor_units(price_breakdown -> 'platform_prices', currency_digits),
  alter column price_breakdown type jsonb using price_breakdown - '{platform_prices,unit_price}'::text[];
alter table booking_leads
  alter column platform_prices_minor type jsonb using prices_in_minor_units(price_breakdown -> 'platform_prices', currency_digits),
  alter column price_breakdown type jsonb using price_breakdown - '{platform_prices,unit_price}'::text[];

drop function prices_in_minor_units(jsonb, smallint);

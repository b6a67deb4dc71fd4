-- The selling currency of a tenant: the tenant sells every tour in this currency, at the platform's price converted by exchange rates
-- (ADR 41).

-- Null: the tenant sells each tour in the tour's own currency.
alter table tenants
  add column sell_in char(3) constraint tenants_sell_in_form check (sell_in ~ '^[A-Z]{3}$'),
  add column sell_in_digits smallint constraint tenants_sell_in_digits_range check (sell_in_digits between 0 and 4),
  add constraint tenants_sell_in_complete check ((sell_in is null) = (sell_in_digits is null));

-- True for a process that converts prices. Processes of the previous release do not write the column, and would sell in the tour's currency.
-- While such a process runs, a selling currency is refused.
alter table api_instances add column knows_selling_currency boolean not null default false;

create function refuse_sell_in_during_update() returns trigger language plpgsql as $$
begin
  if exists (
      select from api_instances where not knows_selling_currency and polled_at > clock_timestamp() - interval '1 minute') then
    raise exception 'an instance of an earlier release runs, which does not convert prices'
      using errcode = 'object_not_in_prerequisite_state', constraint = 'tenants_sell_in_during_update';
  end if;
  return new;
end $$;
create trigger tenants_inserted_sell_in before insert on tenants
  for each row when (new.sell_in is not null) execute function refuse_sell_in_during_update();
create trigger tenants_updated_sell_in before update of sell_in on tenants
  for each row when (new.sell_in is not null and old.sell_in is distinct from new.sell_in) execute function refuse_sell_in_during_update();

-- The last known rate of each currency. The euro has no row: its rate is 1. Rows are never deleted, so a tour that a tenant sells stays
-- convertible.
create table exchange_rates (
  currency      char(3) primary key constraint exchange_rates_currency_form check (currency ~ '^[A-Z]{3}$' and currency <> 'EUR'),
  -- Units of the currency for one euro.
  units_per_eur numeric not null
                constraint exchange_rates_range check (units_per_eur between 0.0000001 and 9999999999 and scale(units_per_eur) <= 10),
  -- The day for which the rate was published.
  rate_date     date    not null,
  -- The change that added the currency. From its commit on, prices in the currency can be converted.
  known_from    bigint  not null
);

insert into database_rights (object, role, rights)
values
  ('exchange_rates', 'tour_platform_api', 'select'),
  ('exchange_rates', 'tour_platform_queue', '');
select grant_database_roles();

-- Returns the currencies of the tours that a tenant can sell in the currency `sell_in`.
create function sellable_currencies(sell_in text) returns text[] language sql stable
  return (
    with known as (select 'EUR' as currency union all select r.currency::text from exchange_rates r)
    select array_agg(s.currency) from (
      select sell_in as currency
      union
      select k.currency from known k where sell_in in (select currency from known)) as s);

-- Stores with a new currency the change that adds it.
create function stamp_new_rate() returns trigger language plpgsql as $$
begin
  new.known_from := current_change();
  return new;
end $$;
create trigger exchange_rates_stamped before insert on exchange_rates for each row execute function stamp_new_rate();

create trigger exchange_rates_changed after insert or update or delete or truncate on exchange_rates
  for each statement execute function mark_change();

-- Records a change of rates as a change of the prices of each tenant that they concern: a tenant that sells in one of the currencies, or
-- that converts published tours from one of them.
create function record_rates(currencies text[]) returns void language plpgsql as $$
declare
  converted constant text[] := array(select distinct t.currency::text from tours t where t.status = 'published' and t.currency = any(currencies));
begin
  perform record_tenant_change(n.id, 'default') from (
    select t.id from tenants t
    where t.sell_in is not null and (t.sell_in = any(currencies) or array_remove(converted, t.sell_in::text) <> '{}')
    order by t.id) n;
end $$;

create function record_inserted_rates() returns trigger language plpgsql as $$
begin
  perform record_rates(array(select currency::text from new_rows));
  return null;
end $$;
create trigger exchange_rates_inserted_recorded after insert on exchange_rates
  referencing new table as new_rows for each statement execute function record_inserted_rates();

-- Ignores rates of which only the date has changed: they change no price.
create function record_updated_rates() returns trigger language plpgsql as $$
begin
  perform record_rates(array(
    select n.currency::text from new_rows n join old_rows o on o.currency = n.currency where n.units_per_eur <> o.units_per_eur));
  return null;
end $$;
create trigger exchange_rates_updated_recorded after update on exchange_rates
  referencing new table as new_rows old table as old_rows for each statement execute function record_updated_rates();

-- Each period in which a tenant sold in one currency is a row of visibility_periods. Its scope is `sells` with the currency, or `sells
-- none`. A tenant without such a row has always sold in the currencies of the tours.
create or replace function record_tenant() returns trigger language plpgsql as $$
declare
  sells constant text := 'sells ' || coalesce(new.sell_in, 'none');
begin
  if tg_op = 'INSERT' or old.default_visible <> new.default_visible then
    perform record_visibility(new.id, 'default', new.default_visible);
  end if;
  if tg_op = 'INSERT' or old.status <> new.status then
    perform record_visibility(new.id, 'usable', new.status in ('trial', 'active'));
  end if;
  if tg_op = 'INSERT' and new.sell_in is not null then
    perform record_visibility(new.id, sells, true);
  end if;
  if tg_op = 'UPDATE' and old.sell_in is distinct from new.sell_in then
    if not exists (select from visibility_periods where tenant_id = new.id and scope like 'sells %') then
      insert into visibility_periods (tenant_id, scope, visible, from_change) values (new.id, 'sells none', true, 0);
    end if;
    perform record_visibility(new.id, 'sells ' || coalesce(old.sell_in, 'none'), null);
    perform record_visibility(new.id, sells, true);
  end if;
  if tg_op = 'UPDATE' and (old.default_visible, old.currency, old.sell_in, old.deposit_percent, old.payment_method)
      is distinct from (new.default_visible, new.currency, new.sell_in, new.deposit_percent, new.payment_method) then
    perform record_tenant_change(new.id, 'default');
  end if;
  return null;
end $$;

-- The currency of the tour in this period: a tenant cannot sell a tour in a currency without a rate.
alter table tour_publications add column currency char(3);
update tour_publications p set currency = t.currency from tours t where t.id = p.tour_id;

-- The periods of tour_publications with their times, [from, until), and with the currency of the tour.
create or replace view tour_publication_times as
select p.tour_id, p.continent, tstzrange(f.at, case when p.until_change is not null then coalesce(u.at, f.at, '-infinity') end) as during,
  p.currency
from tour_publications p
  cross join lateral (select (select k.at from catalog_commits k where k.change_id = p.from_change) as at offset 0) f
  cross join lateral (select (select k.at from catalog_commits k where k.change_id = p.until_change) as at offset 0) u;

-- Records the tours that a statement has changed, and begins and ends their publication. A change of the currency begins a new publication.
create or replace function record_tours() returns trigger language plpgsql as $$
declare
  changed uuid[];
  -- The tours whose publication begins or ends.
  moved uuid[];
  change bigint;
begin
  if tg_op = 'INSERT' then
    changed := array(select id from new_rows);
    moved := array(select id from new_rows where status = 'published');
  elsif tg_op = 'DELETE' then
    moved := array(select id from old_rows where status = 'published');
  else
    -- A revision alone grows with sales from the terminal.
    changed := array(select n.id from new_rows n join old_rows o on o.id = n.id
                     where n.updated_at <> o.updated_at or n.revision = o.revision);
    moved := array(select n.id from new_rows n join old_rows o on o.id = n.id
                   where (n.status, n.continent, n.currency) is distinct from (o.status, o.continent, o.currency));
  end if;
  if changed <> '{}' then perform record_tour_changes(changed); end if;
  if moved <> '{}' then
    change := current_change();
    update tour_publications set until_change = change where tour_id = any(moved) and until_change is null;
    insert into tour_publications (tour_id, continent, from_change, currency)
    select id, continent, change, currency from tours where id = any(moved) and status = 'published';
  end if;
  return null;
end $$;

-- Returns the time from which on prices in the currency can be converted. Null: no rate is known.
create function convertible_from(of_currency text) returns timestamptz language sql stable
  return case when of_currency = 'EUR' then '-infinity' else (
    select coalesce((select k.at from catalog_commits k where k.change_id = r.known_from), '-infinity')
    from exchange_rates r where r.currency = of_currency) end;

-- Returns the times at which a tenant could sell tours of the currency.
create function sellable_times(of_tenant uuid, of_currency text) returns tstzmultirange language sql stable
  return (
    select coalesce(range_agg(
        case when v.scope in ('sells none', 'sells ' || of_currency) then v.during
             when c.since is not null then v.during * tstzrange(c.since, null)
             else 'empty' end), '{}')
    from visibility_times v
      cross join lateral (
        select case when s.at is not null then greatest(s.at, convertible_from(substr(v.scope, 7))) end as since
        from (select case when convertible_from(substr(v.scope, 7)) is not null then convertible_from(of_currency) end as at) s) c
    where v.tenant_id = of_tenant and v.scope like 'sells %');

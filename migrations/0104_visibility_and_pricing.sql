-- The rules that decide which tours a tenant sees, and the rules for its prices.

-- Shows or hides one tour. A tour rule overrides a continent rule, and a continent rule overrides the tenant's default.
-- The rule has a copy of the tour's sort key, so that a page is read from one index. The foreign key keeps the copy equal to the tour.
create table visibility_tour_rules (
  tenant_id   uuid        not null references tenants (id),
  tour_id     uuid        not null,
  visible     boolean     not null,
  continent   text        collate "C" not null,
  name_folded text        collate "C" not null,
  created_at  timestamptz not null default now(),
  primary key (tenant_id, tour_id),
  constraint visibility_tour_rules_tour foreign key (tour_id, continent, name_folded)
    references tours (id, continent, name_folded) on update cascade on delete cascade
);
create index visibility_tour_rules_by_name on visibility_tour_rules (tenant_id, name_folded, tour_id) where visible;
create index visibility_tour_rules_tour on visibility_tour_rules (tour_id);

-- Shows or hides the tours of a continent that have no rule of their own.
create table visibility_continent_rules (
  tenant_id  uuid        not null references tenants (id),
  continent  text        collate "C" not null
             constraint visibility_continent_form check (continent ~ '^[a-z0-9][a-z0-9-]{0,61}[a-z0-9]$'),
  visible    boolean     not null,
  created_at timestamptz not null default now(),
  primary key (tenant_id, continent)
);

-- The price rules of tenants. Each price is decided by at most one rule, which the API chooses.
create table price_rules (
  id           bigint      generated always as identity primary key,
  tenant_id    uuid        not null references tenants (id),
  tour_id      uuid        references tours (id) on delete cascade,
  continent    text        collate "C"
               constraint price_rules_continent_form check (continent ~ '^[a-z0-9][a-z0-9-]{0,61}[a-z0-9]$'),
  kind         text        not null constraint price_rules_kind_known check (kind in ('percent', 'amount', 'price')),
  -- A rule of the kind `percent` has only percent. The other rules have amount_minor, in minor units of currency.
  percent      numeric(9, 4) constraint price_rules_percent_range check (percent between -100 and 10000),
  amount_minor bigint      constraint price_rules_amount_range check (amount_minor between -1000000000000 and 1000000000000),
  currency     char(3),
  travel_from  date,
  travel_to    date,
  -- In major units: 5 rounds prices to the nearest multiple of five.
  round_to     numeric(12, 4) constraint price_rules_round_to_positive check (round_to > 0),
  created_at   timestamptz not null default now(),
  constraint price_rules_one_scope check (tour_id is null or continent is null),
  constraint price_rules_window check (travel_to >= travel_from),
  constraint price_rules_value check (
    case kind
      when 'percent' then percent is not null and amount_minor is null and currency is null
      else percent is null and amount_minor is not null and currency is not null
    end),
  constraint price_rules_price_not_negative check (kind <> 'price' or amount_minor >= 0)
);
-- A page of the catalog reads only the rules of its own tours.
create index price_rules_tenant_tour on price_rules (tenant_id, tour_id);
create index price_rules_tour on price_rules (tour_id) where tour_id is not null;

-- Tenants: the travel websites that sell from the central catalog under their own name and prices.

create extension if not exists pg_trgm;

-- A travel website that sells from the central catalog under its own name and prices.
create table tenants (
  id                     uuid        primary key default gen_random_uuid(),
  slug                   text        not null constraint tenants_slug_unique unique
                                     constraint tenants_slug_form check (slug ~ '^[a-z0-9][a-z0-9-]{0,61}[a-z0-9]$'),
  name                   text        not null constraint tenants_name_length check (char_length(name) between 1 and 200),
  status                 text        not null default 'trial'
                                     constraint tenants_status_known check (status in ('trial', 'active', 'suspended', 'closed')),
  booking_prefix         text        not null constraint tenants_booking_prefix_unique unique
                                     constraint tenants_booking_prefix_form check (booking_prefix ~ '^[A-Z0-9]{2,10}$'),
  currency               char(3)     not null constraint tenants_currency_form check (currency ~ '^[A-Z]{3}$'),
  currency_digits        smallint    not null constraint tenants_currency_digits_range check (currency_digits between 0 and 4),
  country                char(2)     not null constraint tenants_country_form check (country ~ '^[A-Z]{2}$'),
  default_visible        boolean     not null default true,
  deposit_percent        numeric(5, 2) not null default 20
                                     constraint tenants_deposit_percent_range check (deposit_percent between 0 and 100),
  payment_method         text        not null default 'bank'
                                     constraint tenants_payment_method_known check (payment_method in ('bank', 'reserve', 'card')),
  -- Null: an unpaid booking never expires.
  payment_window_minutes integer     default 72 * 60
                                     constraint tenants_payment_window_positive check (payment_window_minutes > 0),
  hold_default_minutes   integer     not null default 15,
  hold_max_minutes       integer     not null default 60
                                     constraint tenants_hold_max_range check (hold_max_minutes between 1 and 60),
  max_holds              integer     not null default 1000 constraint tenants_max_holds_positive check (max_holds > 0),
  max_hold_share         integer     not null default 100
                                     constraint tenants_max_hold_share_range check (max_hold_share between 1 and 100),
  -- The address of a tour on the tenant's site, with {slug} in it. The reader of the template accepts the same schemes.
  link_template          text        constraint tenants_link_template_scheme
                                     check (link_template ~ '^(https://|http://localhost:[0-9]+/)'),
  brand_color            text        constraint tenants_brand_color_form check (brand_color ~ '^#[0-9a-f]{6}$'),
  brand_logo             text        constraint tenants_brand_logo_scheme check (brand_logo ~ '^https://'),
  -- The radius of a card's corners, in pixels.
  brand_radius           smallint    constraint tenants_brand_radius_range check (brand_radius between 0 and 32),
  -- Names of font families without quotes, such as: Inter, Georgia, serif. A browser uses the first font that it has.
  brand_font             text        constraint tenants_brand_font_form
                                     check (brand_font ~ '^[A-Za-z][A-Za-z0-9 -]*(, [A-Za-z][A-Za-z0-9 -]*)*$'
                                       and char_length(brand_font) <= 200),
  origins                text[]      not null default '{}'
                                     constraint tenants_origins_no_wildcard check (array_to_string(origins, ' ') !~ '[*]')
                                     constraint tenants_origins_at_most_twenty check (cardinality(origins) <= 20),
  created_at             timestamptz not null default now(),
  -- The most unpaid bookings of the tenant. An unpaid booking keeps seats until the end of the payment window, like a hold,
  -- so it also counts in the tenant's share of a departure (max_hold_share).
  max_unpaid             integer     not null default 1000 constraint tenants_max_unpaid_positive check (max_unpaid > 0),
  -- A sandbox tenant sees the real catalog, but its holds and bookings take no real seat (ADR 29).
  sandbox                boolean     not null default false,
  constraint tenants_hold_default_range check (hold_default_minutes between 1 and hold_max_minutes)
);
create index tenants_origins on tenants using gin (origins);

-- Refuses to make a real tenant a sandbox tenant, or the reverse, because the tenant's holds and bookings have a copy of the column.
create function refuse_another_kind() returns trigger language plpgsql as $$
begin
  raise exception 'a tenant never changes between real and sandbox'
    using errcode = 'check_violation', constraint = 'tenants_kind_never_changes';
end $$;
create trigger tenants_kind_never_changes before update of sandbox on tenants
  for each row when (old.sandbox is distinct from new.sandbox) execute function refuse_another_kind();

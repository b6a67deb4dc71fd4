-- A tenant is a travel website that sells from the central catalog under its own name and prices.
create extension if not exists pg_trgm;

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
  -- A booking page of the tenant's site with {slug} in it.
  link_template          text,
  brand_color            text        constraint tenants_brand_color_form check (brand_color ~ '^#[0-9a-f]{6}$'),
  brand_logo             text,
  -- Pixels of a card's corners.
  brand_radius           smallint    constraint tenants_brand_radius_range check (brand_radius between 0 and 32),
  -- Names of font families without quotes, the first that a visitor has: Inter, Georgia, serif
  brand_font             text        constraint tenants_brand_font_form
                                     check (brand_font ~ '^[A-Za-z][A-Za-z0-9 -]*(, [A-Za-z][A-Za-z0-9 -]*)*$'
                                       and char_length(brand_font) <= 200),
  origins                text[]      not null default '{}'
                                     constraint tenants_origins_no_wildcard check (array_to_string(origins, ' ') !~ '[*]')
                                     constraint tenants_origins_at_most_twenty check (cardinality(origins) <= 20),
  created_at             timestamptz not null default now(),
  constraint tenants_hold_default_range check (hold_default_minutes between 1 and hold_max_minutes)
);

create index tenants_origins on tenants using gin (origins);

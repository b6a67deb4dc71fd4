-- The least tables for a hold and a booking: no caps, prices, visibility, references or safety net.
drop schema if exists plain cascade;
create schema plain;
create table plain.departures (id int primary key, seats int not null);
create table plain.holds (
  id uuid primary key default gen_random_uuid(),
  departure_id int not null references plain.departures (id),
  quantity int not null check (quantity > 0),
  status text not null default 'active',
  expires_at timestamptz not null,
  external_ref text,
  created_at timestamptz not null default now()
);
create index on plain.holds (departure_id, expires_at) include (quantity) where status = 'active';
create table plain.leads (
  id bigint generated always as identity primary key,
  departure_id int not null references plain.departures (id),
  adults int not null, name text, phone text, email text, external_ref text, total int,
  created_at timestamptz default now()
);
create table plain.events (
  id uuid primary key default gen_random_uuid(),
  lead_id bigint not null, body text not null, created_at timestamptz default now()
);
create table plain.deliveries (
  id uuid primary key default gen_random_uuid(),
  event_id uuid not null, status text not null default 'pending', due timestamptz default now()
);
create table plain.idempotency (key text primary key, fingerprint text, answer text, created_at timestamptz default now());
insert into plain.departures select n, 100000000 from generate_series(1, 500) n;

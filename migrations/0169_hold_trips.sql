-- The most trips of resources without a booking that the live holds of a tenant may begin (ADR 76).
alter table tenants
  add column max_hold_trips integer not null default 20 constraint tenants_max_hold_trips_positive check (max_hold_trips > 0);

insert into rolling_migrations values ('0169_hold_trips');

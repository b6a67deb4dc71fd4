-- The quotas of a tenant: requests of each of its API keys in a minute (ADR 45). Null: the service's variable, such as GATEWAY_HOLD_RPM.

alter table tenants
  add column availability_rpm integer constraint tenants_availability_rpm_range check (availability_rpm between 1 and 1000000),
  add column hold_rpm integer constraint tenants_hold_rpm_range check (hold_rpm between 1 and 1000000),
  add column booking_rpm integer constraint tenants_booking_rpm_range check (booking_rpm between 1 and 1000000),
  add column catalog_rpm integer constraint tenants_catalog_rpm_range check (catalog_rpm between 1 and 1000000);

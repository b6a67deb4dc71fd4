-- The times that a restore has lost: what changed in the catalog after lost_after, up to lost_until, was not in the backup. A tenant that asks
-- for the changes since a time between them has a copy of changes that the platform lost (ADR 33).
create table catalog_restores (
  lost_after timestamptz not null,
  lost_until timestamptz not null
);

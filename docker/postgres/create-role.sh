#!/bin/bash
# The image runs this once, on an empty volume: creates the database, its owner, and the roles of the API and the webhook queue. None is a
# superuser. To add the roles to an older volume, run it again: it changes only what is missing, and the passwords.
set -euo pipefail
: "${DATABASE_PASSWORD:?}" "${API_DATABASE_PASSWORD:?}" "${QUEUE_DATABASE_PASSWORD:?}"
psql -v ON_ERROR_STOP=1 -v owner="$DATABASE_PASSWORD" -v api="$API_DATABASE_PASSWORD" -v queue="$QUEUE_DATABASE_PASSWORD" \
  --username "${POSTGRES_USER:-postgres}" --dbname postgres <<'SQL'
-- A migration gives the groups their rights (docs/adr/0035-database-roles.md).
select format('create role %I nologin', name) from unnest(array['tour_platform_api', 'tour_platform_queue']) as name
where not exists (select from pg_roles where rolname = name) \gexec
select format('create role %I login', name) from unnest(array['tours', 'tours_api', 'tours_queue']) as name
where not exists (select from pg_roles where rolname = name) \gexec
alter role tours password :'owner';
alter role tours_api password :'api';
alter role tours_queue password :'queue';
grant tour_platform_api to tours_api;
grant tour_platform_queue to tours_queue;
-- Shows the transactions of all roles to tourctl and the metrics.
grant pg_read_all_stats to tours;
-- Otherwise the log has the values of a refused row, which may be a customer's.
alter role tours set log_error_verbosity = 'terse';
alter role tours_api set log_error_verbosity = 'terse';
alter role tours_queue set log_error_verbosity = 'terse';
select 'create database tours owner tours' where not exists (select from pg_database where datname = 'tours') \gexec
-- Compiling a statement takes longer than a sale.
alter database tours set jit = off;
SQL

#!/bin/bash
# The image runs this once, on an empty volume: creates the role and the database of the services. The role is not a superuser.
set -euo pipefail
: "${DATABASE_PASSWORD:?}"
psql -v ON_ERROR_STOP=1 -v password="$DATABASE_PASSWORD" --username "${POSTGRES_USER:-postgres}" --dbname postgres <<'SQL'
create role tours login password :'password';
-- Otherwise the log has the values of a refused row, which may be a customer's.
alter role tours set log_error_verbosity = 'terse';
create database tours owner tours;
SQL

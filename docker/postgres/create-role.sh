#!/bin/bash
# Run once, by the image, on an empty volume: the role and the database of the services. Not a superuser.
set -euo pipefail
: "${DATABASE_PASSWORD:?}"
psql -v ON_ERROR_STOP=1 -v password="$DATABASE_PASSWORD" --username "${POSTGRES_USER:-postgres}" --dbname postgres <<'SQL'
create role tours login password :'password';
create database tours owner tours;
SQL

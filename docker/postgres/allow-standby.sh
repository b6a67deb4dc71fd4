#!/bin/bash
# The image runs this once, on an empty volume, after create-role.sh: COMMIT then waits until the standby has it too.
set -euo pipefail
: "${REPLICATION_PASSWORD:?}"
psql -v ON_ERROR_STOP=1 -v password="$REPLICATION_PASSWORD" --username "${POSTGRES_USER:-postgres}" --dbname postgres <<'SQL'
create role replicator login replication password :'password';
select pg_create_physical_replication_slot('standby');
-- Takes effect at the next start. If it took effect now, COMMIT would wait for a standby that does not exist yet.
alter system set synchronous_standby_names = 'FIRST 1 (standby)';
-- A standby that is further behind must be copied again. Without this limit its WAL would fill the primary's disk.
alter system set max_slot_wal_keep_size = '20GB';
SQL
echo 'host replication replicator all scram-sha-256' >>"$PGDATA/pg_hba.conf"

#!/bin/bash
# Promotes the standby after the primary was lost and fenced. COMMIT waits for no standby until a new one is configured.
set -euo pipefail
psql -v ON_ERROR_STOP=1 --username "${POSTGRES_USER:-postgres}" --dbname postgres <<'SQL'
alter system reset synchronous_standby_names;
select pg_reload_conf();
select pg_promote(true, 60);
SQL

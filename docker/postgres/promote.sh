#!/bin/bash
# In the standby, when the primary is dead and stays dead: it takes over, and waits for no standby until it has one.
set -euo pipefail
psql -v ON_ERROR_STOP=1 --username "${POSTGRES_USER:-postgres}" --dbname postgres <<'SQL'
alter system reset synchronous_standby_names;
select pg_reload_conf();
select pg_promote(true, 60);
SQL

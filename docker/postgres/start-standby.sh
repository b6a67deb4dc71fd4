#!/bin/bash
# Copies the primary at the first start, then follows it. Runs as the account postgres.
set -euo pipefail
: "${PRIMARY_HOST:?}" "${REPLICATION_PASSWORD:?}" "${PGDATA:?}"
if [ ! -s "$PGDATA/PG_VERSION" ]; then
  copy="$PGDATA.copy"
  # Removes an incomplete copy of an earlier start.
  rm -rf "$copy"
  mkdir -p "$(dirname "$PGDATA")"
  PGPASSWORD="$REPLICATION_PASSWORD" pg_basebackup --write-recovery-conf --checkpoint=fast --wal-method=stream \
    --slot=standby --pgdata="$copy" \
    --dbname="host=$PRIMARY_HOST port=${PRIMARY_PORT:-5432} user=replicator application_name=standby"
  rm -rf "$PGDATA"
  mv "$copy" "$PGDATA"
fi
exec postgres -D "$PGDATA" "$@"

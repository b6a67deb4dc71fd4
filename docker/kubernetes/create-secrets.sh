#!/usr/bin/env bash
# Creates the Secrets of the overlay `single` or `ha` from variables of the environment, as docs/run-many.md says: SECRETS_KEY, CURSOR_KEY,
# KEY_PEPPER, REDIS_URL, DATABASE_PASSWORD, API_DATABASE_PASSWORD and QUEUE_DATABASE_PASSWORD, and for `ha` the object store's ACCESS_KEY_ID and
# ACCESS_SECRET_KEY.
set -euo pipefail
overlay=$1

kubectl -n tour-platform create secret generic tours --type=kubernetes.io/basic-auth \
  --from-literal=username=tours --from-literal=password="$DATABASE_PASSWORD"
kubectl -n tour-platform create secret generic tours-api --type=kubernetes.io/basic-auth \
  --from-literal=username=tours_api --from-literal=password="$API_DATABASE_PASSWORD"
kubectl -n tour-platform create secret generic tours-queue --type=kubernetes.io/basic-auth \
  --from-literal=username=tours_queue --from-literal=password="$QUEUE_DATABASE_PASSWORD"
kubectl -n tour-platform create secret generic api --from-literal=REDIS_URL="$REDIS_URL" \
  --from-literal=SECRETS_KEY="$SECRETS_KEY" --from-literal=CURSOR_KEY="$CURSOR_KEY" --from-literal=KEY_PEPPER="$KEY_PEPPER"
kubectl -n tour-platform create secret generic tourctl --from-literal=REDIS_URL="$REDIS_URL" \
  --from-literal=SECRETS_KEY="$SECRETS_KEY" --from-literal=CURSOR_KEY="$CURSOR_KEY" --from-literal=KEY_PEPPER="$KEY_PEPPER"
kubectl -n tour-platform create secret generic webhook-queue --from-literal=SECRETS_KEY="$SECRETS_KEY"

if [ "$overlay" = single ]; then
  kubectl -n tour-platform create secret generic database-ca --from-file=ca.crt=authorities.crt
  kubectl -n tour-platform create secret tls pgbouncer-tls --cert=pgbouncer.crt --key=pgbouncer.key
else
  kubectl -n tour-platform create secret generic backup-store \
    --from-literal=ACCESS_KEY_ID="$ACCESS_KEY_ID" --from-literal=ACCESS_SECRET_KEY="$ACCESS_SECRET_KEY"
fi

import type { AttemptOutcome } from '../../deliveries/delivery';

/** Names the outcomes of an attempt for people. */
export const OUTCOME_WORDS: Readonly<Record<AttemptOutcome, string>> = {
  delivered: 'delivered',
  http_error: 'error answer',
  redirect: 'redirect',
  gone: 'gone (410)',
  timeout: 'timeout',
  dns: 'name not found',
  connection: 'no connection',
  tls: 'no safe TLS',
  blocked: 'address refused',
  unsealable: 'secret not readable',
  interrupted: 'interrupted',
  hung_up: 'connection had closed',
  cancelled: 'cancelled',
  worker_lost: 'worker lost',
};

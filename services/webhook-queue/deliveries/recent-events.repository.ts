import type { Db } from '../../platform/database/database';

/** An event as it was written, whether an endpoint gets it or not. */
export interface RecentEvent {
  id: string;
  type: string;
  /** The body in the format `spec`; contains personal data. */
  body: string;
  createdAt: Date;
}

/** Longer than any transaction that writes an event. So all events that are older than this are visible. */
const TRANSACTION_MAX = '1 minute';

/**
 * Finds the events of a tenant since `from`, but only of the last minute, the oldest first. Pass the returned `from` to the next call, and
 * ignore the events that the previous call has returned. A call may return an event that is older than those of the previous call, because
 * an event becomes visible only when its transaction commits.
 * @param from undefined: now
 */
export async function findRecentEvents(
  db: Db,
  tenantId: string,
  from?: Date,
): Promise<{ events: RecentEvent[]; from: Date }> {
  const { rows } = await db.raw<{ rows: [{ now: Date; earliest: Date }] }>(
    `select now, greatest(coalesce(?::timestamptz, now), now - interval '${TRANSACTION_MAX}') as earliest
     from (select clock_timestamp() as now) c`,
    [from ?? null],
  );
  const { earliest } = rows[0];
  const first = db.raw('webhook_first_id(?)', [earliest]);
  // Finds the events through the index of the tenant's deliveries, because each event has at least one delivery.
  const recent = db('webhook_deliveries')
    .where({ tenant_id: tenantId })
    .where('id', '>=', first)
    .select('event_id');
  const events = await db('webhook_events')
    .where('id', '>=', first)
    .whereIn('id', recent)
    .orderBy('id')
    .select<RecentEvent[]>('id', 'type', 'body', 'created_at');
  return { events, from: earliest };
}

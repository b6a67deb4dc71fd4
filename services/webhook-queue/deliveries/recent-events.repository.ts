import type { Db } from '../../platform/database';

/** An event as it was written, whether an endpoint gets it or not. */
export interface RecentEvent {
  id: string;
  type: string;
  /** The body in the format `spec`; contains personal data. */
  body: string;
  createdAt: Date;
}

/** No transaction that writes an event is open for longer, so that an event of this age is visible. */
const LONGEST_TRANSACTION = '1 minute';

/**
 * Finds the events of a tenant since `from`, but at most of the last minute, oldest first. Call it again with the returned `from`, and leave
 * out the events of the previous call: an event becomes visible when its transaction commits, which can be after a later event.
 * @param from undefined: now
 */
export async function findRecentEvents(
  db: Db,
  tenantId: string,
  from?: Date,
): Promise<{ events: RecentEvent[]; from: Date }> {
  const { rows } = await db.raw<{ rows: [{ now: Date; earliest: Date }] }>(
    `select now, greatest(coalesce(?::timestamptz, now), now - interval '${LONGEST_TRANSACTION}') as earliest
     from (select clock_timestamp() as now) c`,
    [from ?? null],
  );
  const { earliest } = rows[0];
  const first = db.raw('webhook_first_id(?)', [earliest]);
  // The index of a tenant's deliveries finds its recent events; each event has one at least.
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

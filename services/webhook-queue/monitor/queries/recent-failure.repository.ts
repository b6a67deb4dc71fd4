import type { Db } from '../../../platform/database';
import type { DeliveryStatus } from '../../deliveries/delivery';
import { SHOWN_STATUS } from '../../deliveries/queue.repository';

/** Newest deliveries of an endpoint among which its failures are looked for. */
const LOOKED_AT = 1000;

export interface FailureRow {
  id: string;
  eventType: string;
  bookingRef: string | null;
  status: DeliveryStatus;
  attempts: number;
  lastError: string | null;
  createdAt: Date;
}

/** The newest first. */
export async function findRecentFailures(db: Db, endpointId: string, limit: number): Promise<FailureRow[]> {
  const newest = db('webhook_deliveries')
    .where({ endpoint_id: endpointId })
    .orderBy('id', 'desc')
    .limit(LOOKED_AT)
    .select('*');
  return db
    .from(newest.as('d'))
    .join('webhook_events as ev', 'ev.id', 'd.event_id')
    .leftJoin('webhook_queue as q', 'q.delivery_id', 'd.id')
    .whereIn('d.status', ['retrying', 'dead'])
    .whereNotNull('d.last_error')
    .orderBy('d.id', 'desc')
    .limit(limit)
    .select<FailureRow[]>(
      'd.id',
      'ev.type as eventType',
      'ev.booking_ref as bookingRef',
      db.raw(`${SHOWN_STATUS} as status`),
      'd.attempts',
      'd.last_error as lastError',
      'd.created_at as createdAt',
    );
}

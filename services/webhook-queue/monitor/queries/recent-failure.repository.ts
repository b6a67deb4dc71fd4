import type { Db } from '../../../platform/database';

/** Newest deliveries of an endpoint among which its failures are looked for. */
const LOOKED_AT = 1000;

export interface FailureRow {
  id: string;
  eventType: string;
  bookingRef: string | null;
  status: 'retrying' | 'dead';
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
    .whereIn('d.status', ['retrying', 'dead'])
    .whereNotNull('d.last_error')
    .orderBy('d.id', 'desc')
    .limit(limit)
    .select<FailureRow[]>(
      'd.id',
      'ev.type as eventType',
      'ev.booking_ref as bookingRef',
      'd.status',
      'd.attempts',
      'd.last_error as lastError',
      'd.created_at as createdAt',
    );
}

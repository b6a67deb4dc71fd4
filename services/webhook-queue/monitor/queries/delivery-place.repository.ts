import type { Db } from '../../../platform/database';
import type { EndpointStatus } from '../../endpoints/endpoint';

/** Where a delivery goes, and what holds it there. */
export interface Place {
  id: string;
  url: string;
  status: EndpointStatus;
  statusReason: string | null;
  blockedUntil: Date | null;
}

export async function findPlaces(db: Db, endpointIds: readonly string[]): Promise<Map<string, Place>> {
  const rows = await db('webhook_endpoints as e')
    .leftJoin('webhook_health as h', 'h.endpoint_id', 'e.id')
    .whereIn('e.id', endpointIds)
    .select<Place[]>(
      'e.id',
      'e.url',
      'e.status',
      'e.status_reason as statusReason',
      'h.blocked_until as blockedUntil',
    );
  return new Map(rows.map((row) => [row.id, row]));
}

import type { Db } from '../../../platform/database';
import type { EndpointRow } from './endpoint-list.repository';

export interface StateChange {
  at: Date;
  actor: string;
}

/** By endpoint, the last change of its state that a person made. What a receiver's answer did is of another moment. */
export async function findStateChanges(
  db: Db,
  endpoints: readonly Pick<EndpointRow, 'id' | 'tenantId'>[],
): Promise<Map<string, StateChange>> {
  const rows = await db('audit_log')
    .distinctOn('subject')
    .whereIn('tenant_id', [...new Set(endpoints.map(({ tenantId }) => tenantId))])
    .whereIn(
      'subject',
      endpoints.map(({ id }) => id),
    )
    .whereIn('action', [
      'webhook.pause',
      'webhook.resume',
      'webhook.disable',
      'webhook.enable',
      'webhook.remove',
    ])
    .orderBy([{ column: 'subject' }, { column: 'id', order: 'desc' }])
    .select<(StateChange & { subject: string })[]>('subject', 'at', 'actor');
  return new Map(rows.map(({ subject, at, actor }) => [subject, { at, actor }]));
}

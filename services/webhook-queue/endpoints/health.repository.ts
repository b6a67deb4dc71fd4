import type { Db, Trx } from '../../platform/database';

/** What went wrong so far is forgiven; an open breaker closes. */
export async function forgiveEndpoint(trx: Trx, id: string): Promise<void> {
  await trx('webhook_health').where({ endpoint_id: id }).delete();
}

/** What goes wrong with an endpoint at the moment. */
export interface Trouble {
  /** In a row. */
  failures: number;
  failingSince: Date;
  /** Until when its breaker holds everything back; past, it is tried by one request at a time. Null while it is closed. */
  blockedUntil: Date | null;
}

/** Undefined while nothing does. */
export async function findTrouble(db: Db | Trx, endpointId: string): Promise<Trouble | undefined> {
  return db('webhook_health')
    .where({ endpoint_id: endpointId })
    .first<Trouble | undefined>('failures', 'failing_since as failingSince', 'blocked_until as blockedUntil');
}

import type { Db, Trx } from '../../platform/database';

/** Deletes the failures of an endpoint and so closes its breaker. */
export async function resetFailures(trx: Trx, id: string): Promise<void> {
  await trx('webhook_health').where({ endpoint_id: id }).delete();
}

/** Current failures of an endpoint. */
export interface EndpointFailures {
  /** Number of failures in a row. */
  failures: number;
  failingSince: Date;
  /** End of the breaker's block; after it one request at a time probes the endpoint. Null while the breaker is closed. */
  blockedUntil: Date | null;
}

/** Finds the current failures; undefined without any. */
export async function findEndpointFailures(
  db: Db | Trx,
  endpointId: string,
): Promise<EndpointFailures | undefined> {
  return db('webhook_health')
    .where({ endpoint_id: endpointId })
    .first<EndpointFailures | undefined>(
      'failures',
      'failing_since as failingSince',
      'blocked_until as blockedUntil',
    );
}

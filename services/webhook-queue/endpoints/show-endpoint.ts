import type { Db } from '../../platform/database';
import { DELIVERY_STATUSES, type DeliveryStatus } from '../deliveries/delivery';
import { findDeliveries, type DeliveryItem } from '../deliveries/delivery-list.repository';
import { countWaitingFor } from '../deliveries/queue.repository';
import type { Endpoint } from './endpoint';
import { findTrouble, type Trouble } from './health.repository';
import { findEndpoint } from './known-endpoint';
import { findLiveSecrets, type LiveSecret } from './secret.repository';

/** Enough to see how it does; a fixed number, as the history of an endpoint may have millions. */
const RECENT = 100;

export interface EndpointDetail extends Endpoint {
  /** Those that sign at this moment, the newest first. The secrets themselves are not to be had. */
  secrets: LiveSecret[];
  /** Null while it takes what it is sent. */
  trouble: Trouble | null;
  /** Deliveries that are due, wait for their next try, or are being sent. */
  waiting: number;
  /** The newest deliveries, a hundred at most, by status. */
  recent: { counted: number } & Record<DeliveryStatus, number>;
  /** The newest of those whose last try failed. */
  lastFailure: DeliveryItem | null;
}

/** @throws EndpointNotFoundError */
export async function showEndpoint(db: Db, id: string): Promise<EndpointDetail> {
  const endpoint = await findEndpoint(db, id);
  const secrets = await findLiveSecrets(db, id);
  const waiting = await countWaitingFor(db, id);
  const newest = await findDeliveries(db, { endpointId: id }, RECENT);
  const byStatus = DELIVERY_STATUSES.map((status) => [
    status,
    newest.filter((delivery) => delivery.status === status).length,
  ]);
  return {
    ...endpoint,
    secrets,
    trouble: (await findTrouble(db, id)) ?? null,
    waiting,
    recent: { counted: newest.length, ...(Object.fromEntries(byStatus) as Record<DeliveryStatus, number>) },
    lastFailure: newest.find(({ last_error: error }) => error !== null) ?? null,
  };
}

import type { Db } from '../../platform/database/database';
import { DELIVERY_STATUSES, type DeliveryStatus } from '../deliveries/delivery';
import { type DeliveryItem, findDeliveries } from '../deliveries/find-deliveries';
import { countWaitingFor } from '../deliveries/queue.repository';
import type { Endpoint } from './endpoint';
import { type EndpointFailures, findEndpoint, findEndpointFailures } from './endpoint.repository';
import { findLiveSecrets, type LiveSecret } from './endpoint-secrets';

/** Number of recent deliveries to count; the whole history may contain millions. */
const RECENT = 100;

export interface EndpointDetail extends Endpoint {
  /** Secrets that sign now, newest first, without their values. */
  secrets: LiveSecret[];
  /** Null while the endpoint is healthy. */
  trouble: EndpointFailures | null;
  /** Number of deliveries that are due, wait for a retry, or are in flight. */
  waiting: number;
  /** Counts by status of at most 100 recent deliveries. */
  recent: { counted: number } & Record<DeliveryStatus, number>;
  /** The newest of these deliveries whose last attempt failed. Null if there is none. */
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
    trouble: (await findEndpointFailures(db, id)) ?? null,
    waiting,
    recent: { counted: newest.length, ...(Object.fromEntries(byStatus) as Record<DeliveryStatus, number>) },
    lastFailure: newest.find(({ lastError }) => lastError !== null) ?? null,
  };
}

import type { Trx } from '../../platform/database';
import { departureEvent, enqueueDelivery, findSubscribers } from '../../webhook-queue/enqueue-delivery';
import { type DepartureChange, findConcernedTenants } from './concerned-tenants.repository';

export type { DepartureChange };

/** Limits the departures of one statement. */
const BATCH_LIMIT = 1_000;

/**
 * Enqueues the events of changed departures, in the transaction that changes them: one for each departure and each tenant with a live
 * hold or a standing booking there. The caller holds the departures' locks, so a concurrent sale is either committed and named in the
 * event, or made after the change.
 * @param findChanges is called only if an endpoint subscribes to these events; returns each departure once
 * @returns the ids of the tenants that are informed, without sandbox tenants, because operators read the number
 */
export async function enqueueDepartureEvents(
  trx: Trx,
  findChanges: () => Promise<DepartureChange[]>,
): Promise<Set<string>> {
  const informed = new Set<string>();
  const subscribers = await findSubscribers(trx, ['departure.cancelled', 'departure.updated']);
  if (subscribers.length === 0) return informed;
  const changes = await findChanges();
  for (let start = 0; start < changes.length; start += BATCH_LIMIT) {
    const batch = changes.slice(start, start + BATCH_LIMIT);
    const concerned = await findConcernedTenants(trx, batch, subscribers);
    await enqueueDelivery(trx, ...concerned.map(departureEvent));
    for (const { tenantId, sandbox } of concerned) if (!sandbox) informed.add(tenantId);
  }
  return informed;
}

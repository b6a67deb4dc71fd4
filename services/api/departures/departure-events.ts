import type { Trx } from '../../platform/database/database';
import { departureEvent, enqueueDelivery, findSubscribers } from '../../webhook-queue/enqueue-delivery';
import { type DepartureChange, findConcernedTenants } from './departure-sales.repository';

export type { DepartureChange };

/** Limits the departures of one statement. */
const BATCH_LIMIT = 1_000;

/**
 * Enqueues the events of changed departures, in the transaction that changes them: one for each departure and each subscribed tenant with a
 * live hold or a standing booking there. The caller holds the departures' locks. So a concurrent sale is committed before this function
 * reads, or made after the change.
 * @param findChanges returns each changed departure once. Called only if an endpoint subscribes to these events
 * @param write makes the changes, if the caller has not made them. The events show the departures after the changes
 * @returns the ids of the tenants that are informed, without sandbox tenants, because operators read the number
 */
export async function enqueueDepartureEvents(
  trx: Trx,
  findChanges: () => Promise<DepartureChange[]>,
  write?: () => Promise<void>,
): Promise<Set<string>> {
  const informed = new Set<string>();
  const subscribers = await findSubscribers(trx, ['departure.cancelled', 'departure.updated']);
  const changes = subscribers.length > 0 ? await findChanges() : [];
  await write?.();
  for (let start = 0; start < changes.length; start += BATCH_LIMIT) {
    const batch = changes.slice(start, start + BATCH_LIMIT);
    const concerned = await findConcernedTenants(trx, batch, subscribers);
    await enqueueDelivery(trx, ...concerned.map(departureEvent));
    for (const { tenantId, sandbox } of concerned) if (!sandbox) informed.add(tenantId);
  }
  return informed;
}

import type { Db } from '../platform/database';
import { adoptWaiting, cancelWaiting, findStrays } from './queue.repository';

/**
 * A booking that commits while an endpoint is being added may leave its delivery without one, or queued for one that was
 * just removed. Such are rare, and put right here.
 * @returns how many deliveries were
 */
export async function tidyStrays(db: Db): Promise<number> {
  const { toAdopt, toCancel } = await findStrays(db);
  let tidied = 0;
  for (const endpointId of toAdopt) tidied += await adoptWaiting(db, endpointId);
  for (const endpointId of toCancel) tidied += await cancelWaiting(db, endpointId);
  return tidied;
}

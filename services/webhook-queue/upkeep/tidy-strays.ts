import { inTransaction, type Db } from '../../platform/database';
import { adoptWaiting, cancelWaiting, findStrays } from '../deliveries/queue.repository';

/**
 * A booking that commits while an endpoint is being added may leave its delivery without one, or queued for one that was
 * just removed; and where there were very many, the terminal leaves the rest. They are put right here.
 * @returns how many deliveries were
 */
export async function tidyStrays(db: Db): Promise<number> {
  const { toAdopt, toCancel } = await findStrays(db);
  let tidied = 0;
  for (const endpointId of toAdopt) tidied += await inTransaction(db, (trx) => adoptWaiting(trx, endpointId));
  for (const endpointId of toCancel)
    tidied += await inTransaction(db, (trx) => cancelWaiting(trx, endpointId));
  return tidied;
}

import { performInTransaction } from '../../services/api/seats/perform';
import { type SeatChange, type Seller, sellerWithoutKey } from '../../services/api/seats/seat-change';
import type { Tenant } from '../../services/api/tenants/tenant';
import type { Trx } from '../../services/platform/database/database';

/**
 * Performs a change of a hold or booking in the caller's transaction, as the terminal does.
 * @param prepare builds the change: extendHold, cancelBooking …
 */
export async function change<Named, Result>(
  trx: Trx,
  tenant: Tenant,
  prepare: (trx: Trx, seller: Seller<never>, named: Named) => Promise<SeatChange<Result>>,
  named: Named,
): Promise<Result> {
  const { result } = await performInTransaction(trx, await prepare(trx, sellerWithoutKey(tenant), named));
  return result;
}

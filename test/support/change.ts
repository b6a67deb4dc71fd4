import { performInTransaction } from '../../services/api/seats/perform';
import { type Seller, sellerWithoutKey } from '../../services/api/seats/sale';
import type { StoredChange } from '../../services/api/seats/stored-change';
import type { Tenant } from '../../services/api/tenants/tenant';
import type { Trx } from '../../services/platform/database/database';

/**
 * Performs a change of a hold or booking in the caller's transaction, as the terminal does.
 * @param prepare builds the change: prepareExtension, prepareCancellation …
 */
export async function change<Named, Result>(
  trx: Trx,
  tenant: Tenant,
  prepare: (trx: Trx, seller: Seller<never>, named: Named) => Promise<StoredChange<Result>>,
  named: Named,
): Promise<Result> {
  const { result } = await performInTransaction(trx, await prepare(trx, sellerWithoutKey(tenant), named));
  return result;
}

import type { BulkChange } from '../../services/api/seats/bulk-change';
import {
  type OperatorTransaction,
  performBulk,
  performInTransaction,
} from '../../services/api/seats/perform';
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
  return performInTransaction(unrecorded(trx), await prepare(trx, sellerWithoutKey(tenant), named));
}

/** Performs a change of departures in the caller's transaction, as the terminal does: moveDeparture, setSeats … */
export async function changeDepartures<Result>(
  trx: Trx,
  prepared: Promise<BulkChange<Result>>,
): Promise<Result> {
  return performBulk(unrecorded(trx), await prepared);
}

/** Returns a transaction of an operator that does not record which dates' seats have changed. */
export function unrecorded(trx: Trx): OperatorTransaction {
  return { trx, record: async () => {} };
}

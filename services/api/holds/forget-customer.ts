import type { Trx } from '../../platform/database';
import { forgetHoldCustomer } from './seat-hold.repository';

/**
 * Erases whom a hold was for; the caller holds the departure's lock.
 * @param externalRef what is left of its reference
 */
export async function forgetCustomerOfHold(trx: Trx, id: string, externalRef: string | null): Promise<void> {
  await forgetHoldCustomer(trx, id, externalRef);
}

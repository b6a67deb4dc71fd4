import type { Trx } from '../../platform/database/database';
import { withoutPeople } from './octo-booking';
import type { SeatHold } from './seat-hold';
import { type ErasedHold, eraseCustomersOfHolds } from './seat-hold.repository';

/** The hold as it was when its departure was locked, and after the change. Both are the same object if nothing changed. */
export interface ChangedHold {
  before: SeatHold;
  after: SeatHold;
}

/**
 * Erases the customer of a hold and the people of its OCTO details. The caller holds the departure's lock.
 * @param identifiesPerson returns whether a text identifies the person; such references are erased too
 */
export async function eraseHoldCustomer(
  trx: Trx,
  hold: SeatHold,
  identifiesPerson: (text: string) => boolean,
): Promise<void> {
  await eraseCustomersOfHolds(trx, [withoutCustomer(hold, identifiesPerson)]);
}

/** Returns the values that the hold keeps. @param identifiesPerson as for eraseHoldCustomer */
export function withoutCustomer(
  { id, externalRef, octo }: Pick<SeatHold, 'id' | 'externalRef' | 'octo'>,
  identifiesPerson: (text: string) => boolean,
): ErasedHold {
  return {
    id,
    externalRef: externalRef && identifiesPerson(externalRef) ? null : externalRef,
    unitItems: octo && withoutPeople(octo.unitItems, identifiesPerson),
  };
}

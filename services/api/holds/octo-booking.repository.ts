import type { Trx } from '../../platform/database';
import type { OctoDetails } from './octo-booking';

/**
 * Erases the people. The caller holds the lock of the hold's departure.
 * @param identifiesPerson returns whether a text identifies the person; such references are erased too
 */
export async function erasePeopleOfOcto(
  trx: Trx,
  holdId: string,
  { unitItems }: OctoDetails,
  identifiesPerson: (text: string) => boolean,
): Promise<void> {
  const erased = unitItems.map(({ resellerReference, ...item }) => ({
    ...{ ...item, contact: {} },
    resellerReference: resellerReference && identifiesPerson(resellerReference) ? null : resellerReference,
  }));
  await trx('octo_bookings')
    .where({ hold_id: holdId })
    .update({
      request_digest: null,
      contact: '{}',
      unit_items: JSON.stringify(erased),
      notes: null,
      cancel_reason: null,
    });
}

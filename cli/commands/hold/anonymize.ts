import { bookingsOfHolds } from '../../../services/api/bookings/find-booking';
import { getHold } from '../../../services/api/holds/find-hold';
import { ANY_TENANT } from '../../../services/api/tenants/tenant';
import { AppError } from '../../../services/platform/errors';
import type { Db } from '../../../services/platform/database/database';
import type { AuditedContext } from '../../engine/context';
import { eraseAndAnswer, type ErasureOptions } from '../booking/erasure';

/** Erases the customer of a hold without a booking, like anonymizeBookingCommand. */
export async function anonymizeHoldCommand(
  context: AuditedContext,
  options: ErasureOptions,
  id: string,
): Promise<void> {
  const { db } = context;
  await assertNotBooked(db, id);
  const read = () => getHold(db, ANY_TENANT, id);
  await eraseAndAnswer(context, { kind: 'hold', name: id, title: `hold ${id}`, read }, options);
}

/** @throws HoldIsBookedError */
async function assertNotBooked(db: Db, id: string): Promise<void> {
  const [booking] = await bookingsOfHolds(db, [id]);
  if (booking) throw new HoldIsBookedError(booking.bookingRef);
}

class HoldIsBookedError extends AppError {
  readonly code = 'hold_state_conflict';

  constructor(ref: string) {
    super(`The hold became the booking ${ref}: tourctl booking anonymize ${ref} erases the customer of both`);
  }
}

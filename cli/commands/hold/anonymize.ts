import { bookingsOfHolds } from '../../../services/api/bookings/find-booking';
import { findRowsOfPerson } from '../../../services/api/bookings/rows-of-person';
import { getHold } from '../../../services/api/holds/find-hold';
import { refreshStatistics } from '../../../services/api/privacy/refresh-statistics';
import { ANY_TENANT } from '../../../services/api/tenants/tenant';
import { AppError } from '../../../services/platform/errors';
import type { Db } from '../../../services/platform/database/database';
import type { AuditedContext } from '../../engine/context';
import { describeErased, describeLeft, eraseSale, NOTHING_ERASED } from '../booking/erasure';

/** Erases the customer of a hold without a booking, like anonymizeBookingCommand. */
export async function anonymizeHoldCommand(
  context: AuditedContext,
  { force = false }: { force?: boolean },
  id: string,
): Promise<void> {
  const { confirm, db, output, secrets } = context;
  const { tenant, anonymizedAt, customer } = await getHold(db, ANY_TENANT, id);
  await assertNotBooked(db, id);
  if (!anonymizedAt)
    await confirm(`Erase the customer of hold ${id} permanently? Seats, dates and amounts stay.`);
  const { cursorKey } = await secrets('cursorKey');
  const others = await findRowsOfPerson(db, tenant.id, customer, id);
  const erased = await eraseSale(
    context,
    { kind: 'hold', name: id, tenantId: tenant.id },
    { force, cursorKey },
  );
  await refreshStatistics(db);
  const { anonymizedAt: at, externalRef } = await getHold(db, ANY_TENANT, id);
  const document = {
    hold_id: id,
    tenant: tenant.slug,
    anonymized_at: at!.toISOString(),
    erased: erased?.erased ?? NOTHING_ERASED,
    undelivered: erased?.undelivered ?? [],
    references: externalRef === null ? [] : [externalRef],
    others,
  };
  const done = erased
    ? `The customer of hold ${id} is erased from ${describeErased(['the hold'], document.erased)}`
    : `Hold ${id} is already anonymised; nothing is left to erase`;
  await output.answer(document, () => [done, ...describeLeft(document)].join('\n'));
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

import { bookingsOfHolds } from '../../../services/api/bookings/find-booking';
import { findRowsOfPerson } from '../../../services/api/bookings/rows-of-person';
import { getHold } from '../../../services/api/holds/find-hold';
import { refreshStatistics } from '../../../services/api/privacy/refresh-statistics';
import { anonymizeHold } from '../../../services/api/seats/changes/erase-hold';
import { type OperatorTransaction, performBulk } from '../../../services/api/seats/perform';
import { ANY_TENANT } from '../../../services/api/tenants/tenant';
import { AppError } from '../../../services/platform/errors';
import type { Db } from '../../../services/platform/database/database';
import { changeSeats } from '../../engine/change-seats';
import type { AuditedContext } from '../../engine/context';
import {
  describeErased,
  describeLeft,
  eraseElsewhere,
  type ErasureRules,
  NOTHING_ERASED,
} from '../booking/erasure';

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
  const erased = await eraseHold(context, { id, tenantId: tenant.id }, { force, cursorKey });
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

/** Erases the customer of a hold in one transaction with its audit row. Returns undefined if nothing was left to erase. */
export async function eraseHold(
  context: Pick<AuditedContext, 'audited'>,
  { id, tenantId }: { id: string; tenantId: string },
  rules: ErasureRules,
) {
  return changeSeats(context, { action: 'hold.anonymize', subject: id }, async (transaction, note) => {
    const done = await erase(transaction, id, rules);
    const after = done && { anonymized_at: done.at, ...done.erased };
    note(null, after ?? null, { tenantId });
    return done;
  });
}

async function erase(transaction: OperatorTransaction, id: string, { force, cursorKey }: ErasureRules) {
  const { trx } = transaction;
  const hold = await performBulk(transaction, await anonymizeHold(trx, id, cursorKey));
  if (!hold) return undefined;
  const { before, after, identifiesPerson, answers, refusals } = hold;
  const events = { bookingRef: null, hold: { ...before, tenantId: before.tenant.id } };
  const { undelivered, changed } = await eraseElsewhere(trx, events, { identifiesPerson, force });
  return {
    at: after.anonymizedAt!.toISOString(),
    erased: { answers, refusals, ...changed },
    undelivered,
    reference: after.externalRef,
  };
}

class HoldIsBookedError extends AppError {
  readonly code = 'hold_state_conflict';

  constructor(ref: string) {
    super(`The hold became the booking ${ref}: tourctl booking anonymize ${ref} erases the customer of both`);
  }
}

import { type Db, inTransaction, type Trx } from '../../platform/database/database';
import { answersMissingEvent, enqueueDelivery } from '../../webhook-queue/enqueue-delivery';
import { checkDueAnswers } from './booking-answers.repository';
import { toEventData } from './booking-events';
import { findLeadsById } from './booking-lead.repository';
import { missingOfBooking } from './missing-answers';

/** Limits how long a transaction locks rows. */
const BOOKINGS_A_TRANSACTION = 100;

/**
 * Sends `booking.answers_missing` for the standing bookings that lack required answers three days before the start of their departure, or when
 * they are made if that is later. Looks at each booking once, even if several instances call this function at the same time.
 */
export async function announceMissingAnswers(db: Db): Promise<void> {
  let checked: number;
  do {
    checked = await inTransaction(db, announceSome);
  } while (checked === BOOKINGS_A_TRANSACTION);
}

/** Checks up to 100 bookings. Returns their number. */
async function announceSome(trx: Trx): Promise<number> {
  const checked = await checkDueAnswers(trx, BOOKINGS_A_TRANSACTION);
  const incomplete = checked.filter(({ lacksAnswers }) => lacksAnswers);
  const leads = await findLeadsById(
    trx,
    incomplete.map(({ leadId }) => leadId),
  );
  await enqueueDelivery(
    trx,
    ...leads.map((lead) => answersMissingEvent(toEventData(lead), missingOfBooking(lead))),
  );
  return checked.length;
}

import { type Db, inTransaction, type Trx } from '../../platform/database/database';
import { enqueueDelivery, paymentDueEvent, type WebhookEvent } from '../../webhook-queue/enqueue-delivery';
import { toMajor } from '../pricing/currency';
import type { BookingLead } from './booking-lead';
import { findLeadsById, recordDueReminders } from './booking-lead.repository';
import { toEventData } from './booking-events';

/** Limits how long a transaction locks leads. */
const LEADS_A_TRANSACTION = 100;

/**
 * Sends `booking.payment_due` for the unpaid bookings whose payment is due soon. Sends the event once for each booking, even if several
 * instances call this function at the same time. If a booking is confirmed at the same moment, the event comes before the confirmation or
 * is not sent.
 */
export async function remindOfPayments(db: Db): Promise<void> {
  let reminded: number;
  do {
    reminded = await inTransaction(db, remindSome);
  } while (reminded === LEADS_A_TRANSACTION);
}

/** Sends the event for up to 100 bookings. Returns their number. */
async function remindSome(trx: Trx): Promise<number> {
  const ids = await recordDueReminders(trx, LEADS_A_TRANSACTION);
  const leads = await findLeadsById(trx, ids);
  await enqueueDelivery(trx, ...leads.map(paymentDueEventOf));
  return ids.length;
}

function paymentDueEventOf(lead: BookingLead): WebhookEvent {
  return paymentDueEvent(toEventData(lead), {
    // A lead without an end of its payment window has no reminder.
    dueAt: lead.paymentDueAt!,
    depositTotal: toMajor(lead.depositMinor, lead.currencyDigits),
  });
}

import type { BookingLead } from '../../../services/api/bookings/booking-lead';
import { findBookingChanges } from '../../../services/api/bookings/booking-lead.repository';
import { bookingHistory, getBooking, type Moment } from '../../../services/api/bookings/find-booking';
import { getHold, holdHistory } from '../../../services/api/holds/find-hold';
import { firstCategory } from '../../../services/api/parties/party-rules';
import { ANY_TENANT } from '../../../services/api/tenants/tenant';
import type { Db } from '../../../services/platform/database/database';
import {
  listDeliveriesOfBooking,
  toAttemptDocument,
  toDeliveryDocument,
} from '../../../services/webhook-queue/deliveries/find-deliveries';
import { describeAnswer } from '../../engine/answers';
import { describePickup } from '../../engine/pickup';
import type { AuditedContext } from '../../engine/context';
import {
  describeContacts,
  describeCustomer,
  describeTraveller,
  explainHidden,
  recordReveal,
  type RevealOptions,
} from '../../engine/personal-data';
import type { Screen } from '../../terminal/screen';
import { paragraph, properties, sections, shortTime, table } from '../../terminal/table';
import { type AuditDocument, describeAudit, findAuditDocuments } from '../audit';
import {
  describeHistory,
  describePrice,
  toBookingDetailDocument,
  toBookingFacts,
  toHistoryDocument,
} from './document';
import { describeRefusals, findRefusalDocuments, type RefusalDocument } from './refusals';

export async function showBookingCommand(
  context: AuditedContext,
  { reveal = false }: RevealOptions,
  ref: string,
): Promise<void> {
  const { db, output } = context;
  const lead = await getBooking(db, ANY_TENANT, ref);
  const tenantId = lead.tenant.id;
  if (reveal) {
    await recordReveal(context, { action: 'booking.reveal', subject: ref, tenantId }, { bookings: 1 });
  }
  const moments = await historyOf(db, lead);
  const booking = toBookingDetailDocument(lead, reveal);
  const around = {
    history: toHistoryDocument(moments),
    deliveries: await findDeliveriesDocument(db, ref),
    refusals: await findRefusalDocuments(db, { bookingRef: ref }),
    audit: await findAuditDocuments(db, [ref, ...(lead.holdId ? [lead.holdId] : [])]),
  };
  await output.answer({ ...booking, ...around }, (screen) =>
    describe(lead, booking, around, moments, screen),
  );
}

/** Finds the deliveries of the booking with their attempts, without the responses. */
async function findDeliveriesDocument(db: Db, bookingRef: string) {
  const deliveries = await listDeliveriesOfBooking(db, bookingRef);
  return deliveries.map(({ tries, ...delivery }) => ({
    ...toDeliveryDocument(delivery),
    tries: tries.map(toAttemptDocument),
  }));
}

async function historyOf(db: Db, lead: BookingLead): Promise<Moment[]> {
  const hold = lead.holdId ? await getHold(db, ANY_TENANT, lead.holdId) : undefined;
  const changes = await findBookingChanges(db, lead.id);
  return bookingHistory(lead, changes, hold && (await holdHistory(db, hold)));
}

interface Around {
  deliveries: Awaited<ReturnType<typeof findDeliveriesDocument>>;
  refusals: RefusalDocument[];
  audit: AuditDocument[];
}

function describe(
  lead: BookingLead,
  booking: ReturnType<typeof toBookingDetailDocument>,
  { deliveries, refusals, audit }: Around,
  moments: Moment[],
  screen: Screen,
): string {
  const { categories } = lead;
  const {
    customer,
    travellers,
    answers,
    pickup,
    octo,
    price_breakdown: _breakdown,
    prices: _prices,
    unit_price: _,
    ...facts
  } = booking;
  const shown = explainHidden(toBookingFacts(lead, facts));
  return sections([
    ['', properties({ ...shown, customer: describeCustomer(customer) }, screen)],
    ['Travellers', travellers?.map(describeTraveller).join('\n')],
    ['Answers', answers.map(describeAnswer).join('\n')],
    ['Pickup', pickup ? describePickup(pickup) : ''],
    ['Contacts by OCTO', describeContacts(octo).join('\n')],
    [`Price of one ${firstCategory(categories).code}`, paragraph(describePrice(booking, categories), screen)],
    ['History', describeHistory(moments, screen)],
    ['Webhooks', describeDeliveries(deliveries, screen)],
    ['Refused', describeRefusals(refusals, screen)],
    ['At a terminal', describeAudit(audit, screen)],
  ]);
}

/** Lists each delivery with its attempts below it. */
function describeDeliveries(deliveries: Around['deliveries'], screen: Screen): string {
  const rows = deliveries.flatMap((d) => {
    const { event_type: type, status, created_at, next_attempt_at: next, endpoint } = d;
    const waits = next && `next try ${shortTime(next)}`;
    const head = [
      shortTime(created_at),
      type,
      status,
      null,
      waits ?? (endpoint ? null : 'no endpoint yet'),
      d.id,
    ];
    const tries = d.tries.map(({ started_at, number, outcome, status_code, reason }) => [
      shortTime(started_at),
      `  try ${number}`,
      outcome,
      status_code,
      reason,
      null,
    ]);
    return [head, ...tries];
  });
  const columns = ['at (utc)', 'what', 'status', 'answer', { heading: 'detail', least: 12 }, 'delivery'];
  return table(columns, rows, 'None', screen);
}

import { changedFields } from '../../../services/api/audit/changed-fields';
import type { BookingLead, ChangedBooking, NamedBooking } from '../../../services/api/bookings/booking-lead';
import { getBooking } from '../../../services/api/bookings/find-booking';
import { reductionAnswer, type ReductionAnswer } from '../../../services/api/bookings/refund-answer';
import { assertUnambiguous, type NamedDeparture } from '../../../services/api/departures/find-departures';
import { partyInput } from '../../../services/api/parties/requested-party';
import { type AmendedBooking, changeBooking } from '../../../services/api/seats/changes/change-booking';
import { performInTransaction } from '../../../services/api/seats/perform';
import { type SeatChange, type Seller, sellerWithoutKey } from '../../../services/api/seats/seat-change';
import { byOperator } from '../../../services/api/tenants/actor';
import { findTenant } from '../../../services/api/tenants/manage-tenants';
import { readInput } from '../../../services/platform/forms/form';
import { keptPhoneForm } from '../../../services/api/customers/phone';
import { ANY_TENANT } from '../../../services/api/tenants/tenant';
import type { Trx } from '../../../services/platform/database/database';
import type { GivenAnswers } from '../../../services/api/questions/given-answers';
import { answersOfFlags, type FlagAnswer } from '../../engine/answers';
import { instantOfMoment, type LocalMoment, pickupOfFlags, type PickupOptions } from '../../engine/pickup';
import { changeSeats } from '../../engine/change-seats';
import type { AuditedContext } from '../../engine/context';
import { UsageError } from '../../engine/failure';
import { partyBody, type PartyOptions } from '../../engine/party';
import { checkReason } from '../../engine/reasoned';
import { properties } from '../../terminal/table';
import { describeReduction, describeRefund } from './cancellation';
import { toAuditedBooking, toBookingDocument, toBookingFacts } from './document';
import { comparedCustomer } from '../../../services/api/customers/customer';

/** The flags of `booking change`. */
export interface ChangeOptions extends PartyOptions, PickupOptions {
  name?: string;
  phone?: string;
  email?: string;
  date?: NamedDeparture;
  notes?: string;
  /** Null clears the list. */
  travellers?: null;
  answer?: FlagAnswer[];
  /** Null: the time follows the start again. */
  pickupTime?: LocalMoment | null;
  /** The amount of the adjustment; 0 takes it away. */
  adjust?: string;
  /** The reason of the adjustment. */
  reason?: string;
  refundPercent?: number;
}

/** The flags that change the sum of the categories. */
const SUM_FLAGS = ['date', 'adults', 'children', 'party'] as const;

/**
 * Refuses an adjustment without its reason, and one together with another date or party: the terms decide what the smaller sum refunds, and
 * the operator what the adjustment does.
 * @throws UsageError
 */
export function checkAdjustOfChange(options: ChangeOptions): void {
  checkReason(options);
  if (options.adjust !== undefined && SUM_FLAGS.some((name) => options[name] !== undefined))
    throw new UsageError('--adjust needs a change of its own: change the date or the party first');
}

export async function changeBookingCommand(
  context: AuditedContext,
  {
    date: departure,
    name,
    phone,
    email,
    notes,
    travellers,
    answer,
    pickup,
    place,
    pickupTime,
    adjust,
    reason = '',
    refundPercent,
    ...party
  }: ChangeOptions,
  ref: string,
): Promise<void> {
  const lead = await getBooking(context.db, ANY_TENANT, ref);
  if (departure !== undefined && departure.date !== lead.departureDate)
    await assertUnambiguous(context.db, lead.tour, departure);
  const tenant = await findTenant(context.db, lead.tenant.slug);
  const read = phone === undefined ? {} : readInput('body', '--phone', phone, keptPhoneForm(tenant));
  const customer = { name, email, ...read };
  const amendment = {
    departureDate: departure?.date,
    departureTime: departure?.time,
    party: partyInput(partyBody(party)),
    customer,
    notes,
    travellers,
    answers: answersOfChange(lead, { answer, travellers, pickup, place, pickupTime, date: departure }),
    expectedTotal: null,
    adjustment: adjust === undefined ? undefined : { amount: adjust, reason },
    refundPercent,
  };
  await changeAndAnswer(context, 'booking.change', ref, (trx, seller, named) =>
    changeBooking(trx, seller, { ...named, ...amendment }),
  );
}

/** Returns the answers that the flags change. Without the named travellers, their answers go too. */
function answersOfChange(
  { asked, departureDate }: BookingLead,
  { answer, travellers, pickupTime, date, ...place }: AnswerOptions,
): GivenAnswers | undefined {
  const pickup = pickupOfFlags(place);
  const timeOf = (moment: LocalMoment) => {
    const day = date?.date ?? departureDate;
    if (day === null || !asked)
      throw new UsageError('--pickup-time needs a booking with a date and a pickup');
    return instantOfMoment(moment, day, asked.timeZone);
  };
  const given = {
    ...answersOfFlags(answer, asked?.questions ?? []),
    ...(travellers === null && { ofTravellers: null }),
    ...(pickup !== undefined && { pickup }),
    ...(pickupTime !== undefined && { pickupTime: pickupTime && timeOf(pickupTime) }),
  };
  return Object.keys(given).length > 0 ? given : undefined;
}

type AnswerOptions = Pick<
  ChangeOptions,
  'answer' | 'travellers' | 'pickup' | 'place' | 'pickupTime' | 'date'
>;

/** A changed booking. Undefined: its command has no reduction. */
type Changed = ChangedBooking & Partial<Pick<AmendedBooking, 'reduction'>>;

/** Returns the document of a changed booking for the audit row, with the names of the personal fields that changed, without their values. */
function auditedAfter({ before, after, reduction }: Changed) {
  const personal = ({ customer, notes, travellers, asked, adjustment }: BookingLead) => ({
    ...comparedCustomer(customer),
    notes,
    travellers,
    answers: asked && asked.answers,
    pickup: asked && asked.pickup,
    adjustment_reason: adjustment && adjustment.reason,
  });
  const fields = Object.keys(changedFields([{}, {}], [personal(before), personal(after)]));
  return {
    ...toAuditedBooking(after),
    ...(reduction && { reduction: reductionAnswer(reduction, after) }),
    ...(fields.length > 0 && { changed_personal_data: fields }),
  };
}

/** Changes a booking and writes its audit row in one transaction, and answers the booking. */
export async function changeAndAnswer<Result extends Changed>(
  context: AuditedContext,
  action: string,
  ref: string,
  prepare: (trx: Trx, seller: Seller<never>, named: NamedBooking) => Promise<SeatChange<Result>>,
): Promise<void> {
  const { operator, output } = context;
  const { before, after, reduction } = await changeSeats(
    context,
    { action, subject: ref },
    async (transaction, note) => {
      const { trx } = transaction;
      const { tenant } = await getBooking(trx, ANY_TENANT, ref);
      const seller = sellerWithoutKey(await findTenant(trx, tenant.slug));
      const named = { bookingRef: ref, by: byOperator(operator) };
      const result = await performInTransaction(transaction, await prepare(trx, seller, named));
      note(toAuditedBooking(result.before), auditedAfter(result), { tenantId: tenant.id });
      return result;
    },
  );
  const document = toBookingDocument(after);
  const freed = reduction === undefined ? {} : { reduction: reductionAnswer(reduction, after) };
  await output.answer({ ...document, ...freed }, (screen) =>
    properties({ ...toBookingFacts(after, document), ...describeFreed(freed, after) }, screen),
  );
  if (before !== after) return;
  const state =
    action === 'booking.change' ? 'has these values' : `was already ${document.status}${refunded(after)}`;
  output.note(`${ref} ${state}: nothing was changed`);
}

/** Returns the line about a smaller total for a person. Empty: there is none. */
function describeFreed({ reduction }: { reduction?: ReductionAnswer | null }, { currency }: BookingLead) {
  return reduction ? { reduction: describeReduction(reduction, currency) } : {};
}

function refunded(lead: BookingLead): string {
  return lead.refund ? `, and ${describeRefund(lead.refund, lead)} was refunded` : '';
}

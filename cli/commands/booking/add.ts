import type { BookingLead } from '../../../services/api/bookings/booking-lead';
import { getBooking } from '../../../services/api/bookings/find-booking';
import { canonicalTourId } from '../../../services/api/catalog/find-tour';
import type { Tour } from '../../../services/api/catalog/tour';
import type { SeatHold } from '../../../services/api/holds/seat-hold';
import type { RequestReading } from '../../../services/api/idempotency/fingerprint';
import { type Actor, byOperator } from '../../../services/api/tenants/actor';
import type { Db } from '../../../services/platform/database/database';
import type { Note } from '../../engine/audited-change';
import type { NamedDeparture } from '../../../services/api/departures/find-departures';
import { getHold } from '../../../services/api/holds/find-hold';
import type { RequestedParty } from '../../../services/api/parties/party-rules';
import { comparedParty, newPartyInput, partyInput } from '../../../services/api/parties/requested-party';
import { toMajor } from '../../../services/api/pricing/currency';
import { createBooking } from '../../../services/api/seats/changes/create-booking';
import { type OperatorTransaction, performInTransaction } from '../../../services/api/seats/perform';
import type { Seller } from '../../../services/api/seats/seat-change';
import {
  BOOKING_PAYMENT_METHODS,
  type BookingPaymentMethod,
} from '../../../services/api/tenants/payment-method';
import type { Tenant } from '../../../services/api/tenants/tenant';
import { NOTES_MAX } from '../../../services/platform/forms/lengths';
import { changeSeats } from '../../engine/change-seats';
import { flag, type Verb } from '../../engine/command';
import type { GivenAnswers } from '../../../services/api/questions/given-answers';
import { ANSWER_FLAG, answersOfFlags, type FlagAnswer } from '../../engine/answers';
import { checkPickupFlags, PICKUP_FLAGS, pickupOfFlags, type PickupOptions } from '../../engine/pickup';
import { mayAsk } from '../../engine/confirm';
import type { AuditedContext, OpeningTerminal } from '../../engine/context';
import {
  ADD_SEATS_FLAG,
  auditedDeskFields,
  type BesideSale,
  checkDeskOptions,
  closingOf,
  customerOfSale,
  departureNamed,
  departureToSell,
  DESK_FLAGS,
  type DeskAnswer,
  type DeskOptions,
  describeDeskAnswer,
  isAgreed,
  missingValues,
  type NeededValue,
  raiseSeats,
  sellingTenant,
  tenantToSellFor,
  toDeskAnswer,
  tourToSell,
} from '../../engine/desk-sale';
import { type Answered, performOnce, REQUEST_ID_FLAG } from '../../engine/desk-request';
import { refuseMistakes, UsageError } from '../../engine/failure';
import { partyBody } from '../../engine/party';
import { ADJUST_FLAG, checkReason, SALE_REASON_FLAG } from '../../engine/reasoned';
import { departureOnDate, formatMoney, instant, orNone, paragraphs, uuidStart } from '../../engine/values';
import type { Screen } from '../../terminal/screen';
import { paragraph, properties, sections, shortTime } from '../../terminal/table';
import { toAuditedBooking, toBookingDocument, toBookingFacts } from './document';
import { comparedAnswers } from './ask-questions';
import { sellOnTerminal } from './sell-on-terminal';

/** The flags of `booking add`. */
export interface SaleOptions extends DeskOptions, PickupOptions {
  /** Decimal text in major units. */
  adjust?: string;
  paymentMethod?: BookingPaymentMethod;
  /** Null: the booking does not expire. */
  payBy?: Date | null;
  notes?: string;
  /** The id of the hold to book. */
  hold?: string;
  /** True: the booking is paid. */
  confirm?: boolean;
  /** The answers to questions of the tour. */
  answer?: FlagAnswer[];
  /** True: a paid booking may lack required answers. */
  despiteMissing?: boolean;
}

/** A sale that lacks nothing. */
export interface Sale extends SaleOptions {
  tenant: string;
  /** Slug or id. Undefined: that of the hold. */
  tour: string | undefined;
  /** Undefined: that of the hold. */
  departure: NamedDeparture | undefined;
  /** The total that the person has agreed to, in major units. Undefined: any. */
  expectedTotal?: number;
  /** The answers that a person was asked for. Undefined: those of the flags. */
  answers?: GivenAnswers;
}

export const DESPITE_MISSING_FLAG = flag(
  '--despite-missing',
  'confirm the booking although required answers are missing',
);

export const addBookingVerb: Verb = {
  usage: 'add [tour] [date]',
  about:
    'Sell by telephone or to people who walk in: as REST sells, but until the departure is past, and beyond the limits of websites',
  args: { date: departureOnDate },
  flags: [
    ...DESK_FLAGS,
    flag('--payment-method <method>', 'how it is paid; cash does not expire unless --pay-by is given', {
      choices: [...BOOKING_PAYMENT_METHODS],
      otherwise: "the tenant's",
    }),
    flag('--pay-by <time>', 'until when an unpaid booking stands, such as 2027-06-01T12:00:00Z, or none', {
      parse: orNone(instant),
      otherwise: "the tenant's payment window",
    }),
    flag('--notes <text>', 'notes', { parse: paragraphs(NOTES_MAX) }),
    flag('--hold <id>', 'book this hold: its tour, date, party and price', { parse: uuidStart }),
    flag('--confirm', 'the booking is paid'),
    ANSWER_FLAG,
    ...PICKUP_FLAGS,
    DESPITE_MISSING_FLAG,
    ADJUST_FLAG,
    ADD_SEATS_FLAG,
    SALE_REASON_FLAG,
    REQUEST_ID_FLAG,
  ],
  check: (options: SaleOptions, _tour?: string, date?: NamedDeparture) => {
    checkDeskOptions(options, date);
    checkReason(options);
    checkPickupFlags(options);
    if (options.despiteMissing && !options.confirm)
      throw new UsageError('--despite-missing needs --confirm: only a paid booking must have its answers');
  },
  examples: [
    'booking add dolomites-hut-to-hut 2027-06-05 --tenant acme --party adult=2,child=1 --name "Ana Lima" --phone "+49 30 901820"',
    'booking add old-town-walk 2027-06-05T09:30 --party adult=2 --name "Ana Lima" --phone 030901820 --payment-method cash',
    'booking add old-town-walk 2027-06-05T09:30 --party adult=4 --name "Ana Lima" --phone 030901820 --adjust -20 --reason "Returning guest"',
    'booking add old-town-walk 2027-06-05T09:30 --party adult=1 --name "Ana Lima" --phone 030901820 --add-seats --reason "The guide takes one more"',
    'booking add --hold 01987f3c-5a1b-7c2d-8e4f-0a1b2c3d4e5f --name "Ana Lima" --phone 030901820 --confirm',
  ],
  needs: 'database-on-demand',
  audits: true,
  run: addBookingCommand,
};

/** The answer of a sale: the booking, and its departure. */
type SaleAnswer = ReturnType<typeof toBookingDocument> & DeskAnswer;

async function addBookingCommand(
  terminal: OpeningTerminal<AuditedContext>,
  options: SaleOptions,
  tour: string | undefined,
  date: NamedDeparture | undefined,
): Promise<void> {
  const tenant = sellingTenant(terminal, options);
  const known = { ...options, tenant, tour, departure: date && departureNamed(date, options) };
  const missing = missingValues(known, known.hold === undefined ? NEEDED : NEEDED_WITH_HOLD);
  if (mayAsk(terminal) && (missing.length > 0 || !isAgreed(options))) return askAndSell(terminal, known);
  refuseMistakes(missing);
  const sale = { ...known, tenant: tenant! };
  await terminal.withDatabase({}, (context) => sellAndAnswer(context, sale), [tour ?? '', sale.tenant]);
}

/** A sale whose command line may lack something. */
type KnownSale = Omit<Sale, 'tenant'> & Partial<Pick<Sale, 'tenant'>>;

/** Asks a person for the missing values, and sells. */
function askAndSell(terminal: OpeningTerminal<AuditedContext>, known: KnownSale): Promise<void> {
  const { tenant, yes = false, party, confirm, adjust, addSeats, ...given } = known;
  const asked = {
    kind: 'booking' as const,
    tenant,
    given: {
      ...given,
      party: party && Object.fromEntries(party),
      isConfirmed: confirm,
      adjustment: adjust,
      addsSeats: addSeats,
    },
    isAgreed: yes,
  };
  return sellOnTerminal(terminal, asked, (context, agreed, slug) => {
    const { party: units, isConfirmed, addsSeats, ...answered } = agreed;
    const sold = known.hold === undefined ? Object.entries(units) : party;
    return sellAndAnswer(context, {
      ...known,
      ...answered,
      tenant: slug,
      party: sold,
      confirm: isConfirmed,
      addSeats: addsSeats || undefined,
    });
  });
}

async function sellAndAnswer(context: AuditedContext, sale: Sale): Promise<void> {
  const sold = await changeSeats(context, { action: 'booking.add' }, (transaction, note) =>
    sellOnce(transaction, context, sale, note),
  );
  await answerSale(context, sold);
}

/** The values that a sale needs, and that a sale of a hold needs. */
const NEEDED: NeededValue[] = ['tenant', 'tour', 'departure', 'party', 'name', 'phone'];
const NEEDED_WITH_HOLD: NeededValue[] = ['tenant', 'name', 'phone'];

/** A sale in its transaction: the answer, and the booking as it is now. */
interface Sold extends Answered<SaleAnswer> {
  lead: BookingLead;
}

/** Sells in the transaction of the operator, or returns the sale that an earlier command with the --request-id made. */
async function sellOnce(
  transaction: OperatorTransaction,
  context: AuditedContext,
  sale: Sale,
  note: Note,
): Promise<Sold> {
  const { trx } = transaction;
  const tenant = await tenantToSellFor(trx, sale.tenant);
  const beside: BesideSale = { closesAt: null, raised: null };
  let lead: BookingLead | undefined;
  const sold = await performOnce<BookingLead, SaleAnswer>(
    transaction,
    context,
    {
      tenant,
      operation: 'desk.book',
      id: sale.requestId,
      subject: { tour: sale.tour === undefined ? null : await canonicalTourId(trx, sale.tour) },
      validated: (reading) => comparedSale(sale, reading),
    },
    async (seller) =>
      (lead = await sell(transaction, byOperator(context.operator), { seller, sale, beside })),
    (result) => ({ ...toBookingDocument(result), ...toDeskAnswer(beside, result.createdAt) }),
  );
  const { answer, isRepeat } = sold;
  if (!lead || isRepeat) {
    note(null, null);
    return { ...sold, lead: await getBooking(trx, tenant.id, answer.booking_ref) };
  }
  const also = auditedDeskFields(answer, sale);
  const found = { subject: lead.bookingRef, tenantId: tenant.id };
  note(undefined, { ...toAuditedBooking(lead), ...also }, found);
  return { ...sold, lead };
}

/** Returns what the sale asks for, for the comparison with an earlier request of the same id. */
function comparedSale(sale: Sale, reading: RequestReading) {
  const { departure, party, paymentMethod, payBy, externalRef, notes, hold, confirm } = sale;
  return {
    answers: sale.answer ?? comparedAnswers(sale.answers),
    pickup: pickupOfFlags(sale) ?? sale.answers?.pickup,
    departure,
    party: party && comparedParty(partyInput(partyBody(sale))),
    customer: customerOfSale(sale, reading),
    paymentMethod,
    payBy: payBy && payBy.toISOString(),
    externalRef,
    notes,
    hold,
    confirm,
    adjust: sale.adjust && Number(sale.adjust),
    addSeats: sale.addSeats,
    reason: sale.reason,
  };
}

/** Sells in the transaction, and notes in `beside` what it finds and does beside the booking. */
async function sell(
  transaction: OperatorTransaction,
  by: Actor,
  { seller, sale, beside }: { seller: Seller<BookingLead>; sale: Sale; beside: BesideSale },
): Promise<BookingLead> {
  const { trx } = transaction;
  const { tenant } = seller;
  const { tour, departure, party, hold } = await seatsOfSale(trx, tenant, sale);
  const { departureId } = hold ?? (await departureToSell(trx, tour, departure));
  if (sale.addSeats)
    beside.raised = await raiseSeats(transaction, tenant, tour, departure, { party, held: hold?.seats });
  beside.closesAt = await closingOf(trx, departureId, tenant);
  const { payBy, adjust, reason = '' } = sale;
  const request = {
    departureDate: departure.date,
    departureTime: departure.time,
    party,
    travellers: null,
    answers: answersOfSale(sale, tour),
    despiteMissingAnswers: sale.despiteMissing,
    customer: customerOfSale(sale, tenant),
    paymentMethod: sale.paymentMethod ?? null,
    holdId: sale.hold ?? null,
    expectedTotal: sale.expectedTotal ?? null,
    externalRef: sale.externalRef ?? null,
    notes: sale.notes ?? null,
    isConfirmed: sale.confirm,
    desk: {
      payBy: payBy && payBy.toISOString(),
      adjustment: adjust === undefined ? null : { amount: adjust, reason },
    },
    by,
  };
  const change = await createBooking(trx, seller, tour, request, (date, time) =>
    departureToSell(trx, tour, { date, time }),
  );
  return performInTransaction(transaction, change);
}

/** Returns the answers and the pickup of a sale. Undefined: none. */
function answersOfSale(sale: Sale, tour: Tour): GivenAnswers | undefined {
  const answers = sale.answers ?? answersOfFlags(sale.answer, tour.questions);
  const pickup = pickupOfFlags(sale);
  return pickup === undefined ? answers : { ...answers, pickup };
}

/** The tour, the departure and the party of a sale: those of the hold, if it names one and no others. */
interface SeatsOfSale {
  tour: Tour;
  departure: NamedDeparture;
  party: RequestedParty;
  /** Undefined: the sale names none. */
  hold: SeatHold | undefined;
}

async function seatsOfSale(db: Db, tenant: Tenant, sale: Sale): Promise<SeatsOfSale> {
  const hold = sale.hold === undefined ? undefined : await getHold(db, tenant.id, sale.hold);
  const tour = await tourToSell(db, tenant, sale.tour ?? hold!.tour.id, hold !== undefined);
  const party = sale.party === undefined ? { party: hold!.party } : newPartyInput(partyBody(sale));
  const departure = sale.departure ?? {
    date: hold!.departureDate,
    time: hold!.departureTime ?? undefined,
  };
  return { tour, departure, party, hold };
}

/** Answers the booking. A person sees what is due until when, and the command that follows. */
async function answerSale({ output }: AuditedContext, { answer, lead, isRepeat }: Sold): Promise<void> {
  const { late: _late, seats_total: _raised, ...document } = answer;
  await output.answer(answer, (screen) =>
    sections([
      ['', properties(toBookingFacts(lead, document), screen)],
      ['', describePayment(lead, screen)],
      ['', describeDeskAnswer(answer, screen)],
    ]),
  );
  if (isRepeat) output.note('An earlier command with this --request-id made this sale: nothing was changed');
}

function describePayment(lead: BookingLead, screen: Screen): string {
  const { bookingRef, currency, currencyDigits, paymentDueAt } = lead;
  const money = (minor: number) => formatMoney(toMajor(minor, currencyDigits), currency);
  const until = paymentDueAt ? `until ${shortTime(paymentDueAt)} UTC` : 'and the booking does not expire';
  const deposit = lead.depositMinor > 0 ? `, a deposit of ${money(lead.depositMinor)}` : '';
  const due = [
    `${money(lead.totalMinor)} is due${deposit}, ${until}.`,
    `When it is paid: tourctl booking confirm ${bookingRef}`,
  ];
  const lines = lead.status === 'confirmed' ? [`${bookingRef} is confirmed: ${money(lead.totalMinor)}`] : due;
  return lines.map((line) => paragraph(line, screen)).join('\n');
}

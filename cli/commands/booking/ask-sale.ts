import type { NamedDeparture } from '../../../services/api/departures/find-departures';
import type { Party } from '../../../services/api/parties/party-rules';
import { toMajor, toMinor } from '../../../services/api/pricing/currency';
import { totalOf } from '../../../services/api/pricing/price-categories';
import type { GivenAnswers } from '../../../services/api/questions/given-answers';
import type { Terminal } from '../../engine/context';
import { NotConfirmedError } from '../../engine/failure';
import type { Io } from '../../terminal/io';
import { askWithHistory, askYesNo } from '../../terminal/prompts';
import { askContact, type AskedContact } from './ask-contact';
import { askDeparture } from './ask-departure';
import { askParty } from './ask-party';
import { askPayment, type Payment } from './ask-payment';
import { askPickup } from './ask-pickup';
import { askQuestions } from './ask-questions';
import { askTour } from './ask-tour';
import { createSaleReads, type SaleReads, type SaleSource } from './sale-reads';
import { describeSale, type GivenSale, type SaleAnswers } from './sale-summary';

/** The values of a sale that a person has agreed to. */
export interface AgreedSale extends AskedContact, Payment {
  /** The slug of the tour. */
  tour: string;
  departure: NamedDeparture;
  party: Party;
  addsSeats: boolean;
  reason?: string;
  adjustment?: string;
  answers?: GivenAnswers;
  /** The total of the summary, in major units: the sale is refused if the price is another one now. */
  expectedTotal: number;
}

/** Distinguishes the conversation of a booking from that of a hold, which has no payment and may have an empty contact. */
export type SaleKind = 'booking' | 'hold';

/** A conversation about a sale. */
export interface SaleConversation extends Pick<Terminal, 'io' | 'output'> {
  kind: SaleKind;
  given: GivenSale;
  /** True: the person has agreed already, by --yes. */
  isAgreed: boolean;
  /** Opens the database when it is first needed. */
  open: () => Promise<SaleSource>;
}

/**
 * Asks a person at a terminal for the values of a sale that no flag gives, in the order in which a caller speaks, and for agreement to one
 * summary. Esc goes back one question. Writes nothing.
 * @throws CancelledError at Ctrl-C; NotConfirmedError; TourNotFoundError; NothingToSellError
 */
export async function askSale(conversation: SaleConversation): Promise<AgreedSale> {
  const { io, output, given, kind, isAgreed, open } = conversation;
  const reads = createSaleReads(open);
  const now = new Date();
  return askWithHistory(io, [], async (asking) => {
    const answers = await askAnswers(asking, reads, { given, kind, now });
    const tenant = await reads.tenant();
    const total = totalOfSale(answers, given);
    output.note(`\n${describeSale(answers, tenant, given, total, output.screen)}\n`);
    const question = kind === 'booking' ? 'Sell it?' : 'Hold the seats?';
    if (!isAgreed && !(await askYesNo(asking, question))) throw new NotConfirmedError();
    return agreedSale(answers, given, total);
  });
}

interface Asked extends Pick<SaleConversation, 'given' | 'kind'> {
  /** The time at which the conversation began. */
  now: Date;
}

async function askAnswers(io: Io, reads: SaleReads, { given, kind, now }: Asked): Promise<SaleAnswers> {
  const seats = await (given.hold === undefined ? askSeats(io, reads, given, kind) : reads.held(given.hold));
  const tenant = await reads.tenant();
  await reads.checkDiscount(totalOfSale(seats, given), adjustmentOf(seats, given));
  const { name, phone, email } = given;
  const contact = await askContact(io, tenant, { name, phone, email }, kind === 'hold');
  const { paymentMethod, payBy, isConfirmed } = given;
  const known = { paymentMethod, payBy, isConfirmed };
  if (kind === 'hold') return { ...seats, contact, payment: undefined };
  const payment = given.hasPayment ? known : await askPayment(io, tenant, known, now);
  const answers = given.answers ?? (await askAnswersOf(io, reads, seats, { given, payment }));
  return { ...seats, contact, payment, answers };
}

/** Asks the questions of the tour, then where the guests are fetched, unless flags say it. */
async function askAnswersOf(
  io: Io,
  reads: SaleReads,
  { tour, party, sold }: Omit<SaleAnswers, 'contact' | 'payment'>,
  { given, payment }: { given: GivenSale; payment: Payment },
): Promise<GivenAnswers | undefined> {
  const { questions, pickup: offered } = await reads.tour(tour.slug);
  const { categories } = sold.quote;
  const isConfirmed = (payment.isConfirmed ?? false) && !given.despiteMissing;
  const answers = await askQuestions(io, { questions, party, categories, given: given.answer, isConfirmed });
  if (!offered || given.pickup !== undefined || given.place !== undefined) return answers;
  const pickup = await askPickup(io, { pickup: offered, startTime: sold.departure.startTime, isConfirmed });
  return pickup === undefined ? answers : { ...answers, pickup };
}

/** Asks for the tour, the departure and the party. */
async function askSeats(
  io: Io,
  reads: SaleReads,
  given: GivenSale,
  kind: SaleKind,
): Promise<Omit<SaleAnswers, 'contact' | 'payment'>> {
  const tour = await askTour(io, reads, given.tour);
  const departure = await askDeparture(io, reads, tour, given.departure);
  const tenant = await reads.tenant();
  const sold = await askParty(io, {
    sold: departure,
    others: await reads.departures(tour, given.departure?.date),
    given: given.party,
    addsSeats: given.addsSeats ?? false,
    mayAddSeats: kind === 'booking' && !tenant.sandbox,
    reason: given.reason,
  });
  return { ...sold, tour };
}

/** Returns the total of the sale in minor units. */
function totalOfSale(seats: Pick<SaleAnswers, 'sold' | 'party'>, given: GivenSale): number {
  return totalOf(seats.party, seats.sold.quote.tenant) + adjustmentOf(seats, given);
}

/** Returns the adjustment in minor units. 0: none, or not one of the currency, which the sale refuses. */
function adjustmentOf({ sold }: Pick<SaleAnswers, 'sold'>, { adjustment = '0' }: GivenSale): number {
  return toMinor(adjustment, sold.quote.currencyDigits) ?? 0;
}

function agreedSale(
  { tour, sold, party, addSeats, contact, payment, answers }: SaleAnswers,
  { adjustment, reason }: GivenSale,
  total: number,
): AgreedSale {
  const { departureDate: date, startTime } = sold.departure;
  return {
    ...contact,
    ...payment,
    tour: tour.slug,
    departure: { date, time: startTime ?? undefined },
    party,
    addsSeats: addSeats !== undefined,
    reason: reason ?? addSeats,
    adjustment,
    answers,
    expectedTotal: toMajor(total, sold.quote.currencyDigits),
  };
}

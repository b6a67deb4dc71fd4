import type { NamedDeparture } from '../../../services/api/departures/find-departures';
import { describeParty } from '../../../services/api/parties/party';
import { type Party, seatsOf } from '../../../services/api/parties/party-rules';
import { toMajor } from '../../../services/api/pricing/currency';
import type { Tenant } from '../../../services/api/tenants/tenant';
import type { GivenAnswers } from '../../../services/api/questions/given-answers';
import type { FlagAnswer } from '../../engine/answers';
import { formatMoney } from '../../engine/values';
import type { Screen } from '../../terminal/screen';
import { properties, shortTime } from '../../terminal/table';
import { countOf, roughDuration } from '../../terminal/text';
import type { AskedContact } from './ask-contact';
import { freeSeats } from './ask-departure';
import { describeDeparture, type SoldParty } from './ask-party';
import type { Payment } from './ask-payment';

/** The values of a sale that flags give. */
export interface GivenSale extends AskedContact, Payment {
  /** The id of the hold that the booking consumes, which decides tour, departure and party. */
  hold?: string;
  /** True: the payment has been asked for already. */
  hasPayment?: boolean;
  /** Slug or id. */
  tour?: string;
  departure?: NamedDeparture;
  party?: Party;
  /** True: the missing seats are added. */
  addsSeats?: boolean;
  /** Why seats are added, or why the price is adjusted. */
  reason?: string;
  /** The line of the price beside the categories: a signed decimal number of major units. */
  adjustment?: string;
  /** The answers to questions of the tour that flags give. */
  answer?: readonly FlagAnswer[];
  /** The answers that the person has been asked for already. */
  answers?: GivenAnswers;
  /** True: required answers may be missing. */
  despiteMissing?: boolean;
  /** The pickup that flags give: the code of a point or none, or a place. */
  pickup?: string;
  place?: string;
}

/** The answers of a conversation about a sale. */
export interface SaleAnswers extends SoldParty {
  tour: { slug: string; name: string };
  contact: AskedContact;
  /** Undefined: a hold. */
  payment: Payment | undefined;
  /** The answers to the questions of the tour. Undefined: none. */
  answers?: GivenAnswers;
}

/** Formats the summary that a person reads to the guest before agreeing. @param total minor units */
export function describeSale(
  { tour, sold, party, addSeats, contact, payment }: SaleAnswers,
  tenant: Tenant,
  given: GivenSale,
  total: number,
  screen: Screen,
): string {
  const { departure, quote } = sold;
  const money = (minor: number) => formatMoney(toMajor(minor, quote.currencyDigits), quote.currency);
  const seats = seatsOf(party, quote.categories);
  const left = freeSeats(departure) - seats;
  const rows: [string, string | undefined][] = [
    ['tenant', tenant.slug],
    ['tour', `${tour.name} (${tour.slug})`],
    ['departure', `${describeDeparture(sold)}${departure.closed ? ', closed on websites' : ''}`],
    [
      'party',
      `${describeParty(party)}: ${countOf(seats, 'seat')}, ${left > 0 ? left : 'none'} left after it`,
    ],
    ['added', addSeats && `${countOf(-left, 'seat')}: ${addSeats}`],
    ['adjusted', given.adjustment === undefined ? undefined : describeAdjustment(given, quote.currency)],
    ['total', money(total)],
    ['guest', [contact.name, contact.phone, contact.email].filter(Boolean).join(', ') || undefined],
    ['payment', describePayment(payment, tenant)],
  ];
  return properties(Object.fromEntries(rows.filter(([, text]) => text !== undefined)), screen);
}

function describeAdjustment({ adjustment = '0', reason }: GivenSale, currency: string): string {
  return `${formatMoney(Number(adjustment), currency)}${reason === undefined ? '' : `: ${reason}`}`;
}

function describePayment(payment: Payment | undefined, tenant: Tenant): string | undefined {
  if (!payment) return undefined;
  const method = payment.paymentMethod ?? tenant.paymentMethod;
  if (payment.isConfirmed) return `paid: ${method}`;
  return `not paid: ${describeEnd(payment, tenant)} (${method})`;
}

function describeEnd({ paymentMethod, payBy }: Payment, { paymentWindowMinutes }: Tenant): string {
  if (payBy) return `until ${shortTime(payBy)} UTC, or the start if it is earlier`;
  const hasNoLimit = payBy === null || paymentMethod === 'cash' || paymentWindowMinutes === null;
  return hasNoLimit ? 'no limit' : `within ${roughDuration(paymentWindowMinutes * 60)}, or until the start`;
}

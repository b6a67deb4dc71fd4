import { type AdjustmentAnswer, adjustmentAnswer } from '../../../services/api/bookings/adjustment';
import { type BookingLead, peopleOf, priceBreakdown } from '../../../services/api/bookings/booking-lead';
import { cancellationAnswer, shownRefund } from '../../../services/api/bookings/refund-answer';
import { nameDeparture } from '../../../services/api/catalog/start-time';
import { toMajor } from '../../../services/api/pricing/currency';
import type { Category } from '../../../services/api/parties/category';
import { describeParty, namedNumbers, peopleOfParty } from '../../../services/api/parties/party';
import { firstCategory, type Party } from '../../../services/api/parties/party-rules';
import { firstPrice, type PricesAnswer, pricesAnswer } from '../../../services/api/pricing/price-categories';
import { HIDDEN } from '../../../services/platform/forms/text-forms';
import {
  toCustomerDocument,
  toOctoDocument,
  toReferenceDocument,
  toTravellerDocument,
} from '../../engine/personal-data';
import { toAnswersDocument } from '../../engine/answers';
import { toPickupDocument } from '../../engine/pickup';
import { formatMoney, withMoney } from '../../engine/values';
import type { Screen } from '../../terminal/screen';
import { shortTime, table } from '../../terminal/table';
import { describeCancellation } from './cancellation';

/** Converts a booking for lists and the audit log, without the customer. */
export function toBookingDocument(lead: BookingLead, reveal = false) {
  return {
    booking_ref: lead.bookingRef,
    lead_id: lead.id,
    tenant: lead.tenant.slug,
    tour: lead.tour.slug,
    departure_date: lead.departureDate,
    departure_time: lead.departureTime,
    departure_status: lead.departureStatus,
    ...namedNumbers(lead.party),
    party: lead.party,
    people: peopleOfParty(lead.party, lead.categories),
    seats: lead.seats,
    status: lead.status,
    total_price: toMajor(lead.totalMinor, lead.currencyDigits),
    adjustment: adjustmentAnswer(lead.adjustment, lead),
    deposit_total: toMajor(lead.depositMinor, lead.currencyDigits),
    currency: lead.currency,
    payment_method: lead.paymentMethod,
    external_ref: toReferenceDocument(lead.externalRef, peopleOf(lead), reveal),
    source: lead.source,
    cancellation: cancellationAnswer(lead),
    refund: shownRefund(lead),
    hold_id: lead.holdId,
    created_at: lead.createdAt.toISOString(),
    payment_due_at: lead.paymentDueAt?.toISOString() ?? null,
    anonymized_at: lead.anonymizedAt?.toISOString() ?? null,
  };
}

/** Converts a booking for the audit log, which has no text that an erasure of the customer would have to clear. */
export function toAuditedBooking(lead: BookingLead) {
  const { adjustment, ...document } = toBookingDocument(lead);
  return { ...document, adjustment: adjustment && { amount: adjustment.amount } };
}

/** A hold, a booking or a refusal, with the date and the start time of its departure. */
interface OnDeparture {
  departure_date: string | null;
  departure_time: string | null;
}

/** Returns the date of the departure for a person, and its start time if it has one. Null: there is no date. */
export function departureOf({ departure_date: date, departure_time: time }: OnDeparture): string | null {
  return date === null ? null : nameDeparture(date, time);
}

/** Converts a booking for `show` and `export`, with its customer and price breakdown; masks personal data unless revealed. */
export function toBookingDetailDocument(lead: BookingLead, reveal: boolean) {
  return {
    ...toBookingDocument(lead, reveal),
    unit_price: toMajor(firstPrice(lead.prices, lead.categories), lead.currencyDigits),
    prices: pricesAnswer(lead.prices, lead.categories, lead.currencyDigits),
    customer: toCustomerDocument(lead.customer, reveal),
    travellers: lead.travellers && lead.travellers.map((one) => toTravellerDocument(one, reveal)),
    answers: toAnswersDocument(lead, reveal),
    pickup: toPickupDocument(lead, reveal),
    notes: freeText(lead.notes, reveal),
    cancel_reason: freeText(lead.cancelReason, reveal),
    octo: toOctoDocument(lead.octo, reveal),
    price_breakdown: priceBreakdown(lead),
  };
}

/** Returns a text that may name the customer, masked unless revealed. */
export function freeText(text: string | null, reveal: boolean): string | null {
  return text === null || reveal ? text : HIDDEN;
}

/** Converts a booking for a person: each amount is text with its currency, and a sentence says what a cancellation refunds. */
export function toBookingFacts(
  lead: BookingLead,
  { refund: _, ...document }: ReturnType<typeof toBookingDocument>,
) {
  const adjustment = document.adjustment && describeAdjustment(document.adjustment, lead);
  const facts = { ...withPartyInWords(document), adjustment, cancellation: describeCancellation(lead) };
  return withMoney(facts, ['total_price', 'deposit_total']);
}

/** Describes the line of the price for a person: `-20.00 EUR (the guest is late)`. */
function describeAdjustment(
  { amount, reason }: AdjustmentAnswer,
  { currency, anonymizedAt }: BookingLead,
): string {
  const missing = anonymizedAt ? 'the reason was erased' : 'the reason is hidden';
  return `${formatMoney(amount, currency)} (${reason ?? missing})`;
}

/** The fields of a hold or booking that are the numbers of one category each, and parts of its party. */
type Named = Partial<ReturnType<typeof namedNumbers>>;

/** Describes the party of a hold or booking for a person: `2 adults, 1 senior`. Leaves out the numbers that the party has too. */
export function withPartyInWords<T extends Named & { party: Party }>({
  adults: _adults,
  children: _children,
  single_supplements: _singles,
  ...document
}: T) {
  return { ...document, party: describeParty(document.party) };
}

/** The fields of a price breakdown that are shown. Holds and leads store the breakdown (quote-tenant-price.ts). */
interface StoredPrice {
  platform_unit_price?: number;
  converted_from?: string | null;
  rate?: number | null;
  rate_date?: string | null;
  rule?: StoredRule | null;
}

interface StoredRule {
  id: number;
  applies_to: string;
  kind: string;
  value: number;
}

/** The locked prices of a hold or booking, and how the price of the first category was made. */
interface ShownPrice {
  price_breakdown: StoredPrice;
  prices: PricesAnswer;
  currency: string;
}

/**
 * Describes the locked prices: `495.00 EUR, made of the platform's 450.00 EUR by rule 7 (tour, percent 10); child 350.00 EUR`.
 * @param categories that are locked with the prices
 */
export function describePrice(
  { price_breakdown: breakdown, prices, currency }: ShownPrice,
  categories: readonly Category[],
): string {
  const { platform_unit_price: platform, rule } = breakdown;
  const money = (amount: number) => formatMoney(amount, currency);
  const from = platform === undefined ? 'price' : money(platform);
  const reason = rule
    ? `made of the platform's ${from} by rule ${rule.id} (${rule.applies_to}, ${rule.kind} ${ruleValue(rule, money)})`
    : "the platform's own price";
  const first = firstCategory(categories).code;
  const others = Object.entries(prices).filter(([code]) => code !== first);
  const { converted_from, rate, rate_date } = breakdown;
  const converted = converted_from ? `; converted from ${converted_from} at ${rate} of ${rate_date}` : '';
  return `${money(prices[first]!)}, ${reason}${others.map(([code, price]) => `; ${code} ${money(price)}`).join('')}${converted}`;
}

function ruleValue({ kind, value }: StoredRule, money: (amount: number) => string): string {
  return kind === 'percent' ? String(value) : money(value);
}

interface HistoryEntry {
  at: Date;
  event: string;
  by: string | null;
  detail: string | null;
}

export function toHistoryDocument(history: HistoryEntry[]) {
  return history.map(({ at, event, by, detail }) => ({ at: at.toISOString(), event, by, detail }));
}

export function describeHistory(history: HistoryEntry[], screen: Screen): string {
  const rows = history.map(({ at, event, by, detail }) => [shortTime(at), event, by, detail]);
  const columns = ['at (utc)', 'what', 'by', { heading: 'detail', least: 12 }];
  return table(columns, rows, 'No history yet', screen);
}

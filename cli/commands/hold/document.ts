import { peopleOf } from '../../../services/api/bookings/booking-lead';
import type { SeatHold } from '../../../services/api/holds/seat-hold';
import { toMajor } from '../../../services/api/pricing/currency';
import { namedNumbers } from '../../../services/api/parties/party';
import { firstCategory } from '../../../services/api/parties/party-rules';
import { firstPrice, pricesAnswer } from '../../../services/api/pricing/price-categories';
import { toCustomerDocument, toOctoDocument, toReferenceDocument } from '../../engine/personal-data';
import { withMoney } from '../../engine/values';
import { withPartyInWords } from '../booking/document';

/** Converts a hold for lists and the audit log, without the customer. */
export function toHoldDocument(hold: SeatHold, reveal = false) {
  return {
    id: hold.id,
    tenant: hold.tenant.slug,
    tour: hold.tour.slug,
    departure_date: hold.departureDate,
    departure_time: hold.departureTime,
    quantity: hold.seats,
    ...namedNumbers(hold.party),
    party: hold.party,
    status: hold.status,
    expires_at: hold.expiresAt.toISOString(),
    unit_price: toMajor(firstPrice(hold.prices, hold.categories), hold.currencyDigits),
    currency: hold.currency,
    external_ref: toReferenceDocument(hold.externalRef, peopleOf(hold), reveal),
    created_at: hold.createdAt.toISOString(),
  };
}

/** Converts a hold for `show`. */
export function toHoldDetailDocument(hold: SeatHold, reveal: boolean) {
  return {
    ...toHoldDocument(hold, reveal),
    hold_minutes: hold.holdMinutes,
    prices: pricesAnswer(hold.prices, hold.categories, hold.currencyDigits),
    customer: toCustomerDocument(hold.customer, reveal),
    anonymized_at: hold.anonymizedAt?.toISOString() ?? null,
    octo: toOctoDocument(hold.octo, reveal),
    price_breakdown: priceBreakdownOf(hold),
  };
}

/** Returns the price calculation of a hold, with the platform's price of the first category, as that of a booking has it. */
function priceBreakdownOf(hold: SeatHold) {
  const { prices, platformPrices, categories, currencyDigits, priceBreakdown } = hold;
  const first = firstCategory(categories).code;
  const platform_prices = pricesAnswer(platformPrices, categories, currencyDigits);
  return {
    platform_unit_price: platform_prices[first],
    platform_prices,
    unit_price: toMajor(firstPrice(prices, categories), currencyDigits),
    ...priceBreakdown,
  };
}

/** Converts a hold for a person: the price is text with its currency. */
export function toHoldFacts(document: ReturnType<typeof toHoldDocument>) {
  return withMoney(withPartyInWords(document), ['unit_price']);
}

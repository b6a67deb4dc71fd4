import { InvalidInputError } from '../../platform/errors';
import type { SaleChange } from '../audit/changed-fields';
import type { CancellationPolicy, DatedTier } from '../catalog/cancellation-policy';
import type { BookingAnswers } from '../questions/answers';
import { type OctoDetails, peopleOfOcto, travellerOfUnitItem } from '../holds/octo-booking';
import {
  impliesRules,
  type PriceBreakdownRule,
  type PriceCalculation,
  storedRuleOf,
} from '../pricing/explained-rules';
import { toMajor } from '../pricing/currency';
import { firstPrice, type CategoryPrice, priceByCategory } from '../pricing/price-categories';
import type { Actor } from '../tenants/actor';
import type { BookingPaymentMethod } from '../tenants/payment-method';
import type { Tenant } from '../tenants/tenant';
import type { Adjustment } from './adjustment';
import type { BookingStatus } from './booking-status';
import type { Category } from '../parties/category';
import { firstCategory, type Party, unitsOf, type Prices } from '../parties/party-rules';
import { namedNumbers } from '../parties/party';
import type { WantedParty } from '../parties/requested-party';
import type { PartialCustomer } from '../customers/customer';

/** The origin of a booking: REST, OCTO, the desk of the operator, or the import from another system. */
export type BookingSource = 'tenant_api' | 'octo' | 'desk' | 'import';

/** One person of a booking, as stored and shown. */
export interface Traveller {
  /** The code of a category. */
  category: string;
  first_name: string;
  last_name: string;
  /** YYYY-MM-DD */
  birth_date: string | null;
  note: string | null;
}

/**
 * Checks that each category has at most as many travellers as its units have people. A party that the tour cannot sell is refused later.
 * @throws InvalidInputError (400)
 */
export function assertTravellersBooked(
  travellers: readonly Pick<Traveller, 'category'>[],
  { party, partyRefusal }: WantedParty,
  categories: readonly Category[],
): void {
  if (partyRefusal) return;
  const peopleOf = new Map(categories.map(({ code, people }) => [code, unitsOf(party, code) * people]));
  for (const [index, { category }] of travellers.entries()) {
    const people = peopleOf.get(category);
    if (people === undefined)
      throw new InvalidInputError(
        'body',
        `travellers.${index}.category`,
        `must be a category of the tour: ${[...peopleOf.keys()].join(', ')}`,
      );
    peopleOf.set(category, people - 1);
    if (people > 0) continue;
    throw new InvalidInputError(
      'body',
      'travellers',
      `must not name more of the category ${category} than booked`,
    );
  }
}

/** A booking reference and the actor of the change. */
export interface NamedBooking {
  bookingRef: string;
  /** Null: unknown. */
  by: Actor | null;
}

/** The booking as it was when it was locked, and after the change. Both are the same object if nothing changed. */
export interface ChangedBooking {
  before: BookingLead;
  after: BookingLead;
}

/** The refund of a cancellation. */
export interface Refund {
  /** A whole number, 0 to 100. */
  percent: number;
  /** In minor units. */
  minor: number;
}

/** The amount that a change of a confirmed booking frees, because its total falls. */
export interface Reduction {
  /** The old total less the new one, in minor units. */
  minor: number;
  /** The refunded share of it. Null: nothing is stated. */
  refund: Refund | null;
}

/** One change of a booking, as stored, with the refund of its reduction. */
export interface RecordedBookingChange extends SaleChange {
  /** Null: the change freed nothing, or nothing was stated. */
  refund: Refund | null;
}

/** A booking: the customer's request, its price, and the state of its payment. Money is in minor units. */
export interface BookingLead {
  id: number;
  bookingRef: string;
  tenant: { id: string; slug: string };
  /** True: the booking takes seats of the sandbox (ADR 29). */
  sandbox: boolean;
  tour: { id: string; slug: string };
  /** Null: a booking without a date, which reserves no seats. */
  departureId: string | null;
  departureDate: string | null;
  /** HH:MM. Null: a booking without a date, or a departure without a start time. */
  departureTime: string | null;
  /** Null: a booking without a date. */
  departureStatus: 'scheduled' | 'cancelled' | null;
  holdId: string | null;
  party: Party;
  /** The seats that the party takes. */
  seats: number;
  /** The categories of the tour, as the booking has locked them. */
  categories: readonly Category[];
  /** Null: not named, or anonymized. */
  travellers: Traveller[] | null;
  /** The questions that the booking has locked, and its answers. Null: its tour asked nothing. */
  asked: BookingAnswers | null;
  /** `expired` once the payment is overdue by the database's clock, also if no sweep has marked the lead. */
  status: BookingStatus;
  /** The booked unit price of each category. */
  prices: Prices;
  /** As LockedPrice has them. */
  platformPrices: Partial<Prices>;
  /** The sum of the categories and the adjustment. */
  totalMinor: number;
  /** Null: none. */
  adjustment: Adjustment | null;
  depositMinor: number;
  currency: string;
  currencyDigits: number;
  priceBreakdown: PriceCalculation;
  /** The locked cancellation policy. Null: not stated. */
  cancellation: CancellationPolicy | null;
  /** The tiers of the policy, counted from the start of the departure. Null: not stated, or a booking without a date. */
  tiers: DatedTier[] | null;
  /** The highest share of the total that a cancellation refunds, in percent. */
  refundCeiling: number;
  /** The lowest share, in percent, which a move by the operator has set. Null: none. */
  refundFloor: number | null;
  /** The instant at which the lowest share ends: the departure is past. Null: there is no lowest share. */
  floorEndsAt: Date | null;
  /** The refund of the cancellation. Null: not cancelled, nothing was paid, or nothing was stated. */
  refund: Refund | null;
  paymentMethod: BookingPaymentMethod;
  /** The tenant's present text about how to pay. Null: none. */
  paymentNote: string | null;
  externalRef: string | null;
  source: BookingSource;
  /** Null: the booking is not of an import. */
  importId: string | null;
  /** The reference in the system from which the booking was imported. Null: it is not of an import. */
  importRef: string | null;
  /** Complete, except for bookings of OCTO, the desk and imports, and anonymized ones. */
  customer: PartialCustomer;
  /** The OCTO details of the booking's hold. Null: there is no hold, or OCTO did not place it. */
  octo: OctoDetails | null;
  notes: string | null;
  createdAt: Date;
  /** The time of the last change of the booking, or of the status of its departure if that is later. */
  updatedAt: Date;
  /** The end of the payment window. Null: none. */
  paymentWindowEndsAt: Date | null;
  /** The end of the payment window, or of the departure if that is earlier. Null: no payment window. */
  paymentDueAt: Date | null;
  createdBy: Actor | null;
  confirmedAt: Date | null;
  confirmedBy: Actor | null;
  cancelledAt: Date | null;
  cancelledBy: Actor | null;
  /** As given with the cancellation; null after anonymization. */
  cancelReason: string | null;
  expiredAt: Date | null;
  anonymizedAt: Date | null;
  /** The database's clock reading at which the booking was read. */
  asOf: Date;
}

/** The position of a lead in a list. */
export interface LeadPosition {
  id: number;
  /**
   * The sort key of the position. In a list by departure: the date of the departure. In a list by change: the time of the change, with
   * microseconds. In a list by creation: undefined.
   */
  key?: string;
}

/** Returns the people of a hold or booking (customer, travellers and contacts), to find texts that identify them. */
export function peopleOf({
  customer,
  travellers,
  octo,
}: {
  customer: PartialCustomer;
  travellers?: Traveller[] | null;
  octo?: OctoDetails | null;
}): PartialCustomer[] {
  const named = (travellers ?? []).map(({ first_name, last_name }) => `${first_name} ${last_name}`);
  const contacts = octo ? peopleOfOcto(octo) : [];
  return [customer, ...named.map((name) => ({ name, phone: null, email: null })), ...contacts];
}

/** Returns the travellers of a booking; for an OCTO booking without them, the people of its unit items. Null: nobody is named. */
export function travellersOf({ travellers, octo }: BookingLead): Traveller[] | null {
  const named = (octo?.unitItems ?? []).map(travellerOfUnitItem).filter((one) => one !== undefined);
  return travellers ?? (named.length > 0 ? named : null);
}

const BOOKING_REF = /^[A-Z0-9]{2,10}(-TEST)?-\d{1,15}$/;

/** Checks the form of a booking reference: referencePrefix, a dash, and the lead's id, as in ACME-1042 or ACME-TEST-1042. */
export function isBookingRef(text: string): boolean {
  return BOOKING_REF.test(text);
}

export function referencePrefix({ bookingPrefix, sandbox }: Tenant): string {
  return sandbox ? `${bookingPrefix}-TEST` : bookingPrefix;
}

/** The calculation of the price. */
export interface PriceBreakdown {
  /** The platform's price for one unit of the first category, in the currency of the booking. */
  platform_unit_price?: number;
  /**
   * ISO 4217. The currency of the tour. Only if the tenant had a selling currency; null: the tour had this currency too.
   * @example null
   */
  converted_from?: string | null;
  /**
   * Units of the booking's currency for one unit of `converted_from`, rounded to 12 significant digits; null: not converted.
   * @example null
   */
  rate?: number | null;
  /**
   * YYYY-MM-DD. The day of the rate; of a cross rate, the earlier day of its two rates. Null: not converted.
   * @example null
   */
  rate_date?: string | null;
  /** The tenant's price for one unit of the first category. */
  unit_price: number;
  /** @isInt */
  adults: number;
  /** @isInt */
  children: number;
  /** @isInt */
  single_supplements: number;
  /** The price of each category of the party. */
  categories: CategoryBreakdown[];
  deposit_percent: number;
  /** The rule of the tenant that made the price of the first category. Null: it is the platform's. */
  rule: PriceBreakdownRule | null;
}

/** The price of a category of the party. */
interface CategoryBreakdown extends CategoryPrice {
  /**
   * The rule of the tenant that made this price. Null: it is the platform's. Absent for a tour without categories of its own where it follows
   * from the rule of the first category: a percentage changes each category, and money the first one alone.
   */
  rule?: PriceBreakdownRule | null;
}

/** Returns the price calculation that was stored with the booking, and adds the price of each category of its party. */
export function priceBreakdown(lead: BookingLead): PriceBreakdown {
  const { party, categories, prices, currencyDigits } = lead;
  const first = firstCategory(categories).code;
  const platform = lead.platformPrices[first];
  // Lists the fields in this order, because jsonb does not keep the order of the stored calculation.
  const { converted_from, rate, rate_date, deposit_percent } = lead.priceBreakdown;
  return {
    platform_unit_price: platform === undefined ? undefined : toMajor(platform, currencyDigits),
    // These three are undefined, and so absent, for a tenant without a selling currency.
    converted_from,
    rate,
    rate_date,
    unit_price: toMajor(firstPrice(prices, categories), currencyDigits),
    ...namedNumbers(party),
    categories: priceByCategory(party, prices, currencyDigits).map((priced) =>
      impliesRules(lead) ? priced : { ...priced, rule: storedRuleOf(lead, priced.category) },
    ),
    deposit_percent: deposit_percent!,
    rule: storedRuleOf(lead, first),
  };
}

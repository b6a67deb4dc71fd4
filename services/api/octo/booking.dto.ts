import { createHash } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import type { BookingLead } from '../bookings/booking-lead';
import { BOOKING_STATUSES } from '../bookings/booking-status';
import { HOLD_STATUSES } from '../holds/hold-status';
import {
  customerOfContact,
  type OctoBookingStatus,
  type OctoContact,
  type StoredUnitItem,
} from '../holds/octo-booking';
import type { PreferredLanguages } from '../catalog/tour-text';
import type { Party } from '../parties/party-rules';
import type { Tenant } from '../tenants/tenant';
import { instantIn, localTimeIn, type ToLocalTime } from '../catalog/local-time';
import { pickupTime } from '../pickups/pickup-time';
import { type OctoAvailability, toAvailability } from './availability.dto';
import { type BookedPrices, bookedPrices } from './booked-prices';
import { customerOf } from './booking.request';
import type { OctoCapability } from './capabilities';
import {
  lockedPolicy,
  lockedUnits,
  type ShownOctoBooking,
  stands,
  unitsOfBooking,
} from './stored-octo-booking';
import { type OctoBookedPickup, toBookedPickup } from './pickup.dto';
import type { OctoPricing } from './pricing.dto';
import { cancellationTerms, type OctoOption, type OctoProduct, OPTION_ID, toProduct } from './product.dto';
import { type OctoUnit, toUnit } from './unit.dto';

/** @example {"fullName": "Ana Lima", "firstName": null, "lastName": null, "emailAddress": "ana@example.com", "phoneNumber": null, "locales": [], "postalCode": null, "country": null, "notes": null} */
export interface OctoContactAnswer {
  fullName: string | null;
  firstName: string | null;
  lastName: string | null;
  emailAddress: string | null;
  phoneNumber: string | null;
  locales: string[];
  postalCode: string | null;
  country: string | null;
  notes: string | null;
}

/** @example {"redemptionMethod": "MANIFEST", "utcRedeemedAt": null, "deliveryOptions": [{"deliveryFormat": "QRCODE", "deliveryValue": "ACME-1042"}]} */
export interface OctoVoucher {
  redemptionMethod: 'MANIFEST';
  utcRedeemedAt: string | null;
  /** The booking reference, once there is one. */
  deliveryOptions: { deliveryFormat: 'QRCODE'; deliveryValue: string }[];
}

/** @example {"uuid": "5f0f3c7e-9d59-4f0c-8a3f-5a8c3a1d2b10", "resellerReference": "T-1", "supplierReference": null, "unitId": "adult", "unit": {"id": "adult", "internalName": "Adult", "reference": "adult", "type": "ADULT", "requiredContactFields": [], "restrictions": {"minAge": 18, "maxAge": 99, "idRequired": false, "minQuantity": null, "maxQuantity": null, "paxCount": 1, "accompaniedBy": []}}, "status": "CONFIRMED", "utcRedeemedAt": null, "contact": {"fullName": null, "firstName": null, "lastName": null, "emailAddress": null, "phoneNumber": null, "locales": [], "postalCode": null, "country": null, "notes": null}, "ticket": null} */
export interface OctoUnitItem {
  uuid: string;
  resellerReference: string | null;
  /** Always null. */
  supplierReference: string | null;
  unitId: string;
  unit: OctoUnit;
  /** The status of the booking. */
  status: OctoBookingStatus;
  /** Always null. */
  utcRedeemedAt: string | null;
  contact: OctoContactAnswer;
  /** Always null: the booking has a voucher. */
  ticket: string | null;
  /** With `octo/pricing`. */
  pricing?: OctoPricing;
}

type OctoRefund = 'FULL' | 'PARTIAL' | 'NONE';

/** @example {"refund": "FULL", "reason": "The customer is ill.", "utcCancelledAt": "2027-02-01T09:30:00.000Z"} */
export interface OctoCancellation {
  /** The share of the price that the cancellation refunds: all, a part, or nothing. NONE also if nothing was paid, and for `Not stated`. */
  refund: OctoRefund;
  reason: string | null;
  utcCancelledAt: string;
}

export interface OctoBooking extends OctoBookedPickup {
  /**
   * The same as `uuid`.
   * @example "0d3c1b52-6f0a-4a3e-9d4e-0f1f3f6f7a11"
   */
  id: string;
  /** @example "0d3c1b52-6f0a-4a3e-9d4e-0f1f3f6f7a11" */
  uuid: string;
  /**
   * True for a sandbox tenant: the booking takes no real seat.
   * @example false
   */
  testMode: boolean;
  /** @example "R-81" */
  resellerReference: string | null;
  /**
   * The booking reference; null before the confirmation.
   * @example "ACME-1042"
   */
  supplierReference: string | null;
  status: OctoBookingStatus;
  /** @example "2027-01-12T09:30:00.000Z" */
  utcCreatedAt: string;
  /** @example "2027-01-12T09:41:00.000Z" */
  utcUpdatedAt: string;
  /**
   * The end of the hold, no later than `utcCutoffAt`, or when an unpaid booking expires; null for a confirmed or cancelled booking.
   * @example null
   */
  utcExpiresAt: string | null;
  /**
   * Always null.
   * @example null
   */
  utcRedeemedAt: string | null;
  /** @example "2027-01-12T09:41:00.000Z" */
  utcConfirmedAt: string | null;
  /**
   * UUID of the tour.
   * @example "6b1f9b6e-2f2c-4c1e-9a35-7d0c5a1f4e21"
   */
  productId: string;
  product: OctoProduct;
  /** @example "DEFAULT" */
  optionId: string;
  option: OctoOption;
  /**
   * True until the departure has started or, if it has no start time, its date has ended; false for a cancelled or expired booking.
   * @example true
   */
  cancellable: boolean;
  cancellation: OctoCancellation | null;
  /** @example false */
  freesale: boolean;
  /**
   * UUID of the departure.
   * @example "c1a7a6de-5b0f-4f0a-9f0e-3b6f4d2f8a11"
   */
  availabilityId: string;
  availability: OctoAvailability;
  contact: OctoContactAnswer;
  /** @example "Two bicycles" */
  notes: string | null;
  /** @example ["VOUCHER"] */
  deliveryMethods: 'VOUCHER'[];
  voucher: OctoVoucher;
  unitItems: OctoUnitItem[];
  /** With `octo/pricing`. */
  pricing?: OctoPricing;
}

/** The values of a request on which the answer of a booking depends. */
export interface BookingView {
  tenant: Tenant;
  capabilities: OctoCapability[];
  /** Address of this installation, for pictures that it serves itself. */
  baseUrl: string;
  /** The languages of the tour's texts, for octo/content. Undefined: the tour's own language. */
  preferred: PreferredLanguages | undefined;
}

/** Builds the parts that are the same in all bookings of a tour or of a departure. */
interface SharedParts {
  productOf(state: ShownOctoBooking): OctoProduct;
  availabilityOf(state: ShownOctoBooking): OctoAvailability;
}

/** Returns a hold or lead as OCTO's booking. @param parts one object for all bookings of a list */
export function toOctoBooking(
  state: ShownOctoBooking,
  view: BookingView,
  parts: SharedParts = createSharedParts(view),
): OctoBooking {
  const { octo, hold, lead, tour } = state;
  const { tenant, capabilities } = view;
  const { octo: status } = lead ? BOOKING_STATUSES[lead.status] : HOLD_STATUSES[hold.status];
  const prices = bookedPrices(state);
  const isPriced = capabilities.includes('octo/pricing');
  const units = bookedUnits(state, view, prices);
  const product = asBooked(parts.productOf(state), {
    units: [...units.values()],
    currency: prices.total.currency,
    terms: cancellationTerms(lockedPolicy(state)),
  });
  const availability = parts.availabilityOf(state);
  return {
    id: octo.uuid,
    uuid: octo.uuid,
    testMode: tenant.sandbox,
    resellerReference: (lead ?? hold).externalRef,
    supplierReference: lead?.bookingRef ?? null,
    status,
    ...instantsOf(state, status),
    productId: tour.id,
    product,
    optionId: OPTION_ID,
    option: product.options[0]!,
    cancellable: stands(state) && !state.departure.departure.past,
    cancellation: cancellationOf(state, status),
    freesale: false,
    availabilityId: availability.id,
    availability,
    contact: contactOf(state, tenant),
    notes: (lead ?? octo).notes,
    deliveryMethods: ['VOUCHER'],
    voucher: {
      redemptionMethod: 'MANIFEST',
      utcRedeemedAt: null,
      deliveryOptions: lead ? [{ deliveryFormat: 'QRCODE', deliveryValue: lead.bookingRef }] : [],
    },
    unitItems: itemsOf(octo.uuid, octo.unitItems, unitsOfBooking(state)).map((item) => ({
      ...toUnitItem(item, units.get(item.unitId)!, status),
      ...(isPriced && { pricing: prices.units[item.unitId] }),
    })),
    ...(isPriced && { pricing: prices.total }),
    ...(capabilities.includes('octo/pickups') && bookedPickup(state)),
  };
}

/** Returns the pickup of a booking, at the time that the operator has set or that its departure gives. */
function bookedPickup({ octo, lead, tour, departure }: ShownOctoBooking): OctoBookedPickup {
  const chosen = lead ? (lead.asked?.pickup?.chosen ?? null) : (octo.pickup?.chosen ?? null);
  const { departureDate, startTime: departureTime } = departure.departure;
  const toLocalTime = localTimeIn(tour.timeZone);
  const at = chosen && pickupTime(chosen, { departureDate, departureTime }, tour.timeZone, toLocalTime).at;
  const localDateTime = at && instantIn(tour.timeZone)(at.getTime());
  return toBookedPickup({ reserved: octo.pickup, chosen, offered: tour.pickup, localDateTime });
}

/** Creates the SharedParts of one answer. Each part is built once, because a list may show one departure a thousand times. */
export function createSharedParts(view: BookingView): SharedParts {
  const products = new Map<string, OctoProduct>();
  const availabilities = new Map<string, OctoAvailability>();
  const localTimes = new Map<string, ToLocalTime>();
  return {
    productOf: ({ tour, shown, quote }) =>
      getOrMake(products, tour.id, () => toProduct(tour, { ...view, quote }, shown)),
    availabilityOf: ({ tour, departure }) =>
      getOrMake(availabilities, departure.departure.id, () => {
        const toLocalTime = getOrMake(localTimes, tour.timeZone, () => localTimeIn(tour.timeZone));
        return toAvailability(tour, departure, view, toLocalTime);
      }),
  };
}

function getOrMake<V>(made: Map<string, V>, key: string, make: () => V): V {
  const known = made.get(key);
  if (known !== undefined) return known;
  const value = make();
  made.set(key, value);
  return value;
}

function instantsOf(state: ShownOctoBooking, status: OctoBookingStatus) {
  const { hold, lead } = state;
  const expiresAt = lead ? lead.paymentDueAt : hold.expiresAt;
  const isFinal = status === 'CONFIRMED' || status === 'CANCELLED';
  return {
    utcCreatedAt: hold.createdAt.toISOString(),
    utcUpdatedAt: lastChangeOf(state).toISOString(),
    utcExpiresAt: isFinal ? null : (expiresAt?.toISOString() ?? null),
    utcRedeemedAt: null,
    utcConfirmedAt: lead?.confirmedAt?.toISOString() ?? null,
  };
}

function lastChangeOf({ octo, hold, lead }: ShownOctoBooking): Date {
  const changes = [octo.updatedAt, hold.endedAt, lead?.updatedAt].filter((at) => at != null);
  return new Date(Math.max(...changes.map((at) => new Date(at).getTime())));
}

function cancellationOf(
  { octo, hold, lead }: ShownOctoBooking,
  status: OctoBookingStatus,
): OctoCancellation | null {
  if (status !== 'CANCELLED' && status !== 'EXPIRED') return null;
  const ended = lead
    ? (lead.cancelledAt ?? lead.expiredAt ?? lead.paymentDueAt)
    : (hold.endedAt ?? hold.expiresAt);
  return {
    refund: refundOf(lead),
    reason: status === 'EXPIRED' ? null : (lead ?? octo).cancelReason,
    utcCancelledAt: ended!.toISOString(),
  };
}

function refundOf(lead: BookingLead | null): OctoRefund {
  const percent = lead?.refund?.percent ?? 0;
  if (percent === 0) return 'NONE';
  return percent === 100 ? 'FULL' : 'PARTIAL';
}

export const NO_CONTACT: OctoContactAnswer = {
  fullName: null,
  firstName: null,
  lastName: null,
  emailAddress: null,
  phoneNumber: null,
  locales: [],
  postalCode: null,
  country: null,
  notes: null,
};

function toContact(contact: OctoContact): OctoContactAnswer {
  return { ...NO_CONTACT, ...contact };
}

/** Returns the contact as the client sent it. If REST has changed the customer since, uses the customer's name, phone and email instead. */
function contactOf({ octo, hold, lead }: ShownOctoBooking, tenant: Tenant): OctoContactAnswer {
  const customer = (lead ?? hold).customer;
  if (isDeepStrictEqual(customer, customerOf(octo.contact, tenant))) return toContact(octo.contact);
  const sent = customerOfContact(octo.contact);
  const { name, phone, phoneAsSent, email } = customer;
  return {
    ...toContact(octo.contact),
    ...(name !== sent.name && { fullName: name, firstName: null, lastName: null }),
    phoneNumber: phoneAsSent ?? phone,
    emailAddress: email,
  };
}

/** Returns the unit items as the client sent them. If REST has changed the units since, adds items or leaves out the last ones. */
function itemsOf(uuid: string, sent: StoredUnitItem[], units: Party): StoredUnitItem[] {
  const left = new Map(Object.entries(units));
  const known = sent.filter(({ unitId }) => {
    const free = left.get(unitId) ?? 0;
    left.set(unitId, free - 1);
    return free > 0;
  });
  const added = Object.keys(units).flatMap((unitId) =>
    Array.from({ length: Math.max(left.get(unitId)!, 0) }, (_, index) => ({
      uuid: derivedUuid(`${uuid} ${unitId} ${index}`),
      unitId,
      resellerReference: null,
      contact: {},
    })),
  );
  return [...known, ...added];
}

/** Returns the same UUID for the same name, as version 8 of RFC 9562. */
function derivedUuid(name: string): string {
  const hex = createHash('sha256').update(name).digest('hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}

function toUnitItem(
  { uuid, unitId, resellerReference, contact }: StoredUnitItem,
  unit: OctoUnit,
  status: OctoBookingStatus,
): OctoUnitItem {
  return {
    uuid,
    resellerReference,
    supplierReference: null,
    unitId,
    unit,
    status,
    utcRedeemedAt: null,
    contact: toContact(contact),
    ticket: null,
  };
}

/** Returns the units that the booking has locked, by id. With octo/pricing, each has its locked price. */
function bookedUnits(
  state: ShownOctoBooking,
  { capabilities }: BookingView,
  prices: BookedPrices,
): Map<string, OctoUnit> {
  const { tour, shown } = state;
  const isPriced = capabilities.includes('octo/pricing');
  return new Map(
    lockedUnits(state).map((category) => {
      const pricing = isPriced ? [prices.units[category.code]!] : undefined;
      return [category.code, toUnit(category, { capabilities, tour, shown }, { pricing })];
    }),
  );
}

/** The parts of a product that a booking keeps, although the tenant may sell the product with others now. */
interface BookedParts {
  units: OctoUnit[];
  currency: string;
  terms: ReturnType<typeof cancellationTerms>;
}

/** Shows the product with the parts that the booking keeps. */
function asBooked(product: OctoProduct, { units, currency, terms }: BookedParts): OctoProduct {
  return {
    ...product,
    // Without octo/pricing, a product has no currency.
    ...(product.defaultCurrency && { defaultCurrency: currency, availableCurrencies: [currency] }),
    options: product.options.map((option) => ({ ...option, ...terms, units })),
  };
}

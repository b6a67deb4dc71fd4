import { createHash } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import type { BookingStatus } from '../bookings/booking-lead';
import { customerOfContact, type OctoContact, type StoredUnitItem } from '../holds/octo-booking';
import type { HoldStatus } from '../holds/seat-hold';
import { type Party, totalOf } from '../pricing/party';
import type { Prices } from '../pricing/prices';
import { toAvailability } from './availability';
import type { OctoAvailability } from './availability.dto';
import type {
  OctoBooking,
  OctoBookingStatus,
  OctoCancellation,
  OctoContactAnswer,
  OctoUnitItem,
} from './booking.dto';
import { customerOf } from './booking.request';
import type { OctoCapability } from './capabilities';
import { localTimeIn, type ToLocalTime } from './local-time';
import { partyOf, type ShownState } from './octo-state';
import { OCTO_UNIT_IDS, toPricing } from './pricing';
import { OPTION_ID, toProduct, toUnit } from './product';
import type { OctoPricing, OctoProduct, OctoUnit, OctoUnitId } from './product.dto';
import type { Tenant } from '../tenants/tenant';

/** How bookings become answers. */
export interface BookingView {
  tenant: Tenant;
  capabilities: OctoCapability[];
  /** Address of this installation, for pictures that it serves itself. */
  baseUrl: string;
}

const OF_HOLD: Record<HoldStatus, OctoBookingStatus> = {
  active: 'ON_HOLD',
  released: 'CANCELLED',
  expired: 'EXPIRED',
  converted: 'CONFIRMED',
};
const OF_LEAD: Record<BookingStatus, OctoBookingStatus> = {
  pending_payment: 'PENDING',
  confirmed: 'CONFIRMED',
  cancelled: 'CANCELLED',
  expired: 'EXPIRED',
};

/** The parts that all bookings of a tour or a departure show alike. */
interface SharedParts {
  productOf(state: ShownState): BookedProduct;
  availabilityOf(state: ShownState): OctoAvailability;
}

interface BookedProduct {
  product: OctoProduct;
  units: Record<OctoUnitId, OctoUnit>;
}

/** Returns a hold or lead as OCTO's booking (CONTRACT section 9, Bookings). @param parts those of the list of which the booking is one */
export function toOctoBooking(
  state: ShownState,
  view: BookingView,
  parts: SharedParts = createSharedParts(view),
): OctoBooking {
  const { octo, hold, lead, tour } = state;
  const { tenant, capabilities } = view;
  const status = lead ? OF_LEAD[lead.status] : OF_HOLD[hold.status];
  const prices = pricesOf(state);
  const isPriced = capabilities.includes('octo/pricing');
  const toBooked = (unit: OctoUnit) => (isPriced ? withBookedPrice(unit, prices) : unit);
  const shared = parts.productOf(state);
  const product = withUnits(shared.product, toBooked);
  const availability = parts.availabilityOf(state);
  return {
    id: octo.uuid,
    uuid: octo.uuid,
    testMode: tenant.sandbox,
    resellerReference: lead ? lead.externalRef : hold.externalRef,
    supplierReference: lead?.bookingRef ?? null,
    status,
    ...instantsOf(state, status),
    productId: tour.id,
    product,
    optionId: OPTION_ID,
    option: product.options[0]!,
    cancellable: status !== 'CANCELLED' && status !== 'EXPIRED',
    cancellation: cancellationOf(state, status),
    freesale: false,
    availabilityId: availability.id,
    availability,
    contact: contactOf(state, tenant),
    notes: lead ? lead.notes : octo.notes,
    deliveryMethods: ['VOUCHER'],
    voucher: {
      redemptionMethod: 'MANIFEST',
      utcRedeemedAt: null,
      deliveryOptions: lead ? [{ deliveryFormat: 'QRCODE', deliveryValue: lead.bookingRef }] : [],
    },
    unitItems: itemsOf(octo.uuid, octo.unitItems, partyOf(state)).map((item) => ({
      ...toUnitItem(item, toBooked(shared.units[item.unitId]), status),
      ...(isPriced && { pricing: prices.units[item.unitId] }),
    })),
    ...(isPriced && { pricing: prices.total }),
  };
}

/** Creates the parts of one answer. Each is built once, because a list may show one departure a thousand times. */
export function createSharedParts(view: BookingView): SharedParts {
  const products = new Map<string, BookedProduct>();
  const availabilities = new Map<string, OctoAvailability>();
  const localTimes = new Map<string, ToLocalTime>();
  return {
    productOf: ({ tour, quote }) =>
      getOrMake(products, tour.id, () => {
        const productView = { ...view, quote };
        const units = {
          adult: toUnit('adult', tour, productView),
          child: toUnit('child', tour, productView),
        };
        return { product: toProduct(tour, productView), units };
      }),
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

function instantsOf(state: ShownState, status: OctoBookingStatus) {
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

function lastChangeOf({ octo, hold, lead }: ShownState): Date {
  const changes = [octo.updatedAt, hold.endedAt, lead?.updatedAt].filter((at) => at != null);
  return new Date(Math.max(...changes.map((at) => new Date(at).getTime())));
}

function cancellationOf(
  { octo, hold, lead }: ShownState,
  status: OctoBookingStatus,
): OctoCancellation | null {
  if (status !== 'CANCELLED' && status !== 'EXPIRED') return null;
  const ended = lead
    ? (lead.cancelledAt ?? lead.expiredAt ?? lead.paymentDueAt)
    : (hold.endedAt ?? hold.expiresAt);
  const reason = status === 'EXPIRED' ? null : lead ? lead.cancelReason : octo.cancelReason;
  return { refund: 'NONE', reason, utcCancelledAt: ended!.toISOString() };
}

const NO_CONTACT: OctoContactAnswer = {
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

/** Returns the contact as sent; a customer whom REST has changed since replaces it. */
function contactOf({ octo, hold, lead }: ShownState, tenant: Tenant): OctoContactAnswer {
  const customer = (lead ?? hold).customer;
  if (isDeepStrictEqual(customer, customerOf(octo.contact, tenant))) return toContact(octo.contact);
  const sent = customerOfContact(octo.contact);
  const { name, phone, email } = customer;
  return {
    ...toContact(octo.contact),
    ...(name !== sent.name && { fullName: name, firstName: null, lastName: null }),
    phoneNumber: phone,
    emailAddress: email,
  };
}

/** Returns the unit items as sent; for seats that REST has added or removed since, adds items or leaves out the last ones. */
function itemsOf(uuid: string, sent: StoredUnitItem[], party: Party): StoredUnitItem[] {
  const left = { ...party };
  const known = sent.filter(({ unitId }) => left[unitId]-- > 0);
  const added = OCTO_UNIT_IDS.flatMap((unitId) =>
    Array.from({ length: Math.max(left[unitId], 0) }, (_, index) => ({
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

interface BookedPrices {
  units: Record<OctoUnitId, OctoPricing>;
  total: OctoPricing;
}

/** Returns the locked prices; `net` is the platform's price at the time of the lock. */
function pricesOf(state: ShownState): BookedPrices {
  const { prices, currency, currencyDigits, priceBreakdown } = state.lead ?? state.hold;
  const { platform_unit_price, platform_child_price } = priceBreakdown as Record<string, number | undefined>;
  const toMinor = (major: number) => Math.round(major * 10 ** currencyDigits);
  const platform: Prices = {
    ...state.departure.departure.prices,
    ...(platform_unit_price !== undefined && { adult: toMinor(platform_unit_price) }),
    ...(platform_child_price !== undefined && { child: toMinor(platform_child_price) }),
  };
  const pricing = (net: number, retail: number) => toPricing({ currency, currencyDigits }, { net, retail });
  const party = partyOf(state);
  return {
    units: {
      adult: pricing(platform.adult, prices.adult),
      child: pricing(platform.child ?? prices.child ?? 0, prices.child ?? 0),
    },
    total: pricing(totalOf(party, platform), totalOf(party, prices)),
  };
}

function withUnits(product: OctoProduct, toUnit: (unit: OctoUnit) => OctoUnit): OctoProduct {
  return {
    ...product,
    options: product.options.map((option) => ({ ...option, units: option.units.map(toUnit) })),
  };
}

/** Replaces the lowest prices of a unit by the one of the booking. */
function withBookedPrice({ pricingFrom: _, ...unit }: OctoUnit, { units }: BookedPrices): OctoUnit {
  return { ...unit, pricing: [units[unit.id]] };
}

import {
  availability,
  type Capability,
  DAY_MS,
  localInstant,
  type ModelDeparture,
  type ModelParty,
  type ModelTour,
  pricing,
  product,
  retailOf,
  unit,
  unitsOf,
} from './model';

export type ModelStatus = 'ON_HOLD' | 'CONFIRMED' | 'CANCELLED';

/** A booking as the client has sent it, with the effects of the platform. */
export interface ModelBooking {
  uuid: string;
  departure: ModelDeparture;
  party: ModelParty;
  /** The unit items as sent. */
  unitItems: { uuid: string; unitId: string }[];
  status: ModelStatus;
  /** The reference of a confirmed booking. */
  bookingRef: string | null;
}

const INSTANT = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
const NO_CONTACT = {
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

/** @param locked the tour as it was when the booking locked its prices and categories */
export function booking(tour: ModelTour, locked: ModelTour, sold: ModelBooking, capabilities: Capability[]) {
  const { uuid, departure, party, unitItems, status, bookingRef } = sold;
  const isPriced = capabilities.includes('octo/pricing');
  const { prices } = locked.departures.find(({ id }) => id === departure.id)!;
  const priceOf = (code: string) => pricing(locked, prices[code]!, retailOf(locked, code, prices[code]!));
  const units = unitsOf(locked.categories)
    .filter(({ code }) => prices[code] !== undefined)
    .map((category) => unit(category, capabilities, { pricing: [priceOf(category.code)] }));
  const shown = product(tour, capabilities, units);
  const totals = Object.entries(party).map(([code, number]) => ({ ...priceOf(code), number }));
  const total = (field: 'net' | 'retail') => totals.reduce((sum, one) => sum + one.number * one[field], 0);
  return {
    id: uuid,
    uuid,
    testMode: false,
    resellerReference: null,
    supplierReference: bookingRef,
    status,
    utcCreatedAt: INSTANT,
    utcUpdatedAt: INSTANT,
    utcExpiresAt: status === 'ON_HOLD' ? INSTANT : null,
    utcRedeemedAt: null,
    utcConfirmedAt: bookingRef === null ? null : INSTANT,
    productId: tour.id,
    product: shown,
    optionId: 'DEFAULT',
    option: shown.options[0],
    cancellable: status !== 'CANCELLED',
    cancellation:
      status === 'CANCELLED'
        ? { refund: refundOf(locked, sold), reason: null, utcCancelledAt: INSTANT }
        : null,
    freesale: false,
    availabilityId: departure.id,
    availability: availability(tour, departure, capabilities),
    contact: NO_CONTACT,
    notes: null,
    deliveryMethods: ['VOUCHER'],
    voucher: {
      redemptionMethod: 'MANIFEST',
      utcRedeemedAt: null,
      deliveryOptions: bookingRef === null ? [] : [{ deliveryFormat: 'QRCODE', deliveryValue: bookingRef }],
    },
    unitItems: unitItems.map((item) => ({
      ...item,
      resellerReference: null,
      supplierReference: null,
      unit: units.find(({ id }) => id === item.unitId),
      status,
      utcRedeemedAt: null,
      contact: NO_CONTACT,
      ticket: null,
      ...(isPriced && { pricing: priceOf(item.unitId) }),
    })),
    ...(isPriced && { pricing: pricing(locked, total('net'), total('retail')) }),
  };
}

const UNIT_MS = { m: 60_000, h: 3_600_000, d: DAY_MS };

/** Returns how much a cancellation now refunds of a confirmed booking. */
function refundOf(tour: ModelTour, { departure, bookingRef }: ModelBooking): string {
  if (bookingRef === null || tour.tiers === null) return 'NONE';
  const left = Date.parse(localInstant(tour, departure.date, `${departure.time ?? '00:00'}:00`)) - Date.now();
  const length = (until: string) =>
    Number.parseInt(until, 10) * UNIT_MS[until.at(-1) as keyof typeof UNIT_MS];
  const percent = tour.tiers.find(({ until }) => left > length(until))?.refund_percent ?? 0;
  if (percent === 0) return 'NONE';
  return percent === 100 ? 'FULL' : 'PARTIAL';
}

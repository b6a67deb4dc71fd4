import type { Tour } from '../catalog/tour';
import type { Quoter } from '../pricing/quote-tenant-price';
import type { OctoCapability } from './capabilities';
import { toProductContent, UNIT_CONTENT } from './content';
import { lowestPrice, OCTO_UNIT_IDS, toPricing } from './pricing';
import type { OctoOption, OctoProduct, OctoUnit, OctoUnitId } from './product.dto';

/** The id of the only option of each product. */
export const OPTION_ID = 'DEFAULT';

/** The most units of a booking of any tour, as for holds and bookings over REST. */
const UNITS_MAX = 50;

/** How a tour becomes a product. */
export interface ProductView {
  quote: Quoter;
  capabilities: OctoCapability[];
  /** Address of this installation, for pictures that it serves itself. */
  baseUrl: string;
}

/** Returns a tour as OCTO's product (CONTRACT section 9, Products). */
export function toProduct(tour: Tour, view: ProductView): OctoProduct {
  const { capabilities, baseUrl } = view;
  const { currency } = tour;
  const isPriced = capabilities.includes('octo/pricing');
  return {
    id: tour.id,
    internalName: tour.name,
    reference: tour.slug,
    locale: 'en',
    timeZone: tour.timeZone,
    allowFreesale: false,
    instantConfirmation: true,
    instantDelivery: true,
    availabilityRequired: true,
    availabilityType: tour.startTime === null ? 'OPENING_HOURS' : 'START_TIME',
    deliveryFormats: ['QRCODE'],
    deliveryMethods: ['VOUCHER'],
    redemptionMethod: 'MANIFEST',
    options: [toOption(tour, view)],
    ...(isPriced && { defaultCurrency: currency, availableCurrencies: [currency], pricingPer: 'UNIT' }),
    ...(capabilities.includes('octo/content') && toProductContent(tour, baseUrl)),
  };
}

/** Returns the only option of the tour's product. */
function toOption(tour: Tour, view: ProductView): OctoOption {
  return {
    id: OPTION_ID,
    default: true,
    internalName: 'Default',
    reference: null,
    availabilityLocalStartTimes: tour.startTime === null ? [] : [tour.startTime],
    cancellationCutoff: '0 hours',
    cancellationCutoffAmount: 0,
    cancellationCutoffUnit: 'hour',
    requiredContactFields: [],
    restrictions: { minUnits: 1, maxUnits: maxUnits(tour) },
    units: unitsOf(tour).map((id) => toUnit(id, tour, view)),
  };
}

/** Returns the most units of one booking of the tour. */
export function maxUnits({ groupSizeMax }: Pick<Tour, 'groupSizeMax'>): number {
  return Math.min(UNITS_MAX, groupSizeMax ?? UNITS_MAX);
}

/** Returns the units of the tour's product: adults, and children where an open date has a price for them. */
export function unitsOf({ lowestPrices }: Pick<Tour, 'lowestPrices'>): OctoUnitId[] {
  const hasChild = lowestPrices.some(({ child }) => child !== null);
  return OCTO_UNIT_IDS.filter((unit) => unit === 'adult' || hasChild);
}

const UNITS = {
  adult: { internalName: 'Adult', type: 'ADULT', minAge: 18, maxAge: 99 },
  child: { internalName: 'Child', type: 'CHILD', minAge: 0, maxAge: 17 },
} as const;

/** Returns a unit of the tour's product, with the lowest price of the open dates. */
export function toUnit(id: OctoUnitId, tour: Tour, { quote, capabilities }: ProductView): OctoUnit {
  const { internalName, type, minAge, maxAge } = UNITS[id];
  const price = capabilities.includes('octo/pricing') ? lowestPrice(tour, quote, id) : undefined;
  return {
    id,
    internalName,
    reference: id,
    type,
    requiredContactFields: [],
    restrictions: {
      minAge,
      maxAge,
      idRequired: false,
      minQuantity: null,
      maxQuantity: null,
      paxCount: 1,
      accompaniedBy: [],
    },
    ...(price && { pricingFrom: [toPricing(tour, price)] }),
    ...(capabilities.includes('octo/content') && UNIT_CONTENT[id]),
  };
}

import { type CancellationPolicy, fullRefundTier } from '../catalog/cancellation-policy';
import { type CutoffUnit, partsOf } from '../catalog/cutoff';
import type { Tour } from '../catalog/tour';
import type { Quoter } from '../pricing/quote-tenant-price';
import { sellingCurrencyOf } from '../pricing/selling-currency';
import type { Tenant } from '../tenants/tenant';
import type { OctoCapability } from './capabilities';
import {
  type OctoCommentary,
  type OctoFeature,
  type OctoLocation,
  type OctoMedia,
  toProductContent,
} from './content.dto';
import { lowestPrice, toPricing } from './pricing.dto';
import { type OctoPickupOffer, toPickupOffer } from './pickup.dto';
import { soldUnits } from './sold-units';
import { type OctoUnit, toUnit } from './unit.dto';

/** @example {"minUnits": 1, "maxUnits": 16} */
export interface OctoOptionRestrictions {
  /** @isInt */
  minUnits: number;
  /** @isInt */
  maxUnits: number;
}

/** The only option of a product. */
export interface OctoOption extends OctoPickupOffer {
  /** @example "DEFAULT" */
  id: 'DEFAULT';
  /** @example true */
  default: boolean;
  /** @example "Default" */
  internalName: string;
  /** @example null */
  reference: string | null;
  /**
   * The start times of the tour and of the departures that can be booked; empty if there are none.
   * @example ["09:30", "14:30"]
   */
  availabilityLocalStartTimes: string[];
  /**
   * Until so long before the start, a cancellation refunds in full. `Never refunded in full` and `Never refunded` come with 365 days,
   * `Not stated` comes with 0 hours.
   * @example "30 days"
   */
  cancellationCutoff: string;
  /**
   * @isInt
   * @example 30
   */
  cancellationCutoffAmount: number;
  /** @example "day" */
  cancellationCutoffUnit: 'minute' | 'hour' | 'day';
  /** @example [] */
  requiredContactFields: string[];
  restrictions: OctoOptionRestrictions;
  units: OctoUnit[];
}

export interface OctoProduct {
  /**
   * UUID of the tour.
   * @example "6b1f9b6e-2f2c-4c1e-9a35-7d0c5a1f4e21"
   */
  id: string;
  /** @example "Ha Long Bay Cruise" */
  internalName: string;
  /**
   * Slug of the tour.
   * @example "ha-long-bay-cruise"
   */
  reference: string;
  /**
   * The language of the tour's own texts.
   * @example "en"
   */
  locale: string;
  /**
   * IANA name.
   * @example "Asia/Ho_Chi_Minh"
   */
  timeZone: string;
  /** @example false */
  allowFreesale: boolean;
  /** @example true */
  instantConfirmation: boolean;
  /** @example true */
  instantDelivery: boolean;
  /** @example true */
  availabilityRequired: boolean;
  /**
   * START_TIME if the tour, or a departure that can be booked, has a start time.
   * @example "START_TIME"
   */
  availabilityType: 'START_TIME' | 'OPENING_HOURS';
  /** @example ["QRCODE"] */
  deliveryFormats: 'QRCODE'[];
  /** @example ["VOUCHER"] */
  deliveryMethods: 'VOUCHER'[];
  /** @example "MANIFEST" */
  redemptionMethod: 'MANIFEST';
  options: OctoOption[];
  /**
   * With `octo/pricing`: ISO 4217.
   * @example "EUR"
   */
  defaultCurrency?: string;
  /**
   * With `octo/pricing`.
   * @example ["EUR"]
   */
  availableCurrencies?: string[];
  /**
   * With `octo/pricing`.
   * @example "UNIT"
   */
  pricingPer?: 'UNIT';
  /**
   * With `octo/content`: the name.
   * @example "Ha Long Bay Cruise"
   */
  title?: string;
  /**
   * With `octo/content`.
   * @example "Overnight among limestone islands"
   */
  shortDescription?: string | null;
  /**
   * With `octo/content`: plain text with line breaks.
   * @example "Three days between limestone islands."
   */
  description?: string | null;
  /** With `octo/content`: inclusions, exclusions, the itinerary day by day, the cancellation policy. */
  features?: OctoFeature[];
  /**
   * With `octo/content`: always empty.
   * @example []
   */
  faqs?: string[];
  /** With `octo/content`: the pictures that are JPEG or PNG. */
  media?: OctoMedia[];
  /** With `octo/content`: the start and the end, if their coordinates are known. */
  locations?: OctoLocation[];
  /**
   * With `octo/content`: always empty.
   * @example []
   */
  categoryLabels?: string[];
  /**
   * With `octo/content`: the duration of the tour in minutes, 1,440 for each day.
   * @isInt
   * @example 4320
   */
  durationMinutesFrom?: number;
  /**
   * With `octo/content`: null, because the duration is exact.
   * @example null
   */
  durationMinutesTo?: number | null;
  /** With `octo/content`: the languages of the guides. */
  commentary?: OctoCommentary[];
}

/** The id of the only option of each product. */
export const OPTION_ID = 'DEFAULT';

/** The values of a request on which the answer of a product depends: the tenant, its prices and the capabilities. */
export interface ProductView {
  tenant: Tenant;
  quote: Quoter;
  capabilities: OctoCapability[];
  /** Address of this installation, for pictures that it serves itself. */
  baseUrl: string;
}

/**
 * Returns a tour as OCTO's product. Its only option is `DEFAULT`.
 * @param shown the tour with its texts in the preferred languages, for octo/content
 */
export function toProduct(tour: Tour, view: ProductView, shown: Tour = tour): OctoProduct {
  const { tenant, capabilities, baseUrl } = view;
  const { currency } = sellingCurrencyOf(tenant, tour);
  const isPriced = capabilities.includes('octo/pricing');
  return {
    id: tour.id,
    internalName: tour.name,
    reference: tour.slug,
    locale: tour.language,
    timeZone: tour.timeZone,
    allowFreesale: false,
    instantConfirmation: true,
    instantDelivery: true,
    availabilityRequired: true,
    availabilityType: hasStartTimes(tour) ? 'START_TIME' : 'OPENING_HOURS',
    deliveryFormats: ['QRCODE'],
    deliveryMethods: ['VOUCHER'],
    redemptionMethod: 'MANIFEST',
    options: [toOption(tour, view, shown)],
    ...(isPriced && { defaultCurrency: currency, availableCurrencies: [currency], pricingPer: 'UNIT' }),
    ...(capabilities.includes('octo/content') && toProductContent(shown, baseUrl)),
  };
}

function toOption(tour: Tour, { quote, capabilities }: ProductView, shown: Tour): OctoOption {
  const isPriced = capabilities.includes('octo/pricing');
  return {
    id: OPTION_ID,
    default: true,
    internalName: 'Default',
    reference: null,
    availabilityLocalStartTimes: tour.startTimes,
    ...cancellationTerms(tour.cancellation),
    requiredContactFields: [],
    restrictions: { minUnits: 1, maxUnits: maxUnits(tour) },
    units: soldUnits(tour).map((category) => {
      const price = isPriced ? lowestPrice(tour, quote, category.code) : undefined;
      return toUnit(category, { capabilities, tour, shown }, { pricingFrom: price && [toPricing(price)] });
    }),
    ...toPickupOffer(shown.pickup, capabilities),
  };
}

/** Returns the fields of an option that say until when a cancellation refunds in full. */
export function cancellationTerms(
  policy: CancellationPolicy | null,
): Pick<OctoOption, 'cancellationCutoff' | 'cancellationCutoffAmount' | 'cancellationCutoffUnit'> {
  if (policy === null) return toCutoff({ amount: 0, unit: 'hour' }, 'Not stated');
  const tier = fullRefundTier(policy);
  if (tier) return toCutoff(partsOf(tier.until));
  // Names the longest time, for a reseller that reads the numbers alone.
  const isNever = policy.tiers.every(({ refund_percent }) => refund_percent === 0);
  return toCutoff({ amount: 365, unit: 'day' }, isNever ? 'Never refunded' : 'Never refunded in full');
}

function toCutoff({ amount, unit }: ReturnType<typeof partsOf>, text = spelled(amount, unit)) {
  return { cancellationCutoff: text, cancellationCutoffAmount: amount, cancellationCutoffUnit: unit };
}

function spelled(amount: number, unit: CutoffUnit): string {
  return `${amount} ${unit}${amount === 1 ? '' : 's'}`;
}

export function hasStartTimes({ startTimes }: Pick<Tour, 'startTimes'>): boolean {
  return startTimes.length > 0;
}

/** The most `unitItems` of a request. */
const UNIT_ITEMS_MAX = 50;

/** Returns the most units in one booking of the tour. */
export function maxUnits({ groupSizeMax }: Pick<Tour, 'groupSizeMax'>): number {
  return Math.min(UNIT_ITEMS_MAX, groupSizeMax ?? UNIT_ITEMS_MAX);
}

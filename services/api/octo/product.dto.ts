import type { OctoCommentary, OctoFeature, OctoLocation, OctoMedia } from './content.dto';

/**
 * One price in minor units.
 * @example {"original": 48950, "retail": 48950, "net": 44500, "currency": "EUR", "currencyPrecision": 2, "includedTaxes": []}
 */
export interface OctoPricing {
  /**
   * The price without any discount.
   * @isInt
   */
  original: number;
  /**
   * The price of the tenant's customer.
   * @isInt
   */
  retail: number;
  /**
   * The platform's price.
   * @isInt
   */
  net: number;
  /** ISO 4217. */
  currency: string;
  /**
   * Decimals of the currency: 2 for EUR, 0 for JPY.
   * @isInt
   */
  currencyPrecision: number;
  /** Always empty. */
  includedTaxes: string[];
}

export type OctoUnitId = 'adult' | 'child';

/**
 * The price of one unit in minor units.
 * @example {"unitId": "adult", "original": 48950, "retail": 48950, "net": 44500, "currency": "EUR", "currencyPrecision": 2, "includedTaxes": []}
 */
export interface OctoUnitPricing extends OctoPricing {
  unitId: OctoUnitId;
}

export interface OctoOpeningHours {
  /**
   * Local time.
   * @example "00:00"
   */
  from: string;
  /**
   * Local time.
   * @example "23:59"
   */
  to: string;
}

/** @example {"minAge": 18, "maxAge": 99, "idRequired": false, "minQuantity": null, "maxQuantity": null, "paxCount": 1, "accompaniedBy": []} */
export interface OctoUnitRestrictions {
  minAge: number;
  maxAge: number;
  idRequired: boolean;
  minQuantity: number | null;
  maxQuantity: number | null;
  paxCount: number;
  accompaniedBy: string[];
}

/** @example {"id": "adult", "internalName": "Adult", "reference": "adult", "type": "ADULT", "requiredContactFields": [], "restrictions": {"minAge": 18, "maxAge": 99, "idRequired": false, "minQuantity": null, "maxQuantity": null, "paxCount": 1, "accompaniedBy": []}} */
export interface OctoUnit {
  id: OctoUnitId;
  internalName: string;
  reference: string;
  type: 'ADULT' | 'CHILD';
  requiredContactFields: string[];
  restrictions: OctoUnitRestrictions;
  /** With `octo/content`. */
  title?: string;
  /** With `octo/content`. */
  shortDescription?: string;
  /** With `octo/content`. */
  features?: OctoFeature[];
  /** With `octo/pricing`, in products: the lowest price of the open dates. */
  pricingFrom?: OctoPricing[];
  /** With `octo/pricing`, in bookings. */
  pricing?: OctoPricing[];
}

/** @example {"minUnits": 1, "maxUnits": 16} */
export interface OctoOptionRestrictions {
  /** @isInt */
  minUnits: number;
  /** @isInt */
  maxUnits: number;
}

/** The only option of a product. */
export interface OctoOption {
  /** @example "DEFAULT" */
  id: 'DEFAULT';
  /** @example true */
  default: boolean;
  /** @example "Default" */
  internalName: string;
  /** @example null */
  reference: string | null;
  /**
   * The start time of the tour; empty for a tour without one.
   * @example ["12:00"]
   */
  availabilityLocalStartTimes: string[];
  /** @example "0 hours" */
  cancellationCutoff: string;
  /**
   * @isInt
   * @example 0
   */
  cancellationCutoffAmount: number;
  /** @example "hour" */
  cancellationCutoffUnit: 'hour';
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
  /** @example "en" */
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
   * START_TIME for a tour with a start time.
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
  /** With `octo/content`: the start and the end, where their coordinates are known. */
  locations?: OctoLocation[];
  /**
   * With `octo/content`: always empty.
   * @example []
   */
  categoryLabels?: string[];
  /**
   * With `octo/content`: the days of the tour.
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

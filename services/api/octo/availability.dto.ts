import type { OctoOpeningHours, OctoUnitPricing } from './product.dto';

/** @example {"id": "adult", "quantity": 2} */
export interface OctoUnitQuantity {
  id: string;
  /**
   * @isInt must be a whole number
   * @minimum 0 must be at least 0
   * @maximum 1000 must be at most 1000
   */
  quantity: number;
  [field: string]: unknown;
}

/**
 * @example {"productId": "6b1f9b6e-2f2c-4c1e-9a35-7d0c5a1f4e21", "optionId": "DEFAULT", "localDateStart": "2027-03-01", "localDateEnd": "2027-03-31", "units": [{"id": "adult", "quantity": 2}]}
 */
export interface OctoCalendarBody {
  /** UUID of the tour. */
  productId: string;
  /** Always `DEFAULT`. */
  optionId: string;
  /** The first day, YYYY-MM-DD. */
  localDateStart?: string | null;
  /** The last day, YYYY-MM-DD; at most 366 days. */
  localDateEnd?: string | null;
  /** The wanted units decide `available`. */
  units?: OctoUnitQuantity[] | null;
  /** ISO 4217. The currency of the tour. */
  currency?: string | null;
  [field: string]: unknown;
}

/**
 * Takes a range of days or the ids of availabilities, not both.
 * @example {"productId": "6b1f9b6e-2f2c-4c1e-9a35-7d0c5a1f4e21", "optionId": "DEFAULT", "availabilityIds": ["c1a7a6de-5b0f-4f0a-9f0e-3b6f4d2f8a11"]}
 */
export interface OctoAvailabilityBody {
  /** UUID of the tour. */
  productId: string;
  /** Always `DEFAULT`. */
  optionId: string;
  /** The first day, YYYY-MM-DD. */
  localDateStart?: string | null;
  /** The last day, YYYY-MM-DD; at most 366 days. */
  localDateEnd?: string | null;
  /** At most 366. */
  availabilityIds?: string[] | null;
  /** The wanted units decide `available`. */
  units?: OctoUnitQuantity[] | null;
  /** ISO 4217. The currency of the tour. */
  currency?: string | null;
  [field: string]: unknown;
}

export type OctoAvailabilityStatus = 'AVAILABLE' | 'LIMITED' | 'SOLD_OUT' | 'CLOSED';

export interface OctoCalendarDay {
  /**
   * The date of the departure.
   * @example "2027-03-06"
   */
  localDate: string;
  /**
   * True if the wanted units are free; without units, if one is.
   * @example true
   */
  available: boolean;
  /**
   * LIMITED: fewer than half of the seats are free.
   * @example "LIMITED"
   */
  status: OctoAvailabilityStatus;
  /**
   * Free seats.
   * @isInt
   * @example 7
   */
  vacancies: number;
  /**
   * All seats.
   * @isInt
   * @example 16
   */
  capacity: number;
  /** The whole day, for a tour without a start time; else empty. */
  openingHours: OctoOpeningHours[];
  /** With `octo/pricing`. */
  unitPricingFrom?: OctoUnitPricing[];
}

export interface OctoAvailability {
  /**
   * UUID of the departure.
   * @example "c1a7a6de-5b0f-4f0a-9f0e-3b6f4d2f8a11"
   */
  id: string;
  /** @example "2027-03-06T12:00:00+07:00" */
  localDateTimeStart: string;
  /**
   * The end of the last day.
   * @example "2027-03-08T23:59:59+07:00"
   */
  localDateTimeEnd: string;
  /**
   * True for a tour without a start time.
   * @example false
   */
  allDay: boolean;
  /**
   * True if the wanted units are free; without units, if one is.
   * @example true
   */
  available: boolean;
  /**
   * LIMITED: fewer than half of the seats are free.
   * @example "LIMITED"
   */
  status: OctoAvailabilityStatus;
  /**
   * Free seats.
   * @isInt
   * @example 7
   */
  vacancies: number;
  /**
   * All seats.
   * @isInt
   * @example 16
   */
  capacity: number;
  /**
   * The most units of one booking.
   * @isInt
   * @example 16
   */
  maxUnits: number;
  /**
   * The end of sales.
   * @example "2027-03-04T12:00:00Z"
   */
  utcCutoffAt: string;
  /** The whole day, for a tour without a start time; else empty. */
  openingHours: OctoOpeningHours[];
  /** With `octo/pricing`. */
  unitPricing?: OctoUnitPricing[];
}

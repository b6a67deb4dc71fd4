import type { OctoAvailability } from './availability.dto';
import type { OctoOption, OctoPricing, OctoProduct, OctoUnit, OctoUnitId } from './product.dto';

/**
 * The person who travels or books. All fields are optional, are kept as sent, and are personal data.
 * @example {"fullName": "Ana Lima", "emailAddress": "ana@example.com", "phoneNumber": "+4930901820", "locales": ["de"], "country": "DE"}
 */
export interface OctoContactBody {
  /** At most 200 characters. */
  fullName?: string | null;
  /** At most 200 characters. */
  firstName?: string | null;
  /** At most 200 characters. */
  lastName?: string | null;
  emailAddress?: string | null;
  phoneNumber?: string | null;
  /** Languages in order of preference. */
  locales?: string[] | null;
  postalCode?: string | null;
  /** ISO 3166. */
  country?: string | null;
  /** At most 2,000 characters. */
  notes?: string | null;
  [field: string]: unknown;
}

/** @example {"unitId": "adult", "resellerReference": "T-1"} */
export interface OctoUnitItemBody {
  /** UUID that the caller chooses. */
  uuid?: string | null;
  /** The id of a unit of the product. */
  unitId: string;
  resellerReference?: string | null;
  contact?: OctoContactBody | null;
  [field: string]: unknown;
}

/**
 * @example {"uuid": "0d3c1b52-6f0a-4a3e-9d4e-0f1f3f6f7a11", "productId": "6b1f9b6e-2f2c-4c1e-9a35-7d0c5a1f4e21", "optionId": "DEFAULT", "availabilityId": "c1a7a6de-5b0f-4f0a-9f0e-3b6f4d2f8a11", "expirationMinutes": 30, "unitItems": [{"unitId": "adult"}, {"unitId": "adult"}]}
 */
export interface OctoReservationBody {
  /** UUID that the caller chooses. The same body again answers the booking as it is now. */
  uuid?: string | null;
  /** UUID of the tour. */
  productId: string;
  /** Always `DEFAULT`. */
  optionId: string;
  /** UUID of the departure. */
  availabilityId: string;
  /**
   * Minutes of the hold; more than the tenant may use count as the most.
   * @isInt must be a whole number
   * @minimum 1 must be at least 1
   */
  expirationMinutes?: number | null;
  /** At most 2,000 characters. */
  notes?: string | null;
  /** One for each seat. */
  unitItems?: OctoUnitItemBody[] | null;
  contact?: OctoContactBody | null;
  /** The caller's own reference. */
  resellerReference?: string | null;
  /** ISO 4217. The currency of the tour. */
  currency?: string | null;
  [field: string]: unknown;
}

/** @example {"expirationMinutes": 30} */
export interface OctoExtensionBody {
  /**
   * Minutes from now; by default the tenant's. More than the tenant may use count as the most.
   * @isInt must be a whole number
   * @minimum 1 must be at least 1
   */
  expirationMinutes?: number | null;
  [field: string]: unknown;
}

/** @example {"contact": {"fullName": "Ana Lima", "emailAddress": "ana@example.com"}, "resellerReference": "R-81"} */
export interface OctoConfirmationBody {
  /** Fields that are left out stay as they are. */
  contact?: OctoContactBody | null;
  /** The caller's own reference. */
  resellerReference?: string | null;
  /** All units of the booking. A unit with the UUID of an earlier one replaces it. */
  unitItems?: OctoUnitItemBody[] | null;
  /** ISO 4217. The currency of the tour. */
  currency?: string | null;
  [field: string]: unknown;
}

/** Fields that are left out stay as they are. @example {"unitItems": [{"unitId": "adult"}, {"unitId": "child"}], "notes": "Two bicycles"} */
export interface OctoChangeBody {
  /** UUID of another tour; only before the confirmation, and with `availabilityId`. */
  productId?: string | null;
  /** Always `DEFAULT`. */
  optionId?: string | null;
  /** UUID of another departure. */
  availabilityId?: string | null;
  /**
   * Minutes from now; only before the confirmation. More than the tenant may use count as the most.
   * @isInt must be a whole number
   * @minimum 1 must be at least 1
   */
  expirationMinutes?: number | null;
  /** At most 2,000 characters; null clears it. */
  notes?: string | null;
  /** All units of the booking. A unit with the UUID of an earlier one replaces it. */
  unitItems?: OctoUnitItemBody[] | null;
  /** Fields that are left out stay as they are. */
  contact?: OctoContactBody | null;
  /** The caller's own reference; null clears it. */
  resellerReference?: string | null;
  /** ISO 4217. The currency of the tour. */
  currency?: string | null;
  [field: string]: unknown;
}

/** @example {"reason": "The customer is ill."} */
export interface OctoCancellationBody {
  /** At most 500 characters. */
  reason?: string | null;
  [field: string]: unknown;
}

export type OctoBookingStatus = 'CONFIRMED' | 'ON_HOLD' | 'PENDING' | 'EXPIRED' | 'CANCELLED';

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
  unitId: OctoUnitId;
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

/** @example {"refund": "NONE", "reason": "The customer is ill.", "utcCancelledAt": "2027-02-01T09:30:00.000Z"} */
export interface OctoCancellation {
  refund: 'NONE';
  reason: string | null;
  utcCancelledAt: string;
}

export interface OctoBooking {
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
   * The end of the hold, or of the payment window; null for a confirmed or cancelled booking.
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
   * True while it can be cancelled.
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

import type { TourRef } from '../catalog/tour';
import type { PricesAnswer } from '../pricing/price-categories';
import type { CustomerAnswer } from '../customers/customer';

export interface HoldCustomer {
  name?: string;
  phone?: string;
  email?: string;
}

/**
 * @example {"departure_date": "2027-03-06", "quantity": 2, "hold_minutes": 20, "external_ref": "cart-81"}
 */
export interface HoldBody {
  /** YYYY-MM-DD. */
  departure_date: string;
  /** Start time, HH:MM: chooses one of several departures of the date. */
  departure_time?: string;
  /**
   * Number of seats. May be left out with `party`, otherwise it must be the seats of the party.
   * @isInt
   * @minimum 1
   * @maximum 50
   */
  quantity?: number;
  /**
   * The units of each category, by its code. `adults`, `children` and `single_supplements` mean three of them; each category comes in one
   * spelling.
   * @example {"adult": 2, "child": 1}
   */
  party?: { [code: string]: number };
  /**
   * Adults among the seats. Adults and children together are the quantity. By default all seats are for adults.
   * @isInt
   * @minimum 0
   * @maximum 50
   */
  adults?: number;
  /**
   * Children among the seats. The departure must have a price for children.
   * @isInt
   * @minimum 0
   * @maximum 50
   */
  children?: number;
  /**
   * Duration in minutes. By default the tenant's setting, 15. The hold ends no later than its departure closes.
   * @isInt
   * @minimum 1
   * @maximum 60
   */
  hold_minutes?: number;
  /** The website's own reference. A booking with the same reference consumes the hold. */
  external_ref?: string;
  customer?: HoldCustomer;
}

/** @example {"departure_date": "2027-03-13", "quantity": 3} */
export interface HoldPatch {
  /**
   * Number of seats. Without `adults` and `children`, the number of adults changes and the children stay.
   * @isInt
   * @minimum 1
   * @maximum 50
   */
  quantity?: number;
  /**
   * Adults among the seats.
   * @isInt
   * @minimum 0
   * @maximum 50
   */
  adults?: number;
  /**
   * Children among the seats. The hold must have a price for children; if it moves, the new departure must have one.
   * @isInt
   * @minimum 0
   * @maximum 50
   */
  children?: number;
  /**
   * The new units of the named categories, by their codes; 0 removes a category, and the others stay. `adults`, `children` and `single_supplements` mean three of them; each category comes in one
   * spelling.
   * @example {"adult": 2, "child": 1}
   */
  party?: { [code: string]: number };
  /** YYYY-MM-DD. Another date of the same tour. */
  departure_date?: string;
  /** HH:MM. Start time of the departure to move to, on `departure_date` or on the present date. */
  departure_time?: string;
  /** The website's own reference. */
  external_ref?: string;
  /** Changes the customer fields that are given. The other customer fields stay. */
  customer?: HoldCustomer;
}

export interface ExtendBody {
  /**
   * Minutes from now to the new end of the hold, which is no later than its departure closes.
   * @isInt
   * @minimum 1
   * @maximum 60
   */
  hold_minutes: number;
}

export interface HoldItem {
  hold_id: string;
  status: 'active' | 'released' | 'expired' | 'converted';
  tour: TourRef;
  /** YYYY-MM-DD */
  departure_date: string;
  /** HH:MM, local; null: the departure has no start time. */
  departure_time: string | null;
  /**
   * The seats of the party.
   * @isInt
   */
  quantity: number;
  /** @isInt */
  adults: number;
  /** @isInt */
  children: number;
  /**
   * The units of each category, by its code: the categories with at least one unit.
   * @example {"adult": 2}
   */
  party: { [code: string]: number };
  /**
   * The minutes that were asked for.
   * @isInt
   */
  hold_minutes: number;
  /** RFC 3339, UTC. The seats are free again at this instant: never after the departure closes. */
  expires_at: string;
  /**
   * Number of free seats of the departure.
   * @isInt
   */
  seats_available: number;
  currency: string;
  /** The price of one unit of the first category in major units, locked until the hold ends. */
  unit_price: number;
  /** The sum of the prices of the whole party. */
  total_price: number;
  prices: PricesAnswer;
  external_ref: string | null;
  created_at: string;
}

export interface HoldAnswer extends HoldItem {
  ok: true;
}

export interface HoldDetail extends HoldAnswer {
  /** Only if the phone number was sent with more text. */
  customer?: CustomerAnswer;
}

export interface HoldPage {
  items: HoldItem[];
  /** Pass as `cursor` for the next page; null at the end. */
  next_cursor: string | null;
}

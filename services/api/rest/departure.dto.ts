import type { TourRef } from '../catalog/tour';
import type { PricesAnswer, TenantPricesAnswer } from '../pricing/price-categories';

export type DepartureStatusAnswer = 'available' | 'sold_out' | 'cancelled' | 'gone' | 'closed';

export interface DepartureItem {
  id: string;
  /** YYYY-MM-DD */
  departure_date: string;
  /** Local time, HH:MM: that of the departure, otherwise that of the tour. Null: neither has one. */
  start_time: string | null;
  /** YYYY-MM-DD */
  return_date: string | null;
  status: DepartureStatusAnswer;
  /**
   * When the departure stops being open: RFC 3339, UTC. At its own closing time or its cut-off, or that of its tour; at the latest at its
   * start, or at the end of its date if it has no start time.
   */
  closes_at: string;
  /** @isInt */
  seats_total: number;
  /** @isInt */
  seats_available: number;
  /** ISO 4217. The currency of `tenant_prices`. */
  currency: string;
  /**
   * ISO 4217. The currency of `prices`: that of the tour. Only if the tenant has a selling currency.
   * @example "EUR"
   */
  platform_currency?: string;
  prices: PricesAnswer;
  tenant_prices: TenantPricesAnswer;
}

export interface DeparturePage {
  items: DepartureItem[];
  /** Pass as `cursor` for the next page; null at the end. */
  next_cursor: string | null;
}

export interface AvailabilityAnswer {
  tour: TourRef;
  /** YYYY-MM-DD */
  departure_date: string;
  /** The start time of the departure; without a departure, the requested time. Null: none. */
  departure_time: string | null;
  /** True if the departure can be booked, and has the requested number of free seats and those of the smallest booking. */
  available: boolean;
  /** `gone` also means that the tour has no departure on this date, or none at this time. */
  status: DepartureStatusAnswer;
  /** @isInt */
  seats_available: number;
  /** @isInt */
  requested: number;
  /** ISO 4217. The currency of `tenant_prices`. */
  currency: string;
  /**
   * ISO 4217. The currency of `prices`: that of the tour. Only if the tenant has a selling currency.
   * @example "EUR"
   */
  platform_currency?: string;
  /** The platform's prices. Null: there is no such departure. */
  prices: PricesAnswer | null;
  tenant_prices: TenantPricesAnswer | null;
  /** When the seats were counted: RFC 3339, UTC. */
  as_of: string;
}

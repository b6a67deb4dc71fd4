import type { TourRef } from '../catalog/tour';
import type { PricesAnswer, TenantPricesAnswer } from '../pricing/price-categories';

export type DepartureStatusAnswer = 'available' | 'sold_out' | 'cancelled' | 'gone' | 'closed';

export interface DepartureItem {
  id: string;
  /** YYYY-MM-DD */
  departure_date: string;
  /** YYYY-MM-DD */
  return_date: string | null;
  status: DepartureStatusAnswer;
  /** @isInt */
  seats_total: number;
  /** @isInt */
  seats_available: number;
  currency: string;
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
  /** True if the requested seats are free. */
  available: boolean;
  /** `gone` also if the tour has no departure on this date. */
  status: DepartureStatusAnswer;
  /** @isInt */
  seats_available: number;
  /** @isInt */
  requested: number;
  currency: string;
  /** Null if the tour has no departure on this date. */
  prices: PricesAnswer | null;
  tenant_prices: TenantPricesAnswer | null;
  /** When the seats were counted: RFC 3339, UTC. */
  as_of: string;
}

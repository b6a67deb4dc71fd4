/** Prices of one departure or tour by category, in minor units of the tour's currency. */
export interface Prices {
  adult: number;
  child?: number;
  single_supplement?: number;
}

/** What pricing must know of a tour; pricing knows no more of the catalog than this. */
export interface PricedTour {
  id: string;
  continent: string;
  currency: string;
  currencyDigits: number;
}

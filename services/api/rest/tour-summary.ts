/** The fields of a tour that every list shows. */
export interface TourSummary {
  id: string;
  slug: string;
  /**
   * The language of `name`, if the request prefers a language. A text without a translation is in the tour's own language.
   * @example "en"
   */
  lang?: string;
  /** @example "Hà Long Bay Cruise" */
  name: string;
  summary: string | null;
  /** Such as `europe`. */
  continent: string;
  /** ISO 3166 alpha-2. */
  country: string;
  /** @isInt */
  duration_days: number;
  image_url: string | null;
  tags: string[];
  /** ISO 4217. */
  currency: string;
  /**
   * The tenant's lowest price of the tour's first category on the dates that are open for booking, in major units. If there is no such date, the tenant's
   * price of a booking without a date.
   */
  price_from: number;
  /** YYYY-MM-DD: the next date that is open for booking. Null: there is none. */
  next_departure_date: string | null;
}

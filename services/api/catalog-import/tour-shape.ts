import { TOUR_STATUSES } from '../catalog/tour';
import { compact, decimal, integer, list, object, oneOf, optional, type Read, required } from './check';
import {
  continent,
  country,
  currency,
  date,
  imageUrl,
  instant,
  line,
  slug,
  text,
  timeZone,
} from './check-text';
import { DEPARTURE_ROW_STATUSES } from './stored-rows';

/**
 * A catalog file's fields, in the file's own words, which are the columns' words too (CONTRACT section 8). Limits are
 * those of the tables: what passes here, the database takes.
 */
const NAME = 200;
const MOST = 1_000_000_000_000;
/** Major units: how many decimals the currency allows is judged when it is known, see check-amounts.ts. */
const amount = decimal(0, MOST);
const words = list(line(500), 100);

const location = compact(
  object({
    name: required(line(NAME)),
    lat: optional(decimal(-90, 90)),
    lng: optional(decimal(-180, 180)),
  }),
);
const image = compact(object({ url: required(imageUrl), alt: optional(line(500)) }));
const itineraryDay = compact(
  object({ day: required(integer(1, 366)), title: required(line(NAME)), description: optional(text(5000)) }),
);

export const TOUR = {
  slug: required(slug),
  name: required(line(NAME)),
  continent: required(continent),
  country: required(country),
  duration_days: required(integer(1, 366)),
  currency: required(currency),
  base_price: required(amount),
  summary: optional(line(2000)),
  description: optional(text(20_000)),
  image_url: optional(imageUrl),
  images: optional(list(image, 100)),
  tags: optional(list(line(100), 100)),
  time_zone: optional(timeZone),
  status: optional(oneOf(...TOUR_STATUSES)),
  group_size_max: optional(integer(1, 100_000)),
  languages: optional(list(line(100), 100)),
  start_location: optional(location),
  end_location: optional(location),
  itinerary: optional(list(itineraryDay, 366)),
  inclusions: optional(words),
  exclusions: optional(words),
  cancellation_policy: optional(text(2000)),
};
export type TourFields = Read<typeof TOUR>;

export const PRICES = {
  adult: required(amount),
  child: optional(amount),
  single_supplement: optional(amount),
};

export const DEPARTURE = {
  departure_date: required(date),
  seats_total: required(integer(1, 100_000)),
  prices: required(object(PRICES)),
  return_date: optional(date),
  status: optional(oneOf(...DEPARTURE_ROW_STATUSES)),
  closes_at: optional(instant),
};
export type DepartureFields = Read<typeof DEPARTURE>;
export type PriceFields = Read<typeof PRICES>;

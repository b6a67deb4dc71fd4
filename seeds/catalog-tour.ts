/** A tour as a line of a catalog file (CONTRACT section 8); amounts are in major units of `currency`. */
export interface CatalogTour {
  slug: string;
  name: string;
  continent: string;
  country: string;
  duration_days: number;
  currency: string;
  base_price: number;
  summary?: string;
  description?: string;
  image_url?: string;
  images?: { url: string; alt: string }[];
  tags?: string[];
  time_zone?: string;
  status?: 'published' | 'draft' | 'archived';
  group_size_max?: number;
  languages?: string[];
  start_location?: CatalogLocation;
  end_location?: CatalogLocation;
  itinerary?: { day: number; title: string; description: string }[];
  inclusions?: string[];
  exclusions?: string[];
  cancellation_policy?: string;
  departures?: CatalogDeparture[];
}

interface CatalogLocation {
  name: string;
  lat: number;
  lng: number;
}

/** A departure of a catalog file; dates are `YYYY-MM-DD`, `closes_at` is RFC 3339 in UTC. */
export interface CatalogDeparture {
  departure_date: string;
  return_date?: string;
  status?: 'scheduled' | 'cancelled';
  seats_total: number;
  closes_at?: string;
  prices: CatalogPrices;
}

export interface CatalogPrices {
  adult: number;
  child?: number;
  single_supplement?: number;
}

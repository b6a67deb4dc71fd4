import type { PricedCatalogTour } from '../catalog/list-catalog';
import { catalogItem } from '../catalog/tour-answer';
import { tourLink } from '../tenants/link-template';
import type { Tenant } from '../tenants/tenant';

/** One tour as a browser may see it: no seats, and the tenant's price alone. */
export interface WidgetTour {
  id: string;
  slug: string;
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
  /** The tenant's lowest price of one adult on a date that is open for booking, in major units; without one, of a booking without a date. */
  price_from: number;
  /** YYYY-MM-DD: the next date that is open for booking, or null. */
  next_departure_date: string | null;
  /** The tour on the tenant's own site, or null where the tenant named none. */
  url: string | null;
}

export interface WidgetTourPage {
  items: WidgetTour[];
  /** Pass as `cursor` for the next page; null at the end. */
  next_cursor: string | null;
}

/** @param baseUrl address of this installation, for pictures that it serves itself */
export function widgetTour(priced: PricedCatalogTour, tenant: Tenant, baseUrl: string): WidgetTour {
  const { updated_at, ...item } = catalogItem(priced, baseUrl);
  return { ...item, url: tourLink(tenant, item.slug) };
}

import { isHttpsAddress } from '../../platform/text-forms';
import type { PricedCatalogTour } from '../catalog/list-catalog';
import { catalogItem } from '../catalog/tour-answer';
import type { Tenant } from '../tenants/tenant';
import type { WidgetTour } from './widget-tour.dto';

/** @param baseUrl address of this installation, for pictures that it serves itself */
export function widgetTour({ tour, quote }: PricedCatalogTour, tenant: Tenant, baseUrl: string): WidgetTour {
  const { updated_at, ...item } = catalogItem(tour, quote, baseUrl);
  return { ...item, url: tourLink(tenant, tour.slug) };
}

/** Returns the address of the tour on the tenant's own site; null unless it is https. */
export function tourLink({ linkTemplate }: Pick<Tenant, 'linkTemplate'>, slug: string): string | null {
  const url = linkTemplate?.replaceAll('{slug}', encodeURIComponent(slug));
  return url && isHttpsAddress(url) ? url : null;
}

import type { PricedCatalogTour } from '../catalog/list-catalog';
import { catalogItem } from '../catalog/tour-answer';
import type { Tenant } from '../tenants/tenant';
import type { WidgetTour } from './widget-tour.dto';

/** @param baseUrl where a path of ours, such as a drawn cover, is served */
export function widgetTour({ tour, quote }: PricedCatalogTour, tenant: Tenant, baseUrl: string): WidgetTour {
  const { updated_at, ...item } = catalogItem(tour, quote, baseUrl);
  return { ...item, url: tourLink(tenant, tour.slug) };
}

/** Where the tenant's own site shows the tour. */
export function tourLink({ linkTemplate }: Pick<Tenant, 'linkTemplate'>, slug: string): string | null {
  return linkTemplate && linkTemplate.replaceAll('{slug}', encodeURIComponent(slug));
}

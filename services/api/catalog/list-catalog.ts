import type { Db } from '../../platform/database';
import { createQuoter, type Quote } from '../pricing/quote-tenant-price';
import type { Tenant } from '../tenants/tenant';
import { foldName } from './fold-name';
import type { ListedTour } from './tour';
import { findCatalogPage } from './tour.repository';

export interface CatalogFilter {
  limit: number;
  continent?: string;
  /** Part of the name, in any case, with or without accents. */
  q?: string;
  after?: { nameFolded: string; id: string };
}

export interface PricedCatalogTour {
  tour: ListedTour;
  quote: Quote;
}

/** One page of the catalog with the tenant's visibility and prices. */
export interface PricedCatalogPage {
  items: PricedCatalogTour[];
  /** The last item, where the next page starts; null at the end of the list. */
  last: { nameFolded: string; id: string } | null;
}

export async function listCatalog(
  db: Db,
  tenant: Tenant,
  { limit, continent, q, after }: CatalogFilter,
): Promise<PricedCatalogPage> {
  const nameContains = q === undefined ? undefined : foldName(q);
  const tours = await findCatalogPage(db, tenant, { limit: limit + 1, continent, nameContains, after });
  const page = tours.slice(0, limit);
  const quote = await createQuoter(
    db,
    tenant,
    page.map((tour) => tour.id),
  );
  const items = page.map((tour) => ({ tour, quote: quote(tour, { adult: tour.basePriceMinor }, null) }));
  const last = tours.length > limit ? page.at(-1)! : undefined;
  return { items, last: last ? { nameFolded: last.nameFolded, id: last.id } : null };
}

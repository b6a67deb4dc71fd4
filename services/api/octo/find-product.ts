import type { CachedReads } from '../../platform/read-cache/read-cache';
import { isUuid } from '../../platform/text-forms';
import { listCompleteTours, cachedVisibleTour, shownUntil } from '../catalog/list-catalog';
import type { PagePosition } from '../catalog/tour-selection';
import type { Tour } from '../catalog/tour';
import { listDepartures, type PricedDeparture } from '../departures/find-departures';
import { type Tenant, tenantVersion } from '../tenants/tenant';
import type { ReadCache } from '../../platform/read-cache/read-cache';
import { invalidId } from './octo.errors';
import { type ProductView, toProduct } from './product';

/**
 * Returns the tour of a product, by its UUID alone: a slug is the product's `reference`.
 * @throws OctoRefusalError, TourNotFoundError: INVALID_PRODUCT_ID
 */
export async function findProductTour(reads: CachedReads, tenant: Tenant, productId: string): Promise<Tour> {
  if (!isUuid(productId)) throw invalidId('productId', productId);
  return cachedVisibleTour(reads, tenant, productId);
}

/**
 * Returns the departure of an availability.
 * @throws OctoRefusalError INVALID_AVAILABILITY_ID
 */
export async function findProductDeparture(
  reads: CachedReads,
  tenant: Tenant,
  tour: Tour,
  availabilityId: string,
): Promise<PricedDeparture> {
  const page = { ids: [availabilityId.toLowerCase()], limit: 1 };
  const found = isUuid(availabilityId) ? (await listDepartures(reads, tenant, tour, page)).items : [];
  if (!found[0]) throw invalidId('availabilityId', availabilityId);
  return found[0];
}

const PRODUCTS_A_PAGE = 100;

interface ProductPage {
  /** The products as JSON, with commas between them. */
  text: string;
  last: PagePosition | null;
}

/**
 * Yields the JSON of all products of a tenant, page by page, so that neither the tours nor their text are ever complete in
 * memory. Pages that nothing has changed for come from `answers`.
 */
export async function* productTexts(
  { db, answers }: CachedReads & { answers: ReadCache },
  tenant: Tenant,
  view: Omit<ProductView, 'quote'>,
): AsyncGenerator<string> {
  const readPage = async (after: PagePosition | undefined) => {
    const { tours, quote, last } = await listCompleteTours(db, tenant, PRODUCTS_A_PAGE, after);
    const text = tours.map((tour) => JSON.stringify(toProduct(tour, { ...view, quote }))).join(',');
    const value: ProductPage = { text, last };
    return { value, until: shownUntil(tours), size: 1 + (2 * text.length) / 1024 };
  };
  let after: PagePosition | undefined;
  let separator = '[';
  do {
    const position = after;
    const key = JSON.stringify(['products', tenantVersion(tenant), view.capabilities, position ?? null]);
    const page = await answers.get(key, () => readPage(position));
    yield separator + page.text;
    separator = ',';
    after = page.last ?? undefined;
  } while (after);
  yield ']';
}

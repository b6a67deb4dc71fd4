import type { Db } from '../../platform/database/database';
import { firstCategory } from '../parties/party-rules';
import type { Currency } from '../pricing/convert-price';
import { createQuoter, type Quoter } from '../pricing/quote-tenant-price';
import { readTenantAgain } from '../tenants/manage-tenants';
import type { Tenant } from '../tenants/tenant';
import { readAsOf } from './as-of';
import { type CatalogChanges, findCatalogChanges, findTourRefs } from './catalog-changes.repository';
import { findListLanguages } from './catalog-languages';
import { findCatalogPage, findCompleteTours } from './catalog-page.repository';
import { foldName } from '../../platform/forms/fold-name';
import {
  basePrices,
  type CatalogSort,
  type ListedTour,
  type PagePosition,
  type Tour,
  type TourRef,
  type TourSelection,
} from './tour';
import { LISTED_TEXTS, type ShownLanguages, translateTour, type PreferredLanguages } from './tour-text';
import { findTranslations } from './translation.repository';

export interface CatalogFilter extends Omit<TourSelection, 'nameContains'> {
  limit: number;
  /** Part of the name, in any case, with or without accents. */
  q?: string;
  /** RFC 3339. Only tours that have changed for the tenant at this time or later, and tours that it does not see any more. */
  updatedSince?: string;
  sort?: CatalogSort;
  after?: PagePosition;
  /** Shows the texts in these languages. Undefined: each tour in its own language, without `shown`. */
  preferred?: PreferredLanguages;
}

/** The lowest price of the first category of a tour, in the currency of the sale. */
interface PriceFrom extends Currency {
  priceFromMinor: number;
}

export interface PricedCatalogTour extends PriceFrom {
  tour: ListedTour;
  /** The languages of the texts, if the request prefers languages. */
  shown?: ShownLanguages;
}

/** One page of the catalog with the tenant's visibility and prices. */
export interface PricedCatalogPage {
  items: PricedCatalogTour[];
  /** Only with `updatedSince`. The removed tours come after all items of the list. */
  removed: TourRef[];
  /** The position after which the next page starts. Null: this is the last page. */
  last: PagePosition | null;
  /** Only with `updatedSince`, RFC 3339: the `updatedSince` of the next list. The same on all pages of a list. */
  asOf?: string;
}

/**
 * Returns one page of the tours that a tenant sees, with its prices. With `updatedSince`, returns only changed tours, and then the tours that
 * the tenant does not see any more.
 */
export async function listCatalog(
  db: Db,
  knownTenant: Tenant,
  { limit, updatedSince, ...filter }: CatalogFilter,
): Promise<PricedCatalogPage> {
  if (updatedSince === undefined) {
    const page = await listItems(db, knownTenant, { ...filter, limit });
    return { ...page, removed: [] };
  }
  const asOf = filter.after?.asOf ?? (await readAsOf(db, updatedSince));
  // Reads the tenant after as_of was read, because a cached tenant may be from before a change that as_of includes.
  const tenant = await readTenantAgain(db, knownTenant);
  return { ...(await listChanges(db, tenant, { ...filter, limit, updatedSince }, asOf)), asOf };
}

/** If `updatedSince` is longer ago than this, the answer is the complete catalog: a page never reads more than 30 days of changes. */
const CHANGES_KEPT_MS = 30 * 24 * 3_600_000;
/** An id that is less than the ids of all tours. */
const FIRST_ID = '00000000-0000-0000-0000-000000000000';

/**
 * Returns a page of the changed tours in the order of the list, and after all of them the removed tours by id. Returns the complete catalog
 * instead if `updatedSince` is older than CHANGES_KEPT_MS, or later than `asOf`. In the second case, the database was restored from an
 * earlier backup, and a client's copy may contain changes that are lost.
 */
async function listChanges(
  db: Db,
  tenant: Tenant,
  { updatedSince, ...filter }: CatalogFilter & { updatedSince: string },
  asOf: string,
): Promise<PricedCatalogPage> {
  const { limit } = filter;
  const removedUpTo = filter.after?.removedUpTo;
  // Uses the as_of of the first page, so that all pages list the same kind: only changes, or the complete catalog. An as_of before
  // `updatedSince` means that a restore has lost changes (ADR 33).
  const age = Date.parse(asOf) - Date.parse(updatedSince);
  const isComplete = age < 0 || age > CHANGES_KEPT_MS;
  const changes = isComplete ? undefined : await findCatalogChanges(db, tenant.id, updatedSince);
  const { items, unsold, last } =
    removedUpTo === undefined
      ? await listItems(db, tenant, { ...filter, changes })
      : { items: [], unsold: [], last: null };
  if (isComplete) return { items, removed: [], last: last && { ...last, asOf } };
  if (last) return { items, removed: unsold, last: { ...last, asOf } };
  const room = limit - items.length - unsold.length;
  const after = removedUpTo ?? FIRST_ID;
  const found = await findTourRefs(db, tenant, { since: updatedSince, after, limit: room + 1 });
  const removed = found.slice(0, room);
  const hasMore = found.length > room;
  return {
    items,
    removed: [...unsold, ...removed],
    last: hasMore ? { asOf, removedUpTo: removed.at(-1)?.id ?? after } : null,
  };
}

/** The tours of a page, and those of its tours that the tenant does not sell at their price. */
interface ListedPage extends Pick<PricedCatalogPage, 'items' | 'last'> {
  unsold: TourRef[];
}

async function listItems(
  db: Db,
  tenant: Tenant,
  { limit, q, preferred, ...filter }: Omit<CatalogFilter, 'updatedSince'> & { changes?: CatalogChanges },
): Promise<ListedPage> {
  const nameContains = q === undefined ? undefined : foldName(q);
  const languages = preferred && (await findListLanguages(db, preferred));
  const tours = await findCatalogPage(db, tenant, { ...filter, limit: limit + 1, nameContains, languages });
  const page = tours.slice(0, limit);
  const quote = await createQuoter(
    db,
    tenant,
    page.map(({ tour }) => tour.id),
  );
  const priced = page.map(({ tour }) => ({ tour, price: priceFrom(tour, quote) }));
  const items = priced.flatMap(({ tour, price }) => (price ? [{ tour, ...price }] : []));
  return {
    items: preferred ? await withTranslations(db, items, preferred) : items,
    unsold: priced.flatMap(({ tour, price }) => (price ? [] : [{ id: tour.id, slug: tour.slug }])),
    last: tours.length > limit ? page.at(-1)!.position : null,
  };
}

/** Adds the texts that lists show, in the preferred languages. */
async function withTranslations(
  db: Db,
  items: PricedCatalogTour[],
  preferred: PreferredLanguages,
): Promise<PricedCatalogTour[]> {
  const ids = items.map(({ tour }) => tour.id);
  const translations = await findTranslations(db, ids, preferred, LISTED_TEXTS);
  return items.map((item) => ({
    ...item,
    ...translateTour(item.tour, translations.get(item.tour.id) ?? {}, preferred),
  }));
}

/**
 * Returns a page of the catalog by folded name, with all fields of each tour.
 * @param after `last` of the previous page
 */
export async function listCompleteTours(
  db: Db,
  tenant: Tenant,
  limit: number,
  after: PagePosition | undefined,
): Promise<{ tours: Tour[]; quote: Quoter; last: PagePosition | null }> {
  const found = await findCompleteTours(db, tenant, { limit: limit + 1, after });
  const page = found.slice(0, limit);
  const tours = page.map(({ tour }) => tour);
  const quote = await createQuoter(
    db,
    tenant,
    tours.map(({ id }) => id),
  );
  return { tours, quote, last: found.length > limit ? page.at(-1)!.position : null };
}

/**
 * Returns the tenant's lowest price of the first category on the open departures of the tour, in minor units. Without an open departure, returns the
 * tenant's price for a booking without a date. Undefined: the tenant does not sell the tour at its base price (Quoter has the reasons).
 * @param tour a tour that the tenant sees
 * @rule the "from" price is that of the first category: test/api/categories-answer.test.ts
 */
export function priceFrom(tour: ListedTour, quote: Quoter): PriceFrom | undefined {
  const base = quote(tour, basePrices(tour), null);
  if (!base) return undefined;
  const { code } = firstCategory(tour.categories);
  const quotes = tour.lowestPrices.flatMap(({ date, prices: { [code]: lowest } }) =>
    lowest === undefined ? [] : (quote(tour, { [code]: lowest }, date) ?? []),
  );
  const priced = quotes.length > 0 ? quotes : [base];
  const { currency, currencyDigits } = base;
  return { priceFromMinor: Math.min(...priced.map(({ tenant }) => tenant[code]!)), currency, currencyDigits };
}

/** Returns the tours with their texts in the preferred languages, and the languages of these texts. */
export async function showTours(
  db: Db,
  tours: Tour[],
  preferred: PreferredLanguages,
): Promise<{ tour: Tour; shown: ShownLanguages }[]> {
  const ids = tours.map(({ id }) => id);
  const translations = await findTranslations(db, ids, preferred);
  return tours.map((tour) => translateTour(tour, translations.get(tour.id) ?? {}, preferred));
}

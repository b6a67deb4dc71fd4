import type { Db } from '../../platform/database/database';
import type { CachedReads, ReadCache } from '../../platform/read-cache/read-cache';
import { isUuid } from '../../platform/forms/text-forms';
import { cachedVisibleTour, shownUntil } from '../catalog/cached-catalog';
import { languageOfEarlierName } from '../catalog/catalog-languages';
import { listCompleteTours, showTours } from '../catalog/list-catalog';
import type { PreferredLanguages } from '../catalog/tour-text';
import type { PagePosition, Tour, TourRef } from '../catalog/tour';
import type { ListedDeparture } from '../departures/departure';
import { departuresById, listDepartures, type PricedDeparture } from '../departures/find-departures';
import type { Category } from '../parties/category';
import { type Party, toParty, unitCount } from '../parties/party-rules';
import type { Currency } from '../pricing/convert-price';
import { sellingCurrencyOf } from '../pricing/selling-currency';
import { type Tenant, tenantVersion } from '../tenants/tenant';
import { badOctoRequest, invalidId, unprocessable } from './octo.errors';
import { maxUnits, type OctoProduct, OPTION_ID, type ProductView, toProduct } from './product.dto';
import { soldUnits, unitCategories } from './sold-units';

/**
 * Returns the tour with this UUID. Does not accept a slug, because in OCTO the slug is the product's `reference`.
 * @throws OctoRefusalError INVALID_PRODUCT_ID for a text that is not a UUID; TourNotFoundError, which OCTO answers in the same way
 */
export async function findProductTour(reads: CachedReads, tenant: Tenant, productId: string): Promise<Tour> {
  if (!isUuid(productId)) throw invalidId('productId', productId);
  return cachedVisibleTour(reads, tenant, productId);
}

/**
 * Returns the tour that a request names by its product, its option and its currency.
 * @throws errors of findProductTour, assertOption and assertCurrency
 */
export async function findRequestedTour(
  reads: CachedReads,
  tenant: Tenant,
  { productId, optionId, currency }: { productId: string; optionId: string; currency?: string | null },
): Promise<Tour> {
  const tour = await findProductTour(reads, tenant, productId);
  assertOption(optionId);
  assertCurrency(currency, sellingCurrencyOf(tenant, tour), 'product');
  return tour;
}

/** @throws OctoRefusalError INVALID_OPTION_ID */
export function assertOption(optionId: string): void {
  if (optionId !== OPTION_ID) throw invalidId('optionId', optionId);
}

/**
 * @param currency as sent
 * @param expected the currency in which the tenant sells the product, or the locked currency of the booking
 * @throws OctoRefusalError BAD_REQUEST for another currency
 */
export function assertCurrency(
  currency: string | null | undefined,
  { currency: expected }: Pick<Currency, 'currency'>,
  priced: 'product' | 'booking',
): void {
  if (currency != null && currency !== expected)
    throw badOctoRequest(`currency must be ${expected}, the currency of the ${priced}.`);
}

/**
 * Returns the language of the texts in the stored answer of an earlier request: that of the name.
 * @param product of the answer; without octo/content it has no texts
 */
export async function languageOfStoredProduct(
  { db }: CachedReads,
  { id, title, internalName, locale }: OctoProduct,
): Promise<string> {
  if (title === undefined) return locale;
  return languageOfEarlierName(db, { id, name: internalName, language: locale }, title);
}

/** Adds up the units of a request. The ids are as sent: requireUnits checks them. */
export function countUnits(units: { id: string; quantity: number }[]): Party {
  const counted = new Map<string, number>();
  for (const { id, quantity } of units) counted.set(id, (counted.get(id) ?? 0) + quantity);
  return Object.fromEntries(counted);
}

/**
 * Returns the party of the units of a request, in the order of the tour's categories.
 * @param kept the units that the booking has, or whose price it has locked: it keeps them although the product has them no more
 * @throws OctoRefusalError INVALID_UNIT_ID for a unit that the product does not have
 */
export function requireUnits(tour: Tour, units: Party, kept: readonly Category[] = []): Party {
  const sold = codesOf([...soldUnits(tour), ...kept]);
  const all = codesOf([...unitCategories(tour.categories), ...kept]);
  for (const [code, number] of Object.entries(units))
    if (!(number > 0 ? sold : all).includes(code)) throw invalidId('unitId', code);
  return toParty(units, tour.categories);
}

function codesOf(categories: Category[]): string[] {
  return categories.map(({ code }) => code);
}

/**
 * Checks that the product allows as many units in one booking.
 * @param had the units that the booking has on the product: it keeps them although the product allows fewer now
 * @throws OctoRefusalError UNPROCESSABLE_ENTITY
 */
export function assertMaxUnits(tour: Tour, party: Party, had = 0): void {
  const most = Math.max(maxUnits(tour), had);
  if (unitCount(party) > most) throw unprocessable(`unitItems must have at most ${most} units.`);
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

/**
 * Returns the departure to which a booking moves, also one that the tenant does not sell now: then the change is refused with the reason.
 * @throws OctoRefusalError INVALID_AVAILABILITY_ID
 */
export async function findTargetDeparture(
  db: Db,
  tenant: Tenant,
  tour: TourRef,
  availabilityId: string,
): Promise<ListedDeparture> {
  const found = isUuid(availabilityId)
    ? await departuresById(db, tenant, [availabilityId.toLowerCase()])
    : [];
  const target = found.find((departure) => departure.tour.id === tour.id);
  if (!target) throw invalidId('availabilityId', availabilityId);
  return target;
}

const PRODUCTS_A_PAGE = 100;

interface ProductPage {
  /** The products as JSON, with commas between them. */
  text: string;
  last: PagePosition | null;
}

/**
 * Yields the JSON of all products of a tenant, page by page, so that memory never holds all tours or their whole text. Takes unchanged
 * pages from the cache `answers`.
 * @param preferred the languages of the texts; undefined: each tour's own language
 */
export async function* productTexts(
  { db, answers }: CachedReads & { answers: ReadCache },
  view: Omit<ProductView, 'quote'>,
  preferred?: PreferredLanguages,
): AsyncGenerator<string> {
  const { tenant } = view;
  const readPage = async (after: PagePosition | undefined) => {
    const { tours, quote, last } = await listCompleteTours(db, tenant, PRODUCTS_A_PAGE, after);
    const shown = preferred ? await showTours(db, tours, preferred) : [];
    const products = tours.map((tour, index) => toProduct(tour, { ...view, quote }, shown[index]?.tour));
    const text = products.map((product) => JSON.stringify(product)).join(',');
    const value: ProductPage = { text, last };
    return { value, until: shownUntil(tours), size: 1 + (2 * text.length) / 1024 };
  };
  let after: PagePosition | undefined;
  let separator = '[';
  do {
    const position = after;
    const key = JSON.stringify([
      'products',
      tenantVersion(tenant),
      view.capabilities,
      position ?? null,
      preferred,
    ]);
    const page = await answers.get(key, () => readPage(position));
    yield separator + page.text;
    separator = ',';
    after = page.last ?? undefined;
  } while (after);
  yield ']';
}

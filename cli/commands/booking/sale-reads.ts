import { refuseDiscount } from '../../../services/api/bookings/booking-lead.repository';
import { findTour, getVisibleTour } from '../../../services/api/catalog/find-tour';
import { listCatalog, type PricedCatalogTour } from '../../../services/api/catalog/list-catalog';
import type { Tour } from '../../../services/api/catalog/tour';
import { type ListedDeparture, withoutSeats } from '../../../services/api/departures/departure';
import { findDepartures } from '../../../services/api/departures/departure.repository';
import { departuresOfSales, type PricedDeparture } from '../../../services/api/departures/find-departures';
import { getHold } from '../../../services/api/holds/find-hold';
import type { Party } from '../../../services/api/parties/party-rules';
import { createQuoter, type Quote } from '../../../services/api/pricing/quote-tenant-price';
import type { Tenant } from '../../../services/api/tenants/tenant';
import type { Db } from '../../../services/platform/database/database';
import { addDays } from '../../../services/platform/forms/days';
import { foldName } from '../../../services/platform/forms/fold-name';

/** The most tours that one list shows. */
const TOURS_MAX = 200;
/** The most departures of a tour that a question knows. */
const DEPARTURES_MAX = 1000;
/** The days before a named date whose departures are offered too. */
const DAYS_BEFORE = 30;

/** The database, and the tenant that sells. */
export interface SaleSource {
  db: Db;
  tenant: Tenant;
}

/**
 * Reads what the questions about a sale offer. Reads each thing once, so that the same answers lead to the same questions when Esc repeats them;
 * the sale reads everything again under its locks.
 */
export interface SaleReads {
  tenant(): Promise<Tenant>;
  /** Returns tours that the tenant sells: those with every typed word in name or slug, in any order, with or without accents. */
  tours(typed: string): Promise<PricedCatalogTour[]>;
  /** @throws TourNotFoundError */
  tour(idOrSlug: string): Promise<Tour>;
  /**
   * Returns the departures of a tour that are not past, also cancelled ones, with the tenant's prices.
   * @param around YYYY-MM-DD: the departures from a month before this date on. Undefined: the next ones
   */
  departures(tour: { id: string }, around?: string): Promise<PricedDeparture[]>;
  /** Refuses an adjustment that the person at the terminal may not give, as refuseDiscount does. Amounts in minor units. */
  checkDiscount(totalMinor: number, adjustmentMinor: number): Promise<void>;
  /** Returns what a hold of the tenant holds, at its locked prices. @throws HoldNotFoundError */
  held(holdId: string): Promise<HeldSale>;
}

/** The seats of a hold. */
export interface HeldSale {
  tour: { slug: string; name: string };
  sold: PricedDeparture;
  party: Party;
}

/** @param open opens the database, at the first read: the first question is shown before */
export function createSaleReads(open: () => Promise<SaleSource>): SaleReads {
  const kept = new Map<string, Promise<unknown>>();
  let opened: Promise<SaleSource> | undefined;
  const source = () => (opened ??= open());
  const once = <T>(key: string, read: (from: SaleSource) => Promise<T>): Promise<T> => {
    const known = kept.get(key) ?? source().then(read);
    kept.set(key, known);
    return known as Promise<T>;
  };
  return {
    tenant: async () => (await source()).tenant,
    tours: async (typed) => {
      const words = wordsOf(typed);
      const all = await once('tours', (from) => listTours(from, undefined));
      const isComplete = all.length < TOURS_MAX;
      const q = words.toSorted((a, b) => b.length - a.length)[0];
      const found = isComplete ? all : await once(`tours ${q}`, (from) => listTours(from, q));
      return found.filter((one) => hasWords(searchedText(one), words));
    },
    tour: (idOrSlug) => once(`tour ${idOrSlug}`, ({ db, tenant }) => getVisibleTour(db, tenant, idOrSlug)),
    departures: (tour, around = '') =>
      once(`departures ${tour.id} ${around}`, (from) => readDepartures(from, tour.id, around)),
    checkDiscount: async (totalMinor, adjustmentMinor) => {
      const { db, tenant } = await source();
      if (adjustmentMinor < 0) await refuseDiscount(db, tenant.id, totalMinor, adjustmentMinor);
    },
    held: (holdId) => once(`hold ${holdId}`, (from) => readHeld(from, holdId)),
  };
}

/** Returns the words of a text, folded as names are for a search. */
export function wordsOf(text: string): string[] {
  return foldName(text)
    .split(/[\s,;]+/)
    .filter((word) => word !== '');
}

/** Returns the text of a tour in which typed words are searched. */
export function searchedText({ tour }: PricedCatalogTour): string {
  return `${tour.name} ${tour.slug}`;
}

/** Returns whether the text has all words, in any order. @param words folded */
export function hasWords(text: string, words: readonly string[]): boolean {
  const folded = foldName(text);
  return words.every((word) => folded.includes(word));
}

async function listTours({ db, tenant }: SaleSource, q: string | undefined): Promise<PricedCatalogTour[]> {
  return (await listCatalog(db, tenant, { limit: TOURS_MAX, q })).items;
}

async function readDepartures(
  { db, tenant }: SaleSource,
  tourId: string,
  around: string,
): Promise<PricedDeparture[]> {
  const from = around === '' ? undefined : addDays(around, -DAYS_BEFORE);
  const { sandbox } = tenant;
  const found = await findDepartures(db, tourId, { sandbox, from, limit: DEPARTURES_MAX });
  const quote = await createQuoter(db, tenant, [tourId]);
  return found.filter(isNotPast).flatMap((departure) => {
    const quoted = quote(departure.tour, departure.prices, departure.departureDate);
    return quoted ? [{ departure, quote: quoted }] : [];
  });
}

const isNotPast = ({ past }: ListedDeparture): boolean => !past;

async function readHeld({ db, tenant }: SaleSource, holdId: string): Promise<HeldSale> {
  const { departureId, tour, party, seats, ...locked } = await getHold(db, tenant.id, holdId);
  const { name, slug } = await findTour(db, tour.id);
  const { sold } = await departuresOfSales(db, tenant, [departureId]);
  const { departure, quote } = sold[0]!;
  const { prices, categories, currency, currencyDigits } = locked;
  const price = { tenant: prices, categories, currency, currencyDigits };
  // The seats of the hold are free for its booking.
  const free = withoutSeats(departure, seats);
  return { tour: { slug, name }, sold: { departure: free, quote: { ...quote, ...price } as Quote }, party };
}

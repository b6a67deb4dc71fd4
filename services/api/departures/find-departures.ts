import type { Db } from '../../platform/database/database';
import { AppError } from '../../platform/errors';
import type { CachedReads } from '../../platform/read-cache/read-cache';
import type { PricedTour } from '../pricing/price-categories';
import {
  cachedQuote,
  cachedQuoter,
  createQuoter,
  type Quote,
  type Quoter,
} from '../pricing/quote-tenant-price';
import type { Tenant } from '../tenants/tenant';
import type { SeatFacts } from './availability-cache';
import {
  assertNotSeveral,
  type ChoiceOfDate,
  chooseDeparture,
  type DatedDeparture,
  type DepartureChoice,
} from './choose-departure';
import {
  canBookSeats,
  type Departure,
  type DepartureKey,
  type DepartureMove,
  type DeparturePosition,
  departureStatus,
  type DepartureStatus,
  isOpen,
  type ListedDeparture,
  seatsAvailable,
} from './departure';
import {
  countDepartures,
  type DepartureRange,
  findDepartures,
  findDeparturesById,
  findDeparturesOfDate,
  findNearestId,
  findUpcomingDepartures,
} from './departure.repository';
import { departureTimeWithoutDate, nameDeparture } from '../catalog/start-time';
import { LRUCache } from 'lru-cache';

export interface PricedDeparture {
  departure: ListedDeparture;
  quote: Quote;
}

/** A departure of a hold or booking. */
export interface SoldDeparture {
  departure: ListedDeparture;
  /** The tenant's current prices. Undefined: the tenant does not sell the departure any more (Quoter has the reasons). */
  quote: Quote | undefined;
}

const COUNTS_PER_KIB = 4;

/**
 * Counts a tour's departures in a range of dates, also past and cancelled ones, before they are read. A change of the catalog clears the
 * cached count.
 */
export function cachedDepartureCount(
  { db, cache }: CachedReads,
  { id }: { id: string },
  { from, to }: { from: string; to: string },
): Promise<number> {
  return cache.get(`departures ${id} ${from} ${to}`, async () => ({
    value: await countDepartures(db, id, { from, to }),
    until: Infinity,
    size: 1 / COUNTS_PER_KIB,
  }));
}

/** A part of a list. `last` is the position after which the next part begins; null: this is the last part. */
interface DeparturePart {
  items: PricedDeparture[];
  last: DeparturePosition | null;
}

/** The departures that are read and converted in one turn of the event loop: about 5 ms. */
const SLICE = 100;

/**
 * Returns one page of a tour's departures by date and time, with the tenant's prices. Leaves out departures that the tenant does not sell at
 * their price (Quoter has the reasons).
 */
export async function listDepartures(
  reads: CachedReads,
  tenant: Tenant,
  tour: { id: string },
  page: Omit<DepartureRange, 'sandbox'>,
): Promise<DeparturePart> {
  const items: PricedDeparture[] = [];
  let last: DeparturePosition | null = null;
  for await (const slice of departureSlices(reads, tenant, tour, page)) {
    items.push(...slice.items);
    last = slice.last;
  }
  return { items, last };
}

/** Yields the page of listDepartures in slices of at most 100 departures. Other requests can run between two slices. */
export async function* departureSlices(
  reads: CachedReads,
  tenant: Tenant,
  tour: { id: string },
  page: Omit<DepartureRange, 'sandbox'>,
): AsyncGenerator<DeparturePart> {
  let { after } = page;
  for (let left = page.limit; left > 0; left -= SLICE) {
    const slice = await readSlice(reads, tenant, tour, { ...page, after, limit: Math.min(left, SLICE) });
    yield slice;
    if (!slice.last) return;
    after = slice.last;
  }
}

async function readSlice(
  reads: CachedReads,
  tenant: Tenant,
  tour: { id: string },
  page: Omit<DepartureRange, 'sandbox'>,
): Promise<DeparturePart> {
  const found = await findDepartures(reads.db, tour.id, {
    ...page,
    sandbox: tenant.sandbox,
    limit: page.limit + 1,
  });
  const departures = found.slice(0, page.limit);
  const quoter = await cachedQuoter(reads, tenant, tour);
  const items = departures.flatMap((departure) => {
    const quote = quoter(departure.tour, departure.prices, departure.departureDate);
    return quote ? [{ departure, quote }] : [];
  });
  return { items, last: found.length > page.limit ? positionOf(departures.at(-1)!) : null };
}

function positionOf({ departureDate: date, startTime: time }: Departure): DeparturePosition {
  return { date, time };
}

/** Returns the departures with these ids, also cancelled and past ones, with the tenant's kind of seats. */
export async function departuresById(
  db: Db,
  { sandbox }: Pick<Tenant, 'sandbox'>,
  ids: string[],
): Promise<ListedDeparture[]> {
  return findDeparturesById(db, ids, { sandbox });
}

/**
 * Returns the departures with these ids, also cancelled and past ones, with the tenant's current prices, and their quoter.
 * @param others further tours that the quoter serves
 */
export async function departuresOfSales(
  db: Db,
  tenant: Tenant,
  ids: string[],
  others: string[] = [],
): Promise<{ sold: SoldDeparture[]; quote: Quoter }> {
  const found = await departuresById(db, tenant, ids);
  const tours = new Set([...others, ...found.map(({ tour }) => tour.id)]);
  const quote = await createQuoter(db, tenant, [...tours]);
  const sold = found.map((departure) => ({
    departure,
    quote: quote(departure.tour, departure.prices, departure.departureDate),
  }));
  return { sold, quote };
}

/** The tour of a departure that a command shows or changes. */
export interface TourOfDeparture {
  id: string;
  slug: string;
}

/** Only the terminal shows this error. departure.errors.ts has the errors of HTTP requests. */
export class DepartureNotFoundError extends AppError {
  readonly code = 'departure_not_found';

  constructor(tourSlug: string, { date, time }: NamedDeparture) {
    super(`${tourSlug} has no departure on ${nameDeparture(date, time ?? null)}`);
  }
}

/** A command names no time, and the date has several departures. The command exits with 2. */
class SeveralDeparturesError extends AppError {
  readonly code = 'departure_time_missing';

  constructor(tourSlug: string, date: string, times: string[]) {
    const names = times.map((time) => `${date}T${time}`);
    super(`${tourSlug} has several departures on ${date}: name one of ${names.join(', ')}`);
  }
}

/** A departure as a command or a check of availability names it. */
export interface NamedDeparture {
  /** YYYY-MM-DD */
  date: string;
  /** HH:MM. Undefined: the only departure of the date. */
  time?: string;
}

/**
 * Refuses a command that names no time if the date has several departures. (A request may name no time if only one of them is open:
 * chooseDeparture.)
 * @returns all departures of the date, in the order of their times
 * @throws SeveralDeparturesError, which lists the times
 */
export async function assertUnambiguous(
  db: Db,
  tour: TourOfDeparture,
  { date, time }: NamedDeparture,
): Promise<DatedDeparture[]> {
  const found = await findDeparturesOfDate(db, tour.id, date);
  const times = found.map(({ startTime }) => startTime!);
  if (time === undefined && found.length > 1) throw new SeveralDeparturesError(tour.slug, date, times);
  return found;
}

/**
 * Returns the id of the departure that a command names, also of a cancelled or past one.
 * @throws DepartureNotFoundError; SeveralDeparturesError, which lists the times
 */
export async function findNamedDeparture(
  db: Db,
  tour: TourOfDeparture,
  named: NamedDeparture,
): Promise<string> {
  const found = await assertUnambiguous(db, tour, named);
  const { departureId } = chooseDeparture(found, named.time);
  if (departureId === null) throw new DepartureNotFoundError(tour.slug, named);
  return departureId;
}

/**
 * Returns one departure with its real seats, also a cancelled or past one.
 * @throws errors of findNamedDeparture
 */
export async function findTourDeparture(
  db: Db,
  tour: TourOfDeparture,
  named: NamedDeparture,
): Promise<Departure> {
  const ids = [await findNamedDeparture(db, tour, named)];
  const [departure] = await findDeparturesById(db, ids, { sandbox: false });
  if (!departure) throw new DepartureNotFoundError(tour.slug, named);
  return departure;
}

/** A departure that was looked for by its date. */
export interface FoundDeparture {
  /** The named departure. Null: there is none. */
  departure: Departure | null;
  /** The named departure or, if there is none, the nearest scheduled one. Null: the tour has none. */
  nearest: Departure | null;
}

/**
 * Returns the departure that a command names, also a cancelled or past one, or the nearest one.
 * @throws SeveralDeparturesError, which lists the times
 */
export async function findNearestDeparture(
  db: Db,
  tour: TourOfDeparture,
  named: NamedDeparture,
): Promise<FoundDeparture> {
  const { departureId } = chooseDeparture(await assertUnambiguous(db, tour, named), named.time);
  const id = departureId ?? (await findNearestId(db, tour.id, named));
  const [nearest = null] = id === undefined ? [] : await findDeparturesById(db, [id], { sandbox: false });
  return { departure: departureId === null ? null : nearest, nearest };
}

export interface Availability {
  /** HH:MM: the departure's start time; without a departure, the requested time. Null: none. */
  departureTime: string | null;
  status: DepartureStatus;
  seatsAvailable: number;
  /** True: the wanted seats can be booked. */
  available: boolean;
  /** The tour, read in the same statement as the prices of the departure. If there is no departure, the tour that the caller has read. */
  tour: PricedTour;
  /** Undefined if there is no departure. */
  quote: Quote | undefined;
}

/**
 * Returns the free seats of a departure and the tenant's current price. The given facts may come from the cache. The caller has checked
 * that the tenant sees the tour. A departure that the tenant does not sell at its price (Quoter has the reasons) is gone.
 * @throws InvalidInputError if the date has several departures and the request names no time (400)
 */
export async function availabilityOn(
  reads: CachedReads,
  tenant: Tenant,
  tour: PricedTour,
  { departures }: SeatFacts,
  { date, time, quantity }: NamedDeparture & { quantity: number },
): Promise<Availability> {
  const dated = departures.map((one) => ({ id: one.id, startTime: one.startTime, open: isOpen(one) }));
  const choice = chooseDeparture(dated, time);
  assertNotSeveral(choice, 'query');
  const departure = departures.find(({ id }) => id === choice.departureId);
  const quote = departure && (await cachedQuote(reads, tenant, departure.tour, departure.prices, date));
  if (!quote)
    return {
      departureTime: time ?? null,
      status: 'gone',
      seatsAvailable: 0,
      available: false,
      tour,
      quote: undefined,
    };
  return {
    departureTime: departure.startTime,
    status: departureStatus(departure),
    seatsAvailable: seatsAvailable(departure),
    available: canBookSeats(departure, quantity),
    tour: departure.tour,
    quote,
  };
}

/**
 * Finds the departure that a request names, even if it is not open for booking.
 * @param key chooseDeparture has the rule for a missing time
 */
export async function findDeparture(
  db: Db,
  { tourId, departureDate, departureTime }: DepartureKey,
): Promise<ChoiceOfDate> {
  return chooseDeparture(await findDeparturesOfDate(db, tourId, departureDate), departureTime);
}

/** The fields of a hold or booking that a change of its departure needs. */
interface PlacedSale {
  tour: { id: string };
  /** Null: a booking without a date. */
  departureId: string | null;
  departureDate: string | null;
}

/**
 * Finds the departure that a hold or booking will have after a change. If the tour and the date stay the same and the change names no time,
 * the sale keeps its departure. A time without a date refers to the sale's present date.
 * @throws InvalidInputError for a time alone if the booking has no date (400)
 */
export async function findDepartureAfterChange(
  db: Db,
  { tour, departureId, departureDate }: PlacedSale,
  to: DepartureMove,
): Promise<DepartureChoice> {
  if (to.departureId !== undefined) return { departureId: to.departureId, times: [] };
  const { tourId = tour.id, departureDate: date = departureDate, departureTime } = to;
  const stays = tourId === tour.id && date === departureDate && departureTime === undefined;
  if (stays) return { departureId, times: [] };
  if (date === null) throw departureTimeWithoutDate('body');
  return findDeparture(db, { tourId, departureDate: date, departureTime });
}

const DEPARTURES_MAX = 200_000;
const TTL_MS = 60_000;

type KnownDeparture = Pick<DatedDeparture, 'id' | 'startTime'>;

/**
 * Finds the departures that requests name by date and time. Caches the ids of a tour's upcoming departures for one revision of the tour,
 * because a change of its departures raises the revision.
 */
export class DepartureIds {
  private readonly known: LRUCache<string, Map<string, KnownDeparture[]>, { id: string }>;

  constructor(private readonly db: Db) {
    this.known = new LRUCache({
      maxSize: DEPARTURES_MAX,
      // Limits the time, because after a restore of the database the same revision may have other departures.
      ttl: TTL_MS,
      sizeCalculation: (dates) => dates.size + 1,
      fetchMethod: async (_key, _stale, { context }) => byDate(await findUpcomingDepartures(db, context.id)),
    });
  }

  /**
   * Finds the tour's departure in the cache. Queries the database in two cases. If the cache has no such departure: the revision of the
   * given tour may be up to a second old. If the cache has several departures for the request: it does not know which of them are open.
   */
  async find(
    tour: { id: string; revision: number },
    departureDate: string,
    departureTime: string | undefined,
  ): Promise<ChoiceOfDate> {
    const dates = await this.known.fetch(`${tour.id} ${tour.revision}`, { context: tour });
    const known = dates?.get(departureDate) ?? [];
    const named =
      departureTime === undefined ? known : known.filter(({ startTime }) => startTime === departureTime);
    if (named.length === 1) return { departureId: named[0]!.id, times: [], isOneOfSeveral: false };
    return findDeparture(this.db, { tourId: tour.id, departureDate, departureTime });
  }
}

function byDate(departures: (KnownDeparture & { departureDate: string })[]): Map<string, KnownDeparture[]> {
  const dates = new Map<string, KnownDeparture[]>();
  for (const { departureDate, ...known } of departures) {
    const others = dates.get(departureDate) ?? [];
    dates.set(departureDate, [...others, known]);
  }
  return dates;
}

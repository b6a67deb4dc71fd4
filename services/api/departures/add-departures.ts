import type { Db, Trx } from '../../platform/database/database';
import { AppError } from '../../platform/errors';
import type { CutoffText } from '../catalog/cutoff';
import { checkCategory } from '../catalog/known-categories';
import { SkippedTimeError } from '../catalog/local-time';
import { toMinor } from '../pricing/currency';
import type { PricedTour } from '../pricing/price-categories';
import { InvalidAmountError } from '../pricing/pricing.errors';
import type { ListedDeparture } from './departure';
import {
  type ExistingDeparture,
  findDeparturesById,
  findDeparturesOfDates,
  findLocalStarts,
  insertDepartures,
  lockPricedTour,
  type LocalStart,
} from './departure.repository';
import type { TourOfDeparture } from './find-departures';
import { firstCategory, type Prices } from '../parties/party-rules';

/** Limits the departures of one command, and of one schedule. */
export const ADDED_DEPARTURES_MAX = 2_000;

/** A departure that a command or a schedule asks for. */
export interface ScheduledDeparture {
  /** YYYY-MM-DD */
  date: string;
  /** HH:MM. Null: the start time of the tour. */
  startTime: string | null;
}

/** Departures to add to a tour, and the values that all of them get. */
export interface NewDepartures {
  departures: ScheduledDeparture[];
  /** YYYY-MM-DD */
  returnDate: string | null;
  seatsTotal: number;
  /** At most one of the two is not null. */
  closesAt: Date | null;
  closesBefore: CutoffText | null;
  prices: NewPrices;
}

/** One of the departures to add. It may exist already. */
export interface PlannedDeparture {
  /** YYYY-MM-DD */
  date: string;
  /** HH:MM: the start time of the departure, or that of its tour. Null: none. */
  startTime: string | null;
  exists: boolean;
  /** True: the departure has started or, if it has no start time, its date has ended. */
  past: boolean;
}

/** A departure that a call of addDepartures has created or found. */
export interface AddedDeparture {
  departure: ListedDeparture;
  /** False: the departure existed, and is unchanged. */
  isNew: boolean;
}

export interface AddedDepartures {
  created: number;
  existing: number;
  /** Sorted by date and time. */
  departures: AddedDeparture[];
}

/**
 * Returns the departures by date and time, each with the information whether it exists. Changes nothing.
 * @throws errors of addDepartures
 */
export async function planDepartures(
  db: Db,
  tour: TourOfDeparture & Pick<PricedTour, 'currency' | 'currencyDigits' | 'categories'>,
  { departures, prices }: Pick<NewDepartures, 'departures' | 'prices'>,
): Promise<PlannedDeparture[]> {
  toCompletePrices(prices, tour);
  const { starts, existing } = await comparedWithTour(db, tour, departures);
  return starts.map(({ date, startTime, past }) => ({
    date,
    startTime,
    past,
    exists: existing.has(keyOf({ date, startTime })),
  }));
}

/**
 * Adds the departures that the tour does not have, or none of them in case of an error. A departure that exists at the same date and start
 * time stays unchanged, even if it is cancelled. The tour may have any status, and a date may be past. Locks the tour, so that no import
 * changes its currency at the same time. Sends no event, because no tenant has a hold or booking on a new departure.
 * @throws DepartureHasNoTimeError, SkippedTimeError, EarlierReleaseRunsError; errors of toCompletePrices
 */
export async function addDepartures(
  trx: Trx,
  tour: TourOfDeparture,
  { departures, prices, ...common }: NewDepartures,
): Promise<AddedDepartures> {
  const minor = toCompletePrices(prices, await lockPricedTour(trx, tour.id));
  const { starts, existing } = await comparedWithTour(trx, tour, departures);
  const missing = starts.filter((start) => !existing.has(keyOf(start)));
  const found = starts.flatMap((start) => existing.get(keyOf(start)) ?? []);
  const created =
    missing.length === 0
      ? []
      : await insertDepartures(trx, tour.id, missing, { ...common, prices: minor }).catch(refuseDuringUpdate);
  const ids = [...created, ...found.map(({ id }) => id)];
  const listed = await findDeparturesById(trx, ids, { sandbox: false });
  const isNew = new Set(created);
  return {
    created: created.length,
    existing: found.length,
    departures: listed.map((departure) => ({
      departure,
      isNew: isNew.has(departure.id),
    })),
  };
}

/** The new price of each category to change, by its code: a decimal text in major units of the tour's currency. */
export type NewPrices = Record<string, string>;

/**
 * Converts prices to minor units.
 * @throws InvalidAmountError for more decimals than the currency has, UnknownCategoryError for a category that the tour does not have
 */
export function toPrices(
  given: NewPrices,
  { currency, currencyDigits, categories }: Pick<PricedTour, 'currency' | 'currencyDigits' | 'categories'>,
): Prices {
  const prices = Object.entries(given).map(([category, amount]) => {
    checkCategory(category, categories);
    const minor = toMinor(amount, currencyDigits);
    if (minor === undefined) throw new InvalidAmountError(amount, currency, currencyDigits);
    return [category, minor];
  });
  return Object.fromEntries(prices) as Prices;
}

/**
 * Returns the prices of a new departure in minor units.
 * @throws FirstPriceMissingError, errors of toPrices
 */
function toCompletePrices(
  given: NewPrices,
  tour: Pick<PricedTour, 'currency' | 'currencyDigits' | 'categories'>,
): Prices {
  const prices = toPrices(given, tour);
  const { code } = firstCategory(tour.categories);
  if (prices[code] === undefined) throw new FirstPriceMissingError(code);
  return prices;
}

interface ComparedDepartures {
  /** The given departures without duplicates, by date and time. */
  starts: LocalStart[];
  /** The tour's departures on the dates of `starts`. The map key is keyOf. */
  existing: Map<string, ExistingDeparture>;
}

async function comparedWithTour(
  db: Db,
  tour: TourOfDeparture,
  departures: ScheduledDeparture[],
): Promise<ComparedDepartures> {
  const found = await findLocalStarts(db, tour.id, departures);
  const starts = [...new Map(found.map((start) => [keyOf(start), start])).values()];
  const dates = [...new Set(starts.map(({ date }) => date))];
  const ofDates = await findDeparturesOfDates(db, tour.id, dates);
  const existing = new Map(ofDates.map((departure) => [keyOf(departure), departure]));
  const missing = starts.filter((start) => !existing.has(keyOf(start)));
  assertNotSkipped(missing);
  assertToldApart(tour, missing, ofDates);
  return { starts, existing };
}

function keyOf({ date, startTime }: { date: string; startTime: string | null }): string {
  return `${date} ${startTime ?? ''}`;
}

/**
 * Checks that each departure has a start time on a date with several departures, because a request chooses one of them by the time. The
 * trigger of 0115_departure_times.sql checks the same.
 * @throws DepartureHasNoTimeError
 */
function assertToldApart(tour: TourOfDeparture, missing: LocalStart[], existing: ExistingDeparture[]): void {
  const numbers = new Map<string, number>();
  for (const { date } of [...missing, ...existing]) numbers.set(date, (numbers.get(date) ?? 0) + 1);
  const isAmbiguous = ({ date, startTime }: { date: string; startTime: string | null }) =>
    startTime === null && numbers.get(date)! > 1;
  const changed = new Set(missing.map(({ date }) => date));
  const old = existing.find((departure) => changed.has(departure.date) && isAmbiguous(departure));
  if (old) throw new DepartureHasNoTimeError(tour.slug, old.date, false);
  const added = missing.find(isAmbiguous);
  if (added) throw new DepartureHasNoTimeError(tour.slug, added.date, true);
}

/**
 * Checks that clocks at the tour show these start times on these dates: a change to daylight saving time skips some.
 * @throws SkippedTimeError for the first start time that is skipped
 */
export function assertNotSkipped(
  starts: Pick<LocalStart, 'date' | 'startTime' | 'timeZone' | 'skipped'>[],
): void {
  const missing = starts.find(({ skipped }) => skipped);
  if (!missing) return;
  const { date, startTime: time, timeZone } = missing;
  throw new SkippedTimeError('start', { date, time: time! }, timeZone);
}

/**
 * Translates the refusal of a second departure on a date while a process of the previous release runs (0115_departure_times.sql).
 * @throws EarlierReleaseRunsError; otherwise the given error
 */
export function refuseDuringUpdate(error: unknown): never {
  const { constraint } = error as { constraint?: unknown };
  throw constraint === 'departures_one_a_day_during_update' ? new EarlierReleaseRunsError() : error;
}

// Only the terminal shows these errors.

export class FirstPriceMissingError extends AppError {
  readonly code = 'price_missing';

  constructor(code: string) {
    super(`--price ${code}=<money> is missing: ${code} is the first category of the tour`);
  }
}

class EarlierReleaseRunsError extends AppError {
  readonly code = 'earlier_release_runs';

  constructor() {
    super(
      'An instance of an earlier release still runs, which knows one departure a day; nothing was written. Update or stop it, wait a ' +
        'minute, and try again',
    );
  }
}

class DepartureHasNoTimeError extends AppError {
  readonly code = 'departure_has_no_time';

  /** @param isNew true: the new departure has no start time; false: the existing departure has none */
  constructor(tourSlug: string, date: string, isNew: boolean) {
    super(
      isNew
        ? `${tourSlug} has another departure on ${date}: a second one needs a start time`
        : `the departure of ${tourSlug} on ${date} has no start time: departure set-time gives it one, then others can be added`,
    );
  }
}

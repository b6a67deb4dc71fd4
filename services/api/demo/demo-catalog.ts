import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { categoriesOf, type Category } from '../parties/category';
import { firstCategory } from '../parties/party-rules';
import type { UndatedRate } from '../pricing/convert-price';
import {
  type DepartureSchedule,
  isEverySecond,
  markedDate,
  monthOf,
  previousDate,
  upcomingDates,
} from './departure-calendar';
import { addDays } from '../../platform/forms/days';

const SEEDS = join(__dirname, '../../../seeds');

/**
 * The slugs of the tours that show a certain case, such as a sold-out date. The flagship is the first tour of the catalog; the printed
 * example requests use it.
 */
export const demoSlugs = {
  flagship: 'ha-long-bay-cruise',
  soldOut: 'kyoto-temples-and-gardens',
  cancelled: 'sao-miguel-azores',
  past: 'tokyo-after-dark',
  closedVan: 'uyuni-to-atacama',
} as const;

/** The fields of a tour in `demo-tours.json` that this module reads. The other fields go to the import unchanged. */
interface DemoTour {
  slug: string;
  name: string;
  duration_days: number;
  currency: string;
  base_price: number;
  /** Absent: the default list. */
  categories?: Category[];
  /** Absent: the tour fetches nobody. */
  pickup?: { points: { point: string }[] };
  uses?: { resource: string }[];
  [field: string]: unknown;
}

/** A departure in the import format: dates are YYYY-MM-DD, amounts are in major units of the tour's currency. */
export interface DemoCatalogDeparture {
  departure_date: string;
  /** HH:MM. Absent: the tour's own start time, or none. */
  start_time?: string;
  return_date: string;
  status: 'scheduled' | 'cancelled';
  seats_total: number;
  closes_at?: string;
  closes_before?: string;
  /** By category. */
  prices: Record<string, number>;
}

/** A tour of the demo catalog in the import format. */
export type DemoCatalogTour = DemoTour & { departures: DemoCatalogDeparture[] };

interface DemoSchedule extends DepartureSchedule {
  seats: number;
  /** The number of days from the end of sales to the departure. Sales end at noon UTC. */
  closes_days_before?: number;
  /** The time from the end of sales to the start, such as `36h`. */
  closes_before?: string;
  /** Start times of the departures on every second date, HH:MM. The other dates have one departure, at the start time of the tour. */
  start_times?: string[];
  prices: SeasonalPrices;
}

interface SeasonalPrices {
  /** The prices of the other categories, as shares of the price of the tour's first category. */
  shares?: Record<string, number>;
  /** The months of each season, 1 to 12. */
  high_season?: number[];
  low_season?: number[];
  /** The share of the base price that the high season adds. The low season subtracts two thirds of this share. */
  swing?: number;
}

/** The number of minor units in a major unit, for the currencies in which it is not 100. */
const MINOR_UNITS: Record<string, number> = { CLP: 1, ISK: 1, JPY: 1, KRW: 1, VND: 1, JOD: 1000 };

/**
 * Returns the demo catalog in the import format of catalog-import/, with departures relative to `today`.
 * @param today YYYY-MM-DD
 */
export function demoCatalog(today: string): DemoCatalogTour[] {
  const schedules = readSchedules();
  const tours = readSeed<DemoTour[]>('demo-tours.json');
  return tours.map((tour) => ({ ...tour, departures: departures(tour, schedules[tour.slug]!, today) }));
}

/** Returns the pickup points that the demo's tours name, in the import format. */
export function demoPickupPoints(): { code: string }[] {
  return readSeed<{ pickup_points: { code: string }[] }>('demo-pickup-points.json').pickup_points;
}

/** Returns the demo's exchange rates. Their order of magnitude is right, but they are of no certain day. */
export function demoRates(): UndatedRate[] {
  const rates = readSeed<Record<string, string>>('demo-rates.json');
  return Object.entries(rates).map(([currency, unitsPerEur]) => ({ currency, unitsPerEur }));
}

/** Returns the departure that the demo sells out. */
export function demoSoldOut(today: string): {
  tour_slug: string;
  departure_date: string;
  seats_total: number;
} {
  const schedule = readSchedules()[demoSlugs.soldOut]!;
  return {
    tour_slug: demoSlugs.soldOut,
    departure_date: markedDate(schedule, today),
    seats_total: schedule.seats,
  };
}

/** A resource of the demo in the import format. */
export interface DemoResource {
  code: string;
  [field: string]: unknown;
}

/** Returns a boat with two tours, a guide with three, and a van with one. */
export function demoResources(): DemoResource[] {
  return readSeed<{ resources: DemoResource[] }>('demo-resources.json').resources;
}

/** Returns the closing of the van of the demo: the second date of its tour, and the day after it. */
export function demoClosing(today: string): { code: string; from: string; to: string; reason: string } {
  const [, date] = upcomingDates(readSchedules()[demoSlugs.closedVan]!, today) as [string, string];
  return { code: 'van-uyuni', from: date, to: addDays(date, 1), reason: 'New brakes' };
}

function readSchedules(): Record<string, DemoSchedule> {
  return readSeed('demo-schedules.json');
}

function readSeed<T>(file: string): T {
  return JSON.parse(readFileSync(join(SEEDS, file), 'utf8')) as T;
}

function departures(tour: DemoTour, schedule: DemoSchedule, today: string): DemoCatalogDeparture[] {
  const dates = upcomingDates(schedule, today);
  if (tour.slug === demoSlugs.past) dates.unshift(previousDate(schedule, today));
  const cancelled = tour.slug === demoSlugs.cancelled ? markedDate(schedule, today) : undefined;
  const closes = schedule.closes_days_before;
  return dates.flatMap((date) =>
    startTimesOn(schedule, date).map((time) => ({
      departure_date: date,
      ...(time !== undefined && { start_time: time }),
      return_date: addDays(date, tour.duration_days - 1),
      status: date === cancelled ? 'cancelled' : 'scheduled',
      seats_total: schedule.seats,
      ...(closes && { closes_at: `${addDays(date, -closes)}T12:00:00Z` }),
      ...(schedule.closes_before && { closes_before: schedule.closes_before }),
      prices: pricesOn(tour, schedule.prices, date),
    })),
  );
}

/** Returns the start time of each departure of the date. Undefined stands for the start time of the tour. */
function startTimesOn(schedule: DemoSchedule, date: string): (string | undefined)[] {
  const { start_times } = schedule;
  return start_times && isEverySecond(schedule, date) ? start_times : [undefined];
}

function pricesOn(tour: DemoTour, rates: SeasonalPrices, date: string): DemoCatalogDeparture['prices'] {
  const season = seasonFactor(rates, monthOf(date));
  const part = (share: number) => rounded(tour, tour.base_price * season * share);
  const first = firstCategory(categoriesOf(tour.categories ?? null)).code;
  const others = Object.entries(rates.shares ?? {}).map(([code, share]) => [code, part(share)] as const);
  return Object.fromEntries([[first, season === 1 ? tour.base_price : part(1)], ...others]);
}

function seasonFactor({ high_season, low_season, swing = 0 }: SeasonalPrices, month: number): number {
  if (high_season?.includes(month)) return 1 + swing;
  if (low_season?.includes(month)) return 1 - (swing * 2) / 3;
  return 1;
}

/** Rounds to a multiple of a step. The step is 1, 2 or 5 times a power of ten, the largest that is at most 1 % of the base price. */
function rounded({ base_price, currency }: DemoTour, amount: number): number {
  const units = MINOR_UNITS[currency] ?? 100;
  const most = (base_price * units) / 100;
  const power = 10 ** Math.floor(Math.log10(most));
  const factor = [5, 2].find((one) => most >= one * power) ?? 1;
  const step = factor * power;
  return (Math.round((amount * units) / step) * step) / units;
}

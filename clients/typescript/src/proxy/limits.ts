import { TourPlatformError } from '../errors.ts';
import { withinRange } from './options.ts';
import {
  type CategoryRules,
  type Party,
  type RequestedParty,
  resolveChange,
  resolveParty,
  SEATS_MAX,
  unitsOf,
} from './party-rules.ts';
import { invalidField, rateLimited, Refusal } from './problems.ts';
import type { JsonObject } from './body.ts';
import type { CallPlatform, HoldItem, Tour } from './platform.ts';

export interface LimitOptions {
  /** Most holds that a visitor places in an hour: 1 to 100, by default 10. */
  holdsPerHour?: number;
  /** Most seats of one hold or booking: 1 to 50, by default 10. */
  seats?: number;
  /** Most minutes that a visitor may ask for: 1 to 60, by default 20. Without a wish, the tenant's setting decides. */
  maxHoldMinutes?: number;
}

/** Limits of one visitor, that is of one cookie. The platform's own limits bind all visitors together. */
export interface Limits {
  /** The most seats of one hold or booking. */
  seatsMax: number;
  /** @throws Refusal (400) for a hold that would last too long */
  assertMinutes(body: JsonObject): void;
  /** Returns the minutes, or as many as a hold may last here. */
  shortened(minutes: number): number;
  /** @param now milliseconds, by the clock that wrote `created_at` @throws Refusal rate_limited (429) */
  assertHoldRate(holds: readonly Pick<HoldItem, 'created_at'>[], now: number): void;
  /**
   * @param tourId UUID or slug of the tour
   * @param now the party of the hold that the request changes
   * @returns the seats
   * @throws Refusal hold_limit_reached (409); TourPlatformError if the tour is not found
   */
  assertSeats(tourId: string, requested: RequestedParty, now?: Party): Promise<number>;
}

const HOUR_MS = 3_600_000;

/** @throws TypeError for a limit outside its range */
export function createLimits(options: LimitOptions, call: CallPlatform): Limits {
  const holdsPerHour = withinRange(options.holdsPerHour, 'holdsPerHour', 10, 100);
  const seatsMax = withinRange(options.seats, 'seats', 10, SEATS_MAX);
  const maxHoldMinutes = withinRange(options.maxHoldMinutes, 'maxHoldMinutes', 20, 60);
  const categoriesOf = createCategories(call);
  return {
    seatsMax,
    assertMinutes: ({ hold_minutes: minutes }) => {
      if (typeof minutes !== 'number' || minutes <= maxHoldMinutes) return;
      throw invalidField('body', 'hold_minutes', `must be at most ${maxHoldMinutes}`);
    },
    shortened: (minutes) => Math.min(minutes, maxHoldMinutes),
    assertHoldRate: (holds, now) => {
      const recent = holds.map(({ created_at }) => Date.parse(created_at)).filter((at) => at > now - HOUR_MS);
      if (recent.length < holdsPerHour) return;
      const [first] = recent.sort((one, other) => other - one).slice(holdsPerHour - 1);
      const seconds = Math.ceil((first! + HOUR_MS - now) / 1000);
      throw rateLimited(`A visitor places at most ${holdsPerHour} holds in an hour.`, seconds);
    },
    assertSeats: async (tourId, requested, now) => {
      const seats = requested.quantity ?? seatsOfRequest(requested, await categoriesOf(tourId), now);
      // The platform refuses more than SEATS_MAX as an invalid number (400), whatever this site allows.
      if (seats <= seatsMax || seats > SEATS_MAX) return seats;
      throw new Refusal('hold_limit_reached', `A visitor takes at most ${seatsMax} seats at a time.`);
    },
  };
}

type Categories = readonly CategoryRules[];

/** Counts the seats of a request as the platform does. A unit of a category that the tour has got or lost meanwhile counts as one seat. */
function seatsOfRequest(requested: RequestedParty, categories: Categories, now?: Party): number {
  const { party, seats } = now
    ? resolveChange(now, requested, categories)
    : resolveParty(requested, categories);
  const others = Object.keys(party).filter((code) => !categories.some((one) => one.code === code));
  return others.reduce((sum, code) => sum + unitsOf(party, code), seats);
}

const CATEGORIES_MS = 60_000;
const TOURS_MAX = 1000;

/**
 * Reads the categories of tours, and keeps them for a minute: they change seldom, and the platform decides each sale by the present ones. Older
 * ones serve while the platform refuses this read, so that a visitor can book the seats that are held.
 */
function createCategories(call: CallPlatform): (tourId: string) => Promise<Categories> {
  const kept = new Map<string, { categories: Categories; until: number }>();
  return async (tourId) => {
    const id = tourId.toLowerCase();
    const known = kept.get(id);
    if (known && known.until > performance.now()) return known.categories;
    try {
      const { categories } = (await call({ path: `/api/tenant/tours/${id}` })).json as Tour;
      kept.delete(id);
      if (kept.size >= TOURS_MAX) kept.delete(kept.keys().next().value!);
      kept.set(id, { categories, until: performance.now() + CATEGORIES_MS });
      return categories;
    } catch (error) {
      if (known && error instanceof TourPlatformError && error.retryable) return known.categories;
      throw error;
    }
  };
}

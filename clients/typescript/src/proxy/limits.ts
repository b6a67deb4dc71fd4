import { TourPlatformError } from '../errors.ts';
import { withinRange } from './options.ts';
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
   * @param party the units by category that the request means, as partyOf returns it
   * @returns the seats
   * @throws Refusal hold_limit_reached (409); TourPlatformError if the tour is not found
   */
  assertSeats(tourId: string, party: RequestedParty): Promise<number>;
}

const HOUR_MS = 3_600_000;
/** Most seats of a party at the platform. */
const SEATS_MAX = 50;

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
    assertSeats: async (tourId, party) => {
      const seats = party.quantity ?? seatsOfUnits(party.units, await categoriesOf(tourId));
      // The platform refuses more than SEATS_MAX as an invalid number (400), whatever this site allows.
      if (seats <= seatsMax || seats > SEATS_MAX) return seats;
      throw new Refusal('hold_limit_reached', `A visitor takes at most ${seatsMax} seats at a time.`);
    },
  };
}

/** The seats that a request names, or its units by category. */
export interface RequestedParty {
  quantity?: number;
  units: Record<string, number>;
}

/** The fields of a body that mean units of a category, with the category's code. */
const NAMED_UNITS = { adults: 'adult', children: 'child', single_supplements: 'single_supplement' } as const;

/** Returns whether a body names seats or units. */
export function namesParty(body: JsonObject): boolean {
  return ['quantity', 'party', ...Object.keys(NAMED_UNITS)].some((field) => body[field] !== undefined);
}

/**
 * Returns the party that a body means. Leaves out what is no whole number: the platform refuses it.
 * @param present the units that stay unless the body names them
 */
export function partyOf(body: JsonObject, present: Record<string, number> = {}): RequestedParty {
  const units = { ...present };
  for (const [field, code] of Object.entries(NAMED_UNITS)) {
    if (isCount(body[field])) units[code] = body[field];
  }
  const party = (body.party ?? {}) as JsonObject;
  for (const [code, number] of Object.entries(party)) {
    if (isCount(number)) units[code] = number;
  }
  return isCount(body.quantity) ? { quantity: body.quantity, units } : { units };
}

function isCount(value: unknown): value is number {
  return Number.isInteger(value) && (value as number) >= 0;
}

type Categories = readonly Pick<Tour['categories'][number], 'code' | 'seats'>[];

/** Counts the seats of units. A code that the tour lacks counts as its first category: `adults` means that one. */
function seatsOfUnits(units: Record<string, number>, categories: Categories): number {
  const seats = new Map(categories.map(({ code, seats: ofUnit }) => [code, ofUnit]));
  const ofFirst = categories[0]?.seats ?? 1;
  let total = 0;
  for (const [code, number] of Object.entries(units)) total += number * (seats.get(code) ?? ofFirst);
  return total;
}

const CATEGORIES_MS = 60_000;
const TOURS_MAX = 1000;

/**
 * Reads the categories of tours, and keeps them for a minute: they change seldom, and the platform judges each sale by the present ones. Older
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
      const few = categories.map(({ code, seats }) => ({ code, seats }));
      kept.set(id, { categories: few, until: performance.now() + CATEGORIES_MS });
      return few;
    } catch (error) {
      if (known && error instanceof TourPlatformError && error.retryable) return known.categories;
      throw error;
    }
  };
}

import fc from 'fast-check';
import { hasFewLeft, stateOf } from '../../clients/booking-element/src/departure-state';
import { bookingsLeft, boundsOf } from '../../clients/booking-element/src/party-choice';
import type { Departure, Tour } from '../../clients/booking-element/src/wire';
import type { Category } from '../../services/api/parties/category';
import { categoriesArbitrary, pricesArbitrary } from './random-categories';
import {
  categoryIssue,
  fewestSeats,
  type Party,
  seatsOf,
  soldCategories,
} from '../../services/api/parties/party-rules';

const BOAT: Category = { code: 'boat', kind: 'group', seats: 8, people: 8 };
const GROUP: Category = { code: 'adult', kind: 'adult', seats: 1, people: 1, min: 4 };
const ADULT: Category = { code: 'adult', kind: 'adult', seats: 1, people: 1 };

function tourOf(categories: Category[], rest: Partial<Tour> = {}): Tour {
  return { categories, group_size_max: null, ...rest } as unknown as Tour;
}

function departureOf(seats: number): Departure {
  return {
    status: 'available',
    seats_available: seats,
    tenant_prices: { boat: 900, adult: 50, deposit: 1 },
  } as unknown as Departure;
}

/** Returns all parties of up to four units of each category. No category of a random tour needs more. */
function partiesOf([first, ...others]: readonly Category[]): Party[] {
  if (!first) return [{}];
  return partiesOf(others).flatMap((party) =>
    [0, 1, 2, 3, 4].map((units) => ({ ...party, [first.code]: units })),
  );
}

describe('the smallest booking of a tour in the element', () => {
  it('takes the fewest seats of all parties of up to four units of each category, for 200 random tours and prices', () => {
    const found = new Set<number>();
    fc.assert(
      fc.property(categoriesArbitrary, pricesArbitrary, (categories, prices) => {
        const sold = soldCategories(categories, prices);
        const seats = partiesOf(sold)
          .filter((party) => sold.every(({ code }) => !categoryIssue(code, party, sold, prices)))
          .map((party) => seatsOf(party, sold));
        const fewest = Math.min(...seats.filter((number) => number > 0), Infinity);
        found.add(fewest);
        expect(fewestSeats(prices, categories)).toBe(fewest);
      }),
      { numRuns: 200 },
    );
    expect(found).toContain(Infinity);
    expect(found.size).toBeGreaterThan(5);
  });

  it.each<[string, number, string, Category[]]>([
    ['a boat of eight', 5, 'soldOut', [BOAT]],
    ['a boat of eight', 8, 'open', [BOAT]],
    ['a group of at least four', 3, 'soldOut', [GROUP]],
    ['a group of at least four', 4, 'open', [GROUP]],
    ['a boat of eight, or one adult,', 1, 'open', [BOAT, ADULT]],
  ])('decides: %s with %i free seats is %s', (_title, seats, state, categories) => {
    expect(stateOf(departureOf(seats), tourOf(categories))).toBe(state);
  });

  it('few are left where the free seats are enough for at most five bookings', () => {
    expect(hasFewLeft(departureOf(40), tourOf([BOAT]))).toBe(true);
    expect(hasFewLeft(departureOf(48), tourOf([BOAT]))).toBe(false);
    expect(hasFewLeft(departureOf(5), tourOf([ADULT]))).toBe(true);
    expect(hasFewLeft(departureOf(6), tourOf([ADULT]))).toBe(false);
    expect(bookingsLeft(departureOf(23), tourOf([GROUP]))).toBe(5);
  });

  it('a site that takes fewer seats at a time than any booking sells no day', () => {
    expect(stateOf(departureOf(20), tourOf([BOAT], { seatsMax: 6 }))).toBe('soldOut');
    expect(stateOf(departureOf(20), tourOf([BOAT], { seatsMax: 8 }))).toBe('open');
  });
});

describe('the seats that bound a party', () => {
  it.each([
    ['the platform', {}, 50],
    ['the group', { group_size_max: 12 }, 12],
    ['the site', { group_size_max: 12, seatsMax: 10 }, 10],
  ])('the most seats of one booking are those of %s', (_title, rest, most) => {
    expect(boundsOf(departureOf(60), tourOf([ADULT], rest))).toEqual({ free: 60, most });
  });

  it('a group that is too small for any booking is no bound, because the platform sells it', () => {
    expect(boundsOf(departureOf(20), tourOf([BOAT], { group_size_max: 6 })).most).toBe(8);
  });
});

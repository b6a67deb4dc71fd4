import fc from 'fast-check';
import {
  changeParty,
  issueOf,
  limitOf,
  seatsOf,
  startParty,
  stepOf,
  totalOf,
} from '../../clients/booking-element/src/party-rules';
import { type Category, DEFAULT_CATEGORIES } from '../../services/api/pricing/category';
import { toMajor } from '../../services/api/pricing/currency';
import * as platform from '../../services/api/pricing/party';
import { categoriesArbitrary, code, CODES, pricesArbitrary } from './random-categories';

const unitsArbitrary = fc.dictionary(
  code,
  fc.oneof({ weight: 4, arbitrary: fc.integer({ min: 0, max: 6 }) }, fc.integer({ min: 0, max: 120 })),
);

/** Returns what the platform says about a party: the category that it refuses, `party` for the whole party, or undefined. */
function verdictOfPlatform(party: platform.Party, categories: Category[], prices: Record<string, number>) {
  try {
    platform.assertParty(party, categories, prices);
  } catch (error) {
    return error instanceof platform.UnsoldCategoryError ? error.category : 'party';
  }
  return undefined;
}

describe('the rules of a party in the element', () => {
  it('give the verdict of the platform for 1,000 random tours and parties', () => {
    const verdicts = new Set<string | undefined>();
    fc.assert(
      fc.property(categoriesArbitrary, pricesArbitrary, unitsArbitrary, (categories, prices, units) => {
        const party = platform.toParty(units, categories);
        const issue = issueOf(party, categories, prices, { free: Infinity });
        const verdict = verdictOfPlatform(party, categories, prices);
        verdicts.add(verdict);
        expect(issue && (issue.category ?? 'party')).toBe(verdict);
        expect(seatsOf(party, categories)).toBe(platform.seatsOf(party, categories));
      }),
      { numRuns: 1_000 },
    );
    expect([...verdicts].sort()).toEqual([...CODES, 'party', undefined].sort());
  });

  it.each([0, 2, 3])(
    'give the total of the platform in minor units for a currency of %i decimals',
    (digits) => {
      fc.assert(
        fc.property(pricesArbitrary, unitsArbitrary, (prices, units) => {
          const major = Object.fromEntries(
            Object.entries(prices).map(([name, minor]) => [name, toMajor(minor, digits)]),
          );
          expect(totalOf(units, major, digits)).toBe(platform.totalOf(units, prices));
        }),
      );
    },
  );

  it('count the free seats of the departure after all other rules', () => {
    const prices = { adult: 100 };
    expect(issueOf({ adult: 3 }, DEFAULT_CATEGORIES, prices, { free: 3 })).toBeUndefined();
    expect(issueOf({ adult: 4 }, DEFAULT_CATEGORIES, prices, { free: 3 })).toEqual({
      kind: 'free',
      number: 3,
    });
  });

  it('begin with the fewest units of the first category that has a price', () => {
    const boat: Category = { code: 'boat', kind: 'group', seats: 8, people: 8 };
    const school: Category = { code: 'school', kind: 'student', seats: 1, people: 1, min: 10 };
    expect(startParty([boat, school], { boat: 900, school: 10 }, 50)).toEqual({ boat: 1 });
    expect(startParty([boat, school], { school: 10 }, 50)).toEqual({ school: 10 });
    expect(startParty([boat], {}, 50)).toEqual({});
  });

  it('begin with the first category that fits into the free seats', () => {
    const boat: Category = { code: 'boat', kind: 'group', seats: 8, people: 8 };
    const seat: Category = { code: 'seat', kind: 'adult', seats: 1, people: 1, min: 2 };
    expect(startParty([boat, seat], { boat: 900, seat: 10 }, 5)).toEqual({ seat: 2 });
    expect(startParty([boat, seat], { boat: 900, seat: 10 }, 1)).toEqual({ boat: 1 });
  });

  it('name the limit that binds: the free seats, the seats of one booking, or its units', () => {
    const [adult] = DEFAULT_CATEGORIES as [Category];
    const infant: Category = { code: 'infant', kind: 'infant', seats: 0, people: 1 };
    const issue = (party: platform.Party, free: number) =>
      issueOf(party, [adult, infant], { adult: 1, infant: 0 }, { free, most: 10 });
    expect(issue({ adult: 11 }, 20)).toEqual({ kind: 'seats', number: 10 });
    expect(issue({ adult: 11 }, 10)).toEqual({ kind: 'seats', number: 10 });
    expect(issue({ adult: 11 }, 9)).toEqual({ kind: 'free', number: 9 });
    expect(issue({ adult: 1, infant: 99 }, 20)).toEqual({ kind: 'max', number: 99 });
    expect(limitOf(adult, { adult: 10 }, [adult], { free: 20, most: 10 })?.kind).toBe('seats');
  });

  it('keep the order of the categories, and leave out a category without units', () => {
    const party = changeParty({ child: 1 }, 'adult', 2, DEFAULT_CATEGORIES);
    expect(Object.entries(party)).toEqual([
      ['adult', 2],
      ['child', 1],
    ]);
    expect(changeParty(party, 'child', 0, DEFAULT_CATEGORIES)).toEqual({ adult: 2 });
  });

  it('step from none to the fewest units and back, and never below 0 or above 99', () => {
    const group: Category = { code: 'group', kind: 'group', seats: 1, people: 1, min: 4 };
    expect([stepOf(0, 1, group), stepOf(4, -1, group), stepOf(0, -1, group)]).toEqual([4, 0, 0]);
    expect(stepOf(99, 1, group)).toBe(99);
  });

  it('limit a category by its own rule, or by the seats, and never by a companion that may still come', () => {
    const [adult, , supplement] = DEFAULT_CATEGORIES as [Category, Category, Category];
    const infant: Category = { code: 'infant', kind: 'infant', seats: 0, people: 1, with: ['adult'], max: 1 };
    const categories = [...DEFAULT_CATEGORIES, infant];
    const limit = (one: Category, party: platform.Party) => limitOf(one, party, categories, { free: 3 });
    expect(limit(infant, {})).toBeUndefined();
    expect(limit(infant, { infant: 1 })).toEqual({ kind: 'max', category: 'infant', number: 1 });
    expect(limit(supplement, { adult: 1 })).toBeUndefined();
    expect(limit(supplement, { adult: 1, single_supplement: 1 })?.kind).toBe('at_most');
    expect(limit(adult, { adult: 3 })).toEqual({ kind: 'free', number: 3 });
  });
});

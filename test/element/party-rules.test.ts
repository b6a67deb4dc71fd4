import fc from 'fast-check';
import {
  changeParty,
  limitOf,
  startParty,
  stepOf,
  totalOf,
} from '../../clients/booking-element/src/party-choice';
import { type Category, DEFAULT_CATEGORIES } from '../../services/api/parties/category';
import { toMajor } from '../../services/api/pricing/currency';
import * as pricing from '../../services/api/pricing/price-categories';
import { pricesArbitrary, unitsArbitrary } from './random-categories';
import { type Party, partyIssue } from '../../services/api/parties/party-rules';

describe('the rules of a party in the element', () => {
  it.each([0, 2, 3])(
    'give the total of the platform in minor units for a currency of %i decimals',
    (digits) => {
      fc.assert(
        fc.property(pricesArbitrary, unitsArbitrary, (prices, units) => {
          const major = Object.fromEntries(
            Object.entries(prices).map(([name, minor]) => [name, toMajor(minor, digits)]),
          );
          expect(totalOf(units, major, digits)).toBe(pricing.totalOf(units, prices));
        }),
      );
    },
  );

  it('count the free seats of the departure after all other rules', () => {
    const prices = { adult: 100 };
    expect(partyIssue({ adult: 3 }, DEFAULT_CATEGORIES, prices, { free: 3 })).toBeUndefined();
    expect(partyIssue({ adult: 4 }, DEFAULT_CATEGORIES, prices, { free: 3 })).toEqual({
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
    const issue = (party: Party, free: number) =>
      partyIssue(party, [adult, infant], { adult: 1, infant: 0 }, { free, most: 10 });
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
    const limit = (one: Category, party: Party) => limitOf(one, party, categories, { free: 3 });
    expect(limit(infant, {})).toBeUndefined();
    expect(limit(infant, { infant: 1 })).toEqual({ kind: 'max', category: 'infant', number: 1 });
    expect(limit(supplement, { adult: 1 })).toBeUndefined();
    expect(limit(supplement, { adult: 1, single_supplement: 1 })?.kind).toBe('at_most');
    expect(limit(adult, { adult: 3 })).toEqual({ kind: 'free', number: 3 });
  });
});

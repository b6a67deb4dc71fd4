import fc from 'fast-check';
import { type Category, categoryIssues, DEFAULT_CATEGORIES } from '../../services/api/parties/category';
import { type Party, seatsOf, toParty } from '../../services/api/parties/party-rules';
import {
  assertWantedParty,
  changedParty,
  comparedParty,
  newPartyInput,
  partyInput,
  partyOfRequest,
} from '../../services/api/parties/requested-party';
import type { HoldPatch } from '../../services/api/rest/hold.dto';
import { comparedHoldChange } from '../../services/api/rest/hold.request';

const VISITOR: Category = { code: 'visitor', kind: 'adult', seats: 1, people: 1 };
const INFANT: Category = { code: 'infant', kind: 'infant', seats: 0, people: 1, with: ['visitor', 'family'] };
const FAMILY: Category = { code: 'family', kind: 'family', seats: 4, people: 4, max: 2 };
const CABIN: Category = { code: 'cabin', kind: 'supplement', seats: 0, people: 0 };
const MUSEUM = [VISITOR, INFANT, FAMILY];
const PRICES = { visitor: 1_000, infant: 0, family: 3_000 };

const refusal = (check: () => unknown) => {
  try {
    check();
  } catch (error) {
    const { errors: issues } = error as { errors: { field: string; message: string }[] };
    return issues.map(({ field, message }) => `${field} ${message}`).join('; ');
  }
  return undefined;
};
const CROWD: Category = { code: 'adult', kind: 'group', seats: 4, people: 4 };
const judge = (party: Party, categories: readonly Category[] = MUSEUM, prices: Party = PRICES) =>
  refusal(() => assertWantedParty({ ...changedParty(party, {}, categories), party }, categories, prices));

/** Returns as many categories as a tour can have. Their circles have more than 100 million paths. */
function manyThatNeedEachOther(): Category[] {
  const codes = Array.from({ length: 11 }, (_, index) => `infant_${index}`);
  const needing = codes.map((code) => ({ ...INFANT, code, with: codes.filter((other) => other !== code) }));
  return [{ ...VISITOR, with: codes }, ...needing];
}

describe('a list of categories', () => {
  it('the default list has no issue', () => {
    expect(categoryIssues(DEFAULT_CATEGORIES)).toEqual([]);
    expect(categoryIssues(MUSEUM)).toEqual([]);
    expect(categoryIssues([VISITOR, CABIN, { ...CABIN, code: 'balcony', with: ['cabin'] }])).toEqual([]);
    expect(categoryIssues([{ ...FAMILY, seats: 25, min: 2 }])).toEqual([]);
  });

  it.each<[string, Category[], unknown[]]>([
    ['the first takes no seat', [INFANT, VISITOR], [0, 'seats']],
    ['the first is a supplement', [{ ...VISITOR, kind: 'supplement' }], [0, 'kind']],
    ['a code comes twice', [VISITOR, VISITOR], [1, 'code']],
    ['a code is reserved', [VISITOR, { ...FAMILY, code: 'deposit' }], [1, 'code']],
    ['a code is a name of every object', [VISITOR, { ...FAMILY, code: '__proto__' }], [1, 'code']],
    ['the ages are in the wrong order', [{ ...VISITOR, age_from: 18, age_to: 17 }], [0, 'age_to']],
    ['the most is below the fewest', [{ ...VISITOR, min: 3, max: 2 }], [0, 'max']],
    ['a companion is unknown', [VISITOR, { ...INFANT, with: ['nurse'] }], [1, 'with']],
    ['a companion is the category itself', [VISITOR, { ...INFANT, with: ['infant'] }], [1, 'with']],
    [
      'two categories need each other',
      [VISITOR, { ...FAMILY, with: ['infant'] }, { ...INFANT, with: ['family'] }],
      [1, 'with'],
    ],
    ['eleven categories need each other', manyThatNeedEachOther(), [1, 'with']],
    ['a companion is a supplement', [VISITOR, CABIN, { ...INFANT, with: ['visitor', 'cabin'] }], [2, 'with']],
    ['the fewest units do not fit into a booking', [VISITOR, { ...FAMILY, seats: 26, min: 2 }], [1, 'min']],
    ['at_most is unknown', [VISITOR, { ...FAMILY, at_most: 'bed' }], [1, 'at_most']],
  ])('a list has an issue if %s', (_title, categories, path) => {
    expect(categoryIssues(categories)[0]?.path).toEqual(path);
  });

  it('a circle is one issue, and two circles are two', () => {
    const pair = (one: string, other: string): Category[] => [
      { ...INFANT, code: one, with: [other] },
      { ...INFANT, code: other, with: [one] },
    ];
    const categories = [VISITOR, ...pair('aa', 'bb'), ...pair('cc', 'dd')];
    expect(categoryIssues(categories).map(({ path }) => path)).toEqual([
      [1, 'with'],
      [3, 'with'],
    ]);
  });

  it('each category has an issue of its own', () => {
    const categories = [{ ...CABIN, with: ['bed'] }, { ...VISITOR, min: 3, max: 2 }, FAMILY, FAMILY];
    expect(categoryIssues(categories).map(({ path }) => path)).toEqual([
      [0, 'kind'],
      [1, 'max'],
      [3, 'code'],
    ]);
  });
});

describe('the judge of a party', () => {
  it('a party that keeps every rule is sold', () => {
    expect(judge({ visitor: 2, infant: 3, family: 1 })).toBeUndefined();
  });

  it.each([
    [{ visitor: 1, senior: 1 }, 'party.senior must be left out: senior is none of the categories'],
    [
      { visitor: 1, constructor: 1 },
      'party.constructor must be left out: constructor is none of the categories',
    ],
    [{ infant: 1 }, 'party.infant must be 0 without visitor or family'],
    [{ family: 3 }, 'party.family must be at most 2'],
  ])('the party %j is refused: %s', (party, message) => {
    expect(judge(party)).toContain(message);
  });

  it('a category without a price, with too few units, or above another one is refused', () => {
    expect(judge({ visitor: 1, family: 1 }, MUSEUM, { visitor: 1 })).toContain('family has no price');
    expect(judge({ visitor: 2 }, [{ ...VISITOR, min: 3 }])).toContain('at least 3');
    const prices = { adult: 1, single_supplement: 1 };
    const message = 'single_supplements must be at most the number of adult';
    expect(judge({ adult: 1, single_supplement: 2 }, DEFAULT_CATEGORIES, prices)).toContain(message);
  });

  it('a party takes 1 to 50 seats and at most 99 units', () => {
    expect(judge({})).toContain('from 1 to 50 seats');
    expect(judge({ visitor: 51 })).toContain('from 1 to 50 seats');
    expect(judge({ visitor: 50 })).toBeUndefined();
    expect(judge({ visitor: 1, infant: 98 })).toBeUndefined();
    expect(judge({ visitor: 1, infant: 99 })).toContain('at most 99 units');
  });
});

describe('the party of a request', () => {
  it.each([
    [{}, DEFAULT_CATEGORIES, { adult: 1 }],
    [{ children: 2 }, DEFAULT_CATEGORIES, { adult: 1, child: 2 }],
    [{ adults: 0, children: 2 }, DEFAULT_CATEGORIES, { child: 2 }],
    [{ quantity: 3, children: 1 }, DEFAULT_CATEGORIES, { adult: 2, child: 1 }],
    [{ party: { single_supplement: 1 }, adults: 2 }, DEFAULT_CATEGORIES, { adult: 2, single_supplement: 1 }],
    [{}, MUSEUM, { visitor: 1 }],
    [{ adults: 2 }, MUSEUM, { visitor: 2 }],
    [{ quantity: 4 }, MUSEUM, { visitor: 4 }],
    [{ party: { family: 1, visitor: 2 } }, MUSEUM, { visitor: 2, family: 1 }],
    [{ party: { family: 1 }, quantity: 4 }, MUSEUM, { family: 1 }],
    [{ children: 0, single_supplements: 0 }, MUSEUM, { visitor: 1 }],
    [{}, [CROWD], { adult: 1 }],
    [{ adults: 1, quantity: 4 }, [CROWD], { adult: 1 }],
  ])('the body %j means the right party', (body, categories, party) => {
    const read = partyOfRequest(newPartyInput(body), categories);
    expect(Object.entries(read.party)).toEqual(Object.entries(party));
    expect([read.seats, read.partyRefusal]).toEqual([seatsOf(party, categories), undefined]);
  });

  it.each([
    [{ party: { adult: 1 }, adults: 1 }, DEFAULT_CATEGORIES, 'must not come with party.adult'],
    [{ party: { visitor: 1 }, adults: 1 }, MUSEUM, 'must not come with party.visitor'],
    [{ party: { family: 1 }, quantity: 5 }, MUSEUM, 'quantity must be the seats of the party'],
    [{ party: { visitor: -1 } }, MUSEUM, 'party.visitor must be a whole number from 0 to 99'],
    [{ party: { visitor: 1.5 } }, MUSEUM, 'party.visitor must be a whole number'],
    [{ party: { Visitor: 1 } }, MUSEUM, 'codes of categories'],
    [{ adults: 0 }, DEFAULT_CATEGORIES, 'adults must be at least 1'],
  ])('the body %j is refused', (body, categories, message) => {
    expect(refusal(() => partyOfRequest(newPartyInput(body), categories))).toContain(message);
  });

  it.each([
    [{}, [FAMILY], 'party is required for this tour: a number for each wanted category of family', 1],
    [{ adults: 1 }, [FAMILY], 'party is required', 1],
    [{ quantity: 8 }, [FAMILY], 'party is required', 8],
    [{ quantity: 4 }, [CROWD], 'party is required', 4],
    [{ quantity: 4, children: 1 }, [CROWD, VISITOR], 'party is required', 4],
    [{ party: { senoir: 2 } }, DEFAULT_CATEGORIES, 'party.senoir must be left out', 1],
    [{ party: { adult: 2, senoir: 0 } }, DEFAULT_CATEGORIES, 'party.senoir must be left out', 2],
    [{ party: { senoir: 2 }, quantity: 2 }, MUSEUM, 'party.senoir must be left out', 1],
    [{ adults: 0, children: 2 }, MUSEUM, 'children must be left out', 1],
  ])(
    'the body %j is refused after the departure',
    (body, categories: readonly Category[], message, seats) => {
      const meant = partyOfRequest(newPartyInput(body), categories);
      expect(meant.seats).toBe(seats);
      const prices = Object.fromEntries(categories.map(({ code }) => [code, 1]));
      expect(refusal(() => assertWantedParty(meant, categories, prices))).toContain(message);
    },
  );

  it('a booking without a date and without a number means one unit of the first category', () => {
    const undated = (body: object, categories: readonly Category[]) =>
      partyOfRequest(newPartyInput(body), categories, false);
    const adultLast = [VISITOR, { ...VISITOR, code: 'adult' }];
    expect(undated({}, adultLast).party).toEqual({ visitor: 1 });
    expect(undated({ adults: 1 }, adultLast).party).toEqual({ adult: 1 });
    expect(undated({}, [FAMILY]).party).toEqual({ family: 1 });
    expect(undated({}, DEFAULT_CATEGORIES).party).toEqual({ adult: 1 });
    expect(partyOfRequest(newPartyInput({}), adultLast).party).toEqual({ adult: 1 });
  });

  it('a change replaces the numbers that it names, and 0 removes a category', () => {
    const change = (body: object) => changedParty({ visitor: 2, family: 1 }, partyInput(body), MUSEUM).party;
    expect(change({ party: { infant: 1 } })).toEqual({ visitor: 2, infant: 1, family: 1 });
    expect(change({ party: { family: 0 } })).toEqual({ visitor: 2 });
    expect(change({ adults: 3 })).toEqual({ visitor: 3, family: 1 });
    expect(change({ quantity: 7 })).toEqual({ visitor: 3, family: 1 });
  });

  it('two spellings of a party are equal when a repeat is recognised', () => {
    const compared = (body: object) => comparedParty(partyInput(body));
    const adults = { adult: 2, child: 0, single_supplement: 0 };
    expect(compared({ adults: 2 })).toEqual(adults);
    expect(compared({ quantity: 2 })).toEqual(adults);
    expect(compared({ party: { adult: 2 } })).toEqual(adults);
    expect(compared({ party: { adult: 2, senior: 1 } })).toEqual({ ...adults, senior: 1 });
    expect(compared({ party: { adult: 2, child: 0, senior: 0 } })).toEqual(adults);
    expect(compared({ adults: 0, children: 2 })).toEqual(compared({ party: { child: 2 } }));
  });

  it('a change of a hold by the old fields is compared by the value that the release before has stored', () => {
    const compared = (body: HoldPatch) =>
      JSON.parse(JSON.stringify(comparedHoldChange(body, { country: 'DE' })));
    const old = (fields: object) => ({ ...fields, customer: {} });
    expect(compared({ quantity: 3 })).toEqual(old({ quantity: 3 }));
    expect(compared({ quantity: 3, adults: 2, children: 1 })).toEqual(
      old({ quantity: 3, adults: 2, children: 1 }),
    );
    expect(compared({ adults: 0 })).toEqual(old({ adults: 0 }));
    expect(compared({ party: { adult: 2, child: 0 } })).toEqual(old({ adults: 2, children: 0 }));
    expect(compared({ party: { family: 1 }, quantity: 4 })).toEqual(compared({ party: { family: 1 } }));
    expect(compared({ party: { family: 0 } })).not.toEqual(compared({ party: { family: 1 } }));
  });

  it('a booking that moves may drop a category that its tour has lost', () => {
    const move = (party: Party) => changedParty({ senior: 1 }, partyInput({ party }), MUSEUM);
    expect(move({ senior: 0, visitor: 1 })).toMatchObject({ party: { visitor: 1 }, seats: 1 });
    expect(refusal(() => assertWantedParty(move({ visitor: 1 }), MUSEUM, PRICES))).toContain('party.senior');
  });

  it('a party has the order of the categories, whatever the order of the request', () => {
    const units = fc.dictionary(fc.constantFrom('visitor', 'infant', 'family'), fc.nat(9));
    fc.assert(
      fc.property(units, (given) => {
        const party = toParty(given, MUSEUM);
        const order = MUSEUM.map(({ code }) => code).filter((code) => (given[code] ?? 0) > 0);
        expect(Object.keys(party)).toEqual(order);
        expect(seatsOf(party, MUSEUM)).toBe((given['visitor'] ?? 0) + 4 * (given['family'] ?? 0));
      }),
    );
  });
});

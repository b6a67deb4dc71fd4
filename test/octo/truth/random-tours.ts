import fc from 'fast-check';
import type { CancellationTier } from '../../../services/api/catalog/cancellation-policy';
import type { Category, CategoryKind } from '../../../services/api/parties/category';

/** Random tours of all shapes, with the departures and the price rules on which the answers of OCTO depend. */

/** Time zones whose clocks never change, with their offset to UTC. */
export const OFFSETS = {
  UTC: '+00:00',
  'Asia/Ho_Chi_Minh': '+07:00',
  'Asia/Kathmandu': '+05:45',
  'America/Sao_Paulo': '-03:00',
} as const;
/** Currencies and their digits. */
export const DIGITS = { EUR: 2, JPY: 0, KWD: 3 } as const;

export interface RandomDeparture {
  /** Days from today; each is different. */
  day: number;
  /** Several departures of a day need times. */
  times: (string | null)[];
  seats: number;
  /** In minor units, by the place of the category. Undefined: the category is not sold. */
  prices: (number | undefined)[];
  state: 'scheduled' | 'cancelled' | 'closed';
  days: number | null;
}

/** A rule of the tenant for the tour. */
export interface RandomRules {
  /** A whole percentage for each category. Null: none. */
  percent: number | null;
  /** An amount for one category, in minor units of EUR. Newer than the percentage. */
  amount: { category: number; minor: number } | null;
}

export interface RandomTour {
  /** Null: the default list. */
  categories: Category[] | null;
  currency: keyof typeof DIGITS;
  base: number;
  zone: keyof typeof OFFSETS;
  startTime: string | null;
  durationDays: number;
  groupSize: number | null;
  cutoffHours: number;
  tiers: CancellationTier[] | null;
  departures: RandomDeparture[];
  rules: RandomRules;
  /** The summary and the inclusions, with octo/content. */
  summary: string | null;
  inclusions: string[];
}

/** A wanted party: the number of units by the place of the category. */
export type WantedParty = number[];

const KINDS: CategoryKind[] = [
  'adult',
  'youth',
  'child',
  'infant',
  'senior',
  'student',
  'family',
  'military',
  'group',
  'other',
];

interface Shape {
  kind: CategoryKind;
  isSupplement: boolean;
  name: string | undefined;
  ages: [from: number | undefined, to: number | undefined];
  seats: number;
  people: number;
  min: number | undefined;
  max: number | undefined;
  companions: number[];
  atMost: number | undefined;
}

const optional = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: undefined, freq: 1 });

const shape: fc.Arbitrary<Shape> = fc.record({
  kind: fc.constantFrom(...KINDS),
  isSupplement: fc.constantFrom(false, false, false, true),
  name: optional(fc.constantFrom('Golden age', 'Boot für acht', 'Family of four')),
  ages: fc.tuple(optional(fc.integer({ min: 0, max: 60 })), optional(fc.integer({ min: 60, max: 120 }))),
  seats: fc.constantFrom(0, 1, 1, 1, 2, 4, 8),
  people: fc.integer({ min: 0, max: 8 }),
  min: optional(fc.integer({ min: 1, max: 2 })),
  max: optional(fc.integer({ min: 2, max: 5 })),
  companions: fc.oneof(fc.constant<number[]>([]), fc.array(fc.nat(11), { maxLength: 2 })),
  atMost: optional(fc.nat(11)),
});

/** Builds categories without a fault: each names only categories before it, and the first one takes a seat. */
function toCategories(shapes: Shape[]): Category[] {
  return shapes.map((one, index) => {
    const { kind, isSupplement, seats, people } = one;
    const isFirst = index === 0;
    const category: Category = {
      code: `c${index}_x`,
      kind: isSupplement && !isFirst ? 'supplement' : kind,
      seats: isFirst ? Math.max(1, seats) : seats,
      people,
    };
    return { ...category, ...limitsOf(one), ...(isFirst ? {} : companionsOf(one, index)) };
  });
}

function limitsOf({ name, ages: [age_from, age_to], min, max }: Shape): Partial<Category> {
  const limits = Object.entries({ name, age_from, age_to, min, max });
  return Object.fromEntries(limits.filter(([, value]) => value !== undefined));
}

/** Returns the rules that name other categories. */
function companionsOf({ companions, atMost }: Shape, index: number): Partial<Category> {
  const before = (place: number) => `c${place % index}_x`;
  return {
    ...(companions.length > 0 && { with: [...new Set(companions.map(before))] }),
    ...(atMost !== undefined && { at_most: before(atMost) }),
  };
}

const categories = fc.oneof(
  { weight: 1, arbitrary: fc.constant(null) },
  { weight: 4, arbitrary: fc.array(shape, { minLength: 1, maxLength: 12 }).map(toCategories) },
);
const price = fc.integer({ min: 1, max: 2_000_000 });
const time = fc.constantFrom(null, null, '09:30', '14:05');

const departures: fc.Arbitrary<RandomDeparture[]> = fc.uniqueArray(
  fc.record({
    day: fc.integer({ min: 3, max: 40 }),
    times: fc.oneof(
      time.map((one): (string | null)[] => [one]),
      fc.constant<(string | null)[]>(['08:00', '16:45']),
    ),
    seats: fc.integer({ min: 1, max: 60 }),
    prices: fc
      .tuple(price, fc.array(fc.option(price, { nil: undefined }), { minLength: 11, maxLength: 11 }))
      .map(([first, others]) => [first, ...others]),
    state: fc.constantFrom('scheduled', 'scheduled', 'scheduled', 'cancelled', 'closed'),
    days: fc.constantFrom(null, null, 2),
  }),
  { selector: ({ day }) => day, maxLength: 4 },
);

/** Tiers whose ends are at least an hour away from any departure of a run. */
const tiers = fc.constantFrom<CancellationTier[] | null>(
  null,
  [],
  [{ until: '90d', refund_percent: 100 }],
  [{ until: '1h', refund_percent: 100 }],
  [
    { until: '60d', refund_percent: 100 },
    { until: '90m', refund_percent: 30 },
  ],
  [{ until: '36h', refund_percent: 0 }],
);

export const randomTour: fc.Arbitrary<RandomTour> = fc.record({
  categories,
  currency: fc.constantFrom(...(Object.keys(DIGITS) as RandomTour['currency'][])),
  base: price,
  zone: fc.constantFrom(...(Object.keys(OFFSETS) as RandomTour['zone'][])),
  startTime: fc.constantFrom(null, null, '07:15'),
  durationDays: fc.integer({ min: 1, max: 5 }),
  groupSize: fc.constantFrom(null, 1, 6, 12, 80),
  cutoffHours: fc.constantFrom(0, 5, 36),
  tiers,
  departures,
  rules: fc.record({
    percent: fc.constantFrom(null, -50, 10, 33),
    amount: fc.option(fc.record({ category: fc.nat(11), minor: fc.integer({ min: -50_000, max: 50_000 }) })),
  }),
  summary: fc.constantFrom(null, 'A day out'),
  inclusions: fc.constantFrom([], ['Meals', 'A guide']),
});

/** Mostly small parties, so that many are sold. */
export const wantedParty: fc.Arbitrary<WantedParty> = fc.array(fc.constantFrom(0, 0, 0, 0, 1, 1, 2, 3), {
  minLength: 12,
  maxLength: 12,
});

import fc from 'fast-check';
import type { ModelPolicy } from './refunds';
import { type ByCategory, CATEGORIES, type Code, CODES, type ModelRates, type ShopRule } from './model';
import { DEFAULT_SHAPE, OWN_SHAPES } from './shapes';

/**
 * The random runs of the model. The rates and prices are so that every total has fewer than 2^53 minor units, which is the largest total
 * that the API can show exactly.
 */

const rate = fc.oneof(
  fc.integer({ min: 20_000, max: 99_999 }).map((fraction) => `0.${fraction}`),
  fc
    .tuple(fc.constantFrom(1, 7, 168, 1432), fc.nat(99_999))
    .map(([whole, fraction]) => `${whole}.${String(fraction).padStart(5, '0')}`),
);
const anyRates = fc.record({ USD: rate, GBP: rate, JPY: rate, KRW: rate, KWD: rate, TND: rate });
/** With these rates, many quotients of minor units are exact halves, which show how a price is rounded. */
const evenRates = fc.record({
  USD: fc.constantFrom('0.5', '1', '2', '4'),
  GBP: fc.constantFrom('0.5', '1', '2', '4'),
  JPY: fc.constantFrom('50', '100', '200', '400'),
  KRW: fc.constantFrom('50', '100', '200', '400'),
  KWD: fc.constantFrom('0.05', '0.1', '0.2', '0.4'),
  TND: fc.constantFrom('0.05', '0.1', '0.2', '0.4'),
});
const rates: fc.Arbitrary<ModelRates> = fc.oneof(anyRates, evenRates);
const code = fc.constantFrom<Code[]>(...CODES);
const sellIn = fc.oneof({ weight: 5, arbitrary: code }, { weight: 1, arbitrary: fc.constant(null) });
const amount = fc.integer({ min: 0, max: 5_000_000 }).map(BigInt);
const prices: fc.Arbitrary<ByCategory> = fc.record({
  adult: amount,
  child: amount,
  single_supplement: amount,
});
const listed = fc.record({ code, base: amount, departures: fc.tuple(prices, prices) });

/** A decimal text with four decimals, from -100 to 200. */
const percent = fc
  .integer({ min: -1_000_000, max: 2_000_000 })
  .map(
    (parts) =>
      `${parts < 0 ? '-' : ''}${Math.floor(Math.abs(parts) / 10_000)}.${String(Math.abs(parts) % 10_000).padStart(4, '0')}`,
  );
const roundTo = fc.constantFrom(undefined, '5', '0.5', '1', '0.05', '100');

/** Half of the rules in money name no category. */
const category = fc.constantFrom(undefined, undefined, undefined, ...CATEGORIES);
/** True: a rule in money has the currency of the sale. */
const isRuleOfSale = fc.boolean();
const onlyFirst = fc.constantFrom(false, false, true);
const percentRule = fc.record({ kind: fc.constant('percent' as const), percent, roundTo, onlyFirst });
const amountRule = fc.record({
  kind: fc.constant('amount' as const),
  minor: fc.integer({ min: -100_000, max: 100_000 }).map(BigInt),
  code,
  category,
  roundTo,
  onlyFirst,
});
const fixedPrice = fc.constant('price' as const);
const priceRule = fc.record({ kind: fixedPrice, minor: amount, code, category, roundTo, onlyFirst });
const rule: fc.Arbitrary<ShopRule | undefined> = fc.oneof(
  { weight: 1, arbitrary: fc.constant(undefined) },
  { weight: 1, arbitrary: percentRule },
  { weight: 2, arbitrary: amountRule },
  { weight: 2, arbitrary: priceRule },
);

/** Ends of tiers in days before the start. None is within two days of now for a departure in 30 or 40 days. */
const ENDS = [60, 50, 45, 36, 35, 25, 20, 10, 1];
const percents = fc.uniqueArray(fc.nat(100), { minLength: ENDS.length, maxLength: ENDS.length });
const policy: fc.Arbitrary<ModelPolicy> = fc.oneof(
  { weight: 1, arbitrary: fc.constant(null) },
  {
    weight: 5,
    arbitrary: fc
      .tuple(fc.subarray(ENDS, { maxLength: 8 }), percents, fc.constantFrom('d', 'h', 'm'))
      .map(([ends, shares, unit]) => {
        const falling = [...shares].sort((a, b) => b - a);
        return ends.map((days, place) => ({
          minutes: BigInt(days * 1440),
          until: `${days * { d: 1, h: 24, m: 1440 }[unit]}${unit}`,
          percent: BigInt(falling[place]!),
        }));
      }),
  },
);

/** The changes that an operator may make between a hold and its booking. */
const CHANGES = ['rates', 'import', 'currency', 'sell-in', 'rule', 'policy', 'categories'] as const;

const anyRun = fc.record({
  shape: fc.constantFrom(DEFAULT_SHAPE, ...OWN_SHAPES),
  listed,
  sellIn,
  rates,
  policy,
  /** The share that the operator refunds instead of that of the policy. */
  override: fc.nat(100).map(BigInt),
  /** In money, also in a currency in which the tenant does not sell, so that it must not apply. */
  rule,
  isRuleOfSale,
  depositPercent: fc.oneof(
    fc.constantFrom('0', '20', '100'),
    fc
      .integer({ min: 1, max: 9_999 })
      .map((parts) => `${Math.floor(parts / 100)}.${String(parts % 100).padStart(2, '0')}`),
  ),
  reserves: fc.constantFrom(false, false, false, true),
  party: fc
    .record({ adult: fc.integer({ min: 1, max: 3 }), child: fc.nat(2), single_supplement: fc.nat(3) })
    .map(({ adult, child, single_supplement }): ByCategory => ({
      adult: BigInt(adult),
      child: BigInt(child),
      single_supplement: BigInt(Math.min(single_supplement, adult)),
    })),
  /** The line of the operator, in minor units; none in half of the runs. */
  adjustment: fc.oneof(fc.constant(0n), fc.integer({ min: -100_000, max: 100_000 }).map(BigInt)),
  changes: fc.subarray([...CHANGES]),
  next: fc.record({ listed, sellIn, rates, rule, isRuleOfSale, policy }),
});

export const moneyRun = anyRun.map((run) => ({
  ...run,
  rule: ruleOf(run),
  next: { ...run.next, rule: ruleOf(run.next) },
}));

interface RuledSale {
  listed: { code: Code };
  sellIn: Code | null;
  rule: ShopRule | undefined;
  isRuleOfSale: boolean;
}

/** Returns the rule. One of the sale, in money, has the currency of the sale. */
function ruleOf({ listed: { code: own }, sellIn: sold, rule: drawn, isRuleOfSale: isOfSale }: RuledSale) {
  return drawn?.code !== undefined && isOfSale ? { ...drawn, code: sold ?? own } : drawn;
}

export type MoneyRun = typeof moneyRun extends fc.Arbitrary<infer Run> ? Run : never;

import fc from 'fast-check';
import type { PriceRule } from '../../services/api/pricing/choose-price-rule';
import { applyPriceRule, depositOf } from '../../services/api/pricing/apply-price-rule';

const percent = (value: string, roundTo: string | null = null) =>
  ({ kind: 'percent', percent: value, roundTo }) as PriceRule;
const amount = (amountMinor: number, roundTo: string | null = null) =>
  ({ kind: 'amount', amountMinor, roundTo }) as PriceRule;
const price = (amountMinor: number, roundTo: string | null = null) =>
  ({ kind: 'price', amountMinor, roundTo }) as PriceRule;

const adult = (minor: number, rule: PriceRule | undefined, digits = 2) => applyPriceRule(minor, rule, digits);

describe("a tenant's prices", () => {
  it("without a rule the tenant's prices are the platform's", () => {
    expect(applyPriceRule(100, undefined, 2)).toBe(100);
  });

  it('an amount is added to the price, and a price replaces it', () => {
    expect(applyPriceRule(10_000, amount(-2_000), 2)).toBe(8_000);
    expect(applyPriceRule(10_000, price(99_000), 2)).toBe(99_000);
  });

  it.each([
    ['12.5', 99_900, 112_388, 'half up: 112387.5'],
    ['12.5000', 100_000, 112_500, 'exact'],
    ['-50', 5, 3, 'half up: 2.5'],
    ['-50', 3, 2, 'half up: 1.5'],
    ['-33.3333', 100, 67, '66.6667'],
    ['0.0001', 500_000, 500_001, 'half up: 500000.5'],
    ['-0.0001', 500_000, 500_000, 'half up: 499999.5'],
    ['-100', 129_000, 0, 'free'],
    ['10000', 100, 10_100, '101 times the price'],
    ['0', 777, 777, 'no change'],
    ['10000', 1_000_000_000_000, 101_000_000_000_000, 'too large for a float with four decimals'],
  ])('a price rule of %s %% turns the price %i into %i (%s)', (value, minor, expected) => {
    expect(adult(minor, percent(value))).toBe(expected);
  });

  it.each([
    [amount(-2_000), 10_000, 8_000],
    [amount(-20_000), 10_000, 0],
    [price(0), 10_000, 0],
    [percent('-100'), 10_000, 0],
  ])('a reduction never makes a price negative (case %#)', (rule, minor, expected) => {
    expect(adult(minor, rule)).toBe(expected);
  });

  it.each([
    ['5', 2, 10_249, 10_000],
    ['5', 2, 10_250, 10_500],
    ['0.5', 2, 10_024, 10_000],
    ['0.5', 2, 10_025, 10_050],
    ['0.0500', 2, 10_003, 10_005],
    ['100', 0, 12_349, 12_300],
    ['100', 0, 12_350, 12_400],
    ['0.5', 0, 12_345, 12_345],
    ['0.25', 3, 12_374, 12_250],
    ['0.25', 3, 12_375, 12_500],
    ['1000', 2, 49_999, 0],
  ])(
    'a price rule rounds to multiples of %s in a currency of %i decimals: %i becomes %i',
    (roundTo, digits, minor, expected) => {
      for (const rule of [percent('0', roundTo), amount(0, roundTo), price(minor, roundTo)]) {
        expect(adult(minor, rule, digits)).toBe(expected);
      }
    },
  );

  it('a price rule rounds only once, to the rounding step, and not after the percentage', () => {
    // 100.45 plus 2 % is 102.459, which a step of half a unit rounds to 102.50. 97.499… becomes 95 with a step of 5; if it were rounded to
    // 97.50 first, it would become 100.
    expect(adult(10_045, percent('2', '0.5'))).toBe(10_250);
    expect(adult(9_999, percent('-2.4951', '5'))).toBe(9_500);
  });

  it('a price rule rounds to whole minor units: the error is at most half a unit', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 0, max: 1e9 }),
        fc.integer({ min: -1_000_000, max: 1_000_000 }),
        (minor, tenThousandths) => {
          const text = `${tenThousandths < 0 ? '-' : ''}${Math.floor(Math.abs(tenThousandths) / 1e4)}.${String(Math.abs(tenThousandths) % 1e4).padStart(4, '0')}`;
          const doubled = 2n * BigInt(adult(minor, percent(text))) * 1_000_000n;
          const exact = 2n * BigInt(minor) * BigInt(1_000_000 + tenThousandths);
          return doubled - exact <= 1_000_000n && exact - doubled < 1_000_000n;
        },
      ),
    );
  });
});

describe('a deposit', () => {
  it.each([
    [10_000, '20.00', 'bank', 2_000],
    [333, '50.00', 'card', 167],
    [10_001, '33.33', 'bank', 3_333],
    [10_000, '0.00', 'bank', 0],
    [10_000, '100', 'card', 10_000],
    [10_000, '20.00', 'reserve', 0],
    [0, '20.00', 'bank', 0],
  ])(
    'the deposit on a total of %i at %s %% with the payment method %s is %i',
    (minor, depositPercent, method, expected) => {
      expect(depositOf(minor, depositPercent, method)).toBe(expected);
    },
  );
});

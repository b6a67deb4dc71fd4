import fc from 'fast-check';
import { convertPrices, findConversion, ratesByCurrency } from '../../services/api/pricing/convert-price';
import { type ModelCurrency, modelConversion } from '../money/model';

const EUR: ModelCurrency = { code: 'EUR', digits: 2, perEuro: '1' };

/** Converts an adult's price by the product. */
function convert(minor: number, from: ModelCurrency, to: ModelCurrency): number {
  return convertPrices({ adult: minor }, conversionOf(from, to))['adult']!;
}

function conversionOf(from: ModelCurrency, to: ModelCurrency) {
  const known = [from, to].filter(({ code }) => code !== 'EUR');
  const rates = known.map(({ code: currency, perEuro: unitsPerEur }, n) => {
    return { currency, unitsPerEur, rateDate: `2026-11-2${5 - n}` };
  });
  const [sold, wanted] = [from, to].map(({ code: currency, digits }) => ({
    currency,
    currencyDigits: digits,
  }));
  return findConversion(ratesByCurrency(rates), sold!, wanted!)!;
}

describe('the conversion of a price', () => {
  it.each<[string, number, ModelCurrency, ModelCurrency, number]>([
    ['a rate', 10_000, EUR, { code: 'USD', digits: 2, perEuro: '1.0812' }, 10_812],
    ['the inverse of a rate', 10_000, { code: 'USD', digits: 2, perEuro: '1.0812' }, EUR, 9_249],
    ['an exact half, which is rounded up', 1, { code: 'USD', digits: 2, perEuro: '2' }, EUR, 1],
    ['less than a half', 1, { code: 'USD', digits: 2, perEuro: '2.0000000001' }, EUR, 0],
    ['a currency without decimals', 12_345, EUR, { code: 'JPY', digits: 0, perEuro: '168.42' }, 20_791],
    ['a currency with three decimals', 12_345, EUR, { code: 'KWD', digits: 3, perEuro: '0.3321' }, 40_998],
    [
      'a cross rate',
      10_000,
      { code: 'USD', digits: 2, perEuro: '1.0812' },
      { code: 'GBP', digits: 2, perEuro: '0.8437' },
      7_803,
    ],
    ['nothing', 0, EUR, { code: 'USD', digits: 2, perEuro: '1.0812' }, 0],
  ])('a price is converted by %s', (_what, minor, from, to, expected) => {
    expect(convert(minor, from, to)).toBe(expected);
  });

  const rate = fc
    .tuple(fc.integer({ min: 0, max: 99_999 }), fc.integer({ min: 1, max: 999_999 }))
    .map(([whole, fraction]) => `${whole}.${String(fraction).padStart(6, '0')}`);
  const currency = (code: string) =>
    fc.record({ code: fc.constant(code), digits: fc.constantFrom(0, 2, 3), perEuro: rate });

  it('each price is converted as by the model with whole numbers, directly, inversely and by a cross rate', () => {
    fc.assert(
      fc.property(
        currency('AAA'),
        currency('BBB'),
        fc.integer({ min: 0, max: 1_000_000_000 }),
        (one, other, minor) => {
          for (const [from, to] of [
            [one, other],
            [other, one],
            [EUR, one],
            [one, EUR],
          ] as const) {
            const expected = modelConversion(BigInt(minor), from, to);
            fc.pre(expected <= BigInt(Number.MAX_SAFE_INTEGER));
            expect(BigInt(convert(minor, from, to))).toBe(expected);
          }
        },
      ),
      { numRuns: 2000 },
    );
  });

  it('a conversion keeps the order of prices, so the lowest price stays the lowest', () => {
    fc.assert(
      fc.property(currency('AAA'), fc.nat(1_000_000), fc.nat(1_000_000), (to, a, b) => {
        const [low, high] = [Math.min(a, b), Math.max(a, b)];
        expect(convert(low, EUR, to)).toBeLessThanOrEqual(convert(high, EUR, to));
      }),
    );
  });

  it.each<[ModelCurrency, ModelCurrency, number, string]>([
    [EUR, { code: 'USD', digits: 2, perEuro: '1.0812' }, 1.0812, '2026-11-25'],
    [{ code: 'USD', digits: 2, perEuro: '1.0812' }, EUR, 0.924898261191, '2026-11-25'],
    [{ code: 'VND', digits: 0, perEuro: '28514.25' }, EUR, 0.0000350701842061, '2026-11-25'],
    [
      { code: 'USD', digits: 2, perEuro: '1.0812' },
      { code: 'GBP', digits: 2, perEuro: '0.8437' },
      0.780336662967,
      '2026-11-24',
    ],
  ])(
    'a conversion names its rate with 12 significant digits and the earlier date (case %#)',
    (from, to, shown, date) => {
      const { rate: named, rateDate } = conversionOf(from, to);
      expect([named, rateDate]).toEqual([shown, date]);
    },
  );

  it('a conversion is unknown if one of its two rates is missing', () => {
    const rates = ratesByCurrency([{ currency: 'USD', unitsPerEur: '1.0812', rateDate: '2026-11-25' }]);
    const of = (code: string) => ({ currency: code, currencyDigits: 2 });
    expect(findConversion(rates, of('USD'), of('GBP'))).toBeUndefined();
    expect(findConversion(rates, of('GBP'), of('EUR'))).toBeUndefined();
    expect(findConversion(rates, of('USD'), of('EUR'))).toBeDefined();
  });
});

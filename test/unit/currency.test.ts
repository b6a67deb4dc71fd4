import fc from 'fast-check';
import { currencyDigits, toMajor, toMinor } from '../../services/api/pricing/currency';

describe('a currency', () => {
  it.each([
    ['EUR', 2],
    ['USD', 2],
    ['JPY', 0],
    ['VND', 0],
    ['ISK', 0],
    ['TND', 3],
    ['KWD', 3],
    ['XCG', 2],
    ['ANG', undefined],
    ['BGN', undefined],
    ['CUC', undefined],
    ['XAD', undefined],
    ['XAU', undefined],
    ['XXX', undefined],
    ['', undefined],
    ['__proto__', undefined],
  ])('%s has the decimals of ISO 4217: %s', (code, digits) => {
    expect(currencyDigits(code)).toBe(digits);
  });
});

describe('an amount of money', () => {
  it.each<[string | number, number, number | undefined]>([
    [129.99, 2, 12_999],
    [1.15, 2, 115],
    ['1.10', 2, 110],
    [0, 2, 0],
    ['-0', 2, 0],
    [-20, 2, -2_000],
    [1500, 0, 1500],
    ['1500.0', 0, undefined],
    [0.125, 3, 125],
    [0.125, 2, undefined],
    ['1e3', 2, undefined],
    ['1,5', 2, undefined],
    ['+1', 2, undefined],
    [' 1', 2, undefined],
    ['', 2, undefined],
    [NaN, 2, undefined],
    [Infinity, 2, undefined],
    [1e21, 2, undefined],
    ['9999999999999', 4, undefined],
  ])('%j at %i digits is %s minor units', (amount, digits, minor) => {
    expect(toMinor(amount, digits)).toBe(minor);
  });

  it.each([
    [12_999, 2, '129.99'],
    [110, 2, '1.1'],
    [1500, 0, '1500'],
    [1, 3, '0.001'],
    [0, 2, '0'],
  ])('%i minor units at %i digits are written %s', (minor, digits, text) => {
    expect(JSON.stringify(toMajor(minor, digits))).toBe(text);
  });

  it('a round trip from minor units to major ones and back changes no amount', () => {
    const minor = fc.integer({ min: -1e12, max: 1e12 });
    fc.assert(
      fc.property(
        minor,
        fc.integer({ min: 0, max: 4 }),
        (n, digits) => toMinor(toMajor(n, digits), digits) === n,
      ),
    );
  });
});

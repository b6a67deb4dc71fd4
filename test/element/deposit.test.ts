import { depositOf } from '../../clients/booking-element/src/deposit';
import type { Departure, Tour } from '../../clients/booking-element/src/wire';
import { depositOf as depositOfPlatform } from '../../services/api/pricing/apply-price-rule';

const TOUR = { categories: [{ code: 'adult' }] } as Tour;
const departure = (adult: number, deposit: number) =>
  ({ tenant_prices: { adult, deposit } }) as unknown as Departure;

/** Returns whether the element and the platform give different deposits for a total. The amounts are in minor units of EUR. */
function differs(percent: string, price: number, total: number): boolean {
  const sample = departure(price / 100, depositOfPlatform(price, percent, 'deposit') / 100);
  const shown = depositOf(total / 100, 'EUR', TOUR, [departure(0, 0), sample]);
  return Math.round((shown ?? 0) * 100) !== depositOfPlatform(total, percent, 'deposit');
}

describe('the deposit that the element shows before the click', () => {
  it('the deposit is the one of the platform for each percentage with two decimals and a price from 100.01', () => {
    const percentages = Array.from({ length: 10_001 }, (_, hundredths) => (hundredths / 100).toFixed(2));
    const sales = [
      [10_001, 30_003],
      [24_100, 96_450],
      [199_999, 1_234_567],
    ] as const;
    expect(
      sales.flatMap(([price, total]) => percentages.filter((percent) => differs(percent, price, total))),
    ).toEqual([]);
  });

  it('the deposit is the one of the platform for each whole percentage and a price from 1.01', () => {
    const percentages = Array.from({ length: 101 }, (_, percent) => `${percent}.00`);
    const totals = [101, 303, 5_555];
    expect(totals.flatMap((total) => percentages.filter((percent) => differs(percent, 101, total)))).toEqual(
      [],
    );
  });

  it('a tenant that takes no deposit, and a tour without departures, have none', () => {
    expect(depositOf(482, 'EUR', TOUR, [departure(241, 0)])).toBeUndefined();
    expect(depositOf(482, 'EUR', TOUR, [])).toBeUndefined();
  });

  it('the deposit has the decimals of its currency', () => {
    expect(depositOf(25_555, 'JPY', TOUR, [departure(12_800, 2560)])).toBe(5111);
    expect(depositOf(224.5, 'KWD', TOUR, [departure(112.25, 22.45)])).toBe(44.9);
  });
});

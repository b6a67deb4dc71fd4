import { pricesOfImport } from '../../services/api/bookings/import-terms';
import { instantsIn } from '../../services/api/catalog/local-time';
import { localTimeReader, partyReader, readAmount } from '../../services/api/booking-import/read-words';
import { type LockedPrice, totalOf } from '../../services/api/pricing/price-categories';

const price = (prices: Record<string, number>) =>
  ({ prices, currency: 'EUR', currencyDigits: 2 }) as unknown as LockedPrice;

describe('the prices of an imported booking', () => {
  it('are those of today in proportion, rounded down, and the rest is the adjustment', () => {
    const party = { adult: 2, child: 1 };
    const split = pricesOfImport(price({ adult: 4500, child: 2250 }), party, {
      total: '100.00',
      currency: null,
    });
    expect(split).toEqual({ prices: { adult: 4000, child: 2000 }, adjustment: null });
  });

  it('sum up to the total with the adjustment, which is less than a minor unit for each person', () => {
    for (let n = 1; n <= 500; n++) {
      const party = { adult: 1 + (n % 7), child: n % 4 };
      const total = (n * 7919) % 100_003;
      const today = price({ adult: 1 + ((n * 104_729) % 99_991), child: (n * 1299) % 5003 });
      const { prices, adjustment } = pricesOfImport(today, party, {
        total: (total / 100).toFixed(2),
        currency: null,
      });
      const rest = adjustment?.minor ?? 0;
      expect(totalOf(party, prices) + rest).toBe(total);
      expect(rest).toBeGreaterThanOrEqual(0);
      expect(rest).toBeLessThan(party.adult + party.child);
    }
  });

  it('without a total they are those of today, and a total of today of 0 is refused', () => {
    const party = { adult: 1 };
    expect(pricesOfImport(price({ adult: 900 }), party, { total: null, currency: 'EUR' }).prices).toEqual({
      adult: 900,
    });
    expect(() => pricesOfImport(price({ adult: 0 }), party, { total: '5', currency: null })).toThrow('total');
  });
});

describe('the words of another system', () => {
  const read = (form: string, text: string) => {
    const reader = localTimeReader(form, []);
    if (typeof reader !== 'function') throw new Error(reader.issue);
    return reader(text);
  };

  it.each([
    ['DD/MM/YYYY h:mm A', '07/06/2031 6:30 PM', { date: '2031-06-07', time: '18:30' }],
    ['DD/MM/YYYY h:mm A', '07/06/2031 12:05 am', { date: '2031-06-07', time: '00:05' }],
    ['D.M.YYYY', '7.6.2031', { date: '2031-06-07' }],
    ['DD/MM/YYYY', '31/02/2031', undefined],
    ['DD/MM/YYYY', '2031-06-07', undefined],
    ['HH:mm', '24:00', undefined],
    ['h:mm A', '13:00 PM', undefined],
  ])('reads by %s the text %s', (form, text, found) => {
    expect(read(form, text)).toEqual(found);
  });

  it.each([
    ['1.299,50', ',', '1299.50'],
    ['1,299.50', '.', '1299.50'],
    ['45', ',', '45'],
    ['1.5', ',', undefined],
    ['€ 45', '.', undefined],
    ['12,99,00', '.', undefined],
  ] as const)('reads the amount %s with the decimal sign %s', (text, decimal, amount) => {
    expect(readAmount(text, decimal)).toBe(amount);
  });

  it.each([
    ['2 x Adult, 1 x Child', '3 x Adult, 2 x Senior citizen', { Adult: 3, 'Senior citizen': 2 }],
    ['Adult: 2; Child: 1', 'Adult: 4', { Adult: 4 }],
    ['2 x Adult, 1 x Child', 'two adults', undefined],
  ])('reads by the example %s the party %s', (example, text, party) => {
    const reader = partyReader(example);
    const found = typeof reader === 'function' ? reader(text) : undefined;
    expect(found && Object.fromEntries(found)).toEqual(party);
  });

  it('a local time that a change of the clocks leaves out has no instant, and one that comes twice has two', () => {
    const instantsOf = instantsIn('Europe/Berlin');
    expect(instantsOf('2031-03-30', '02:30:00')).toEqual([]);
    expect(instantsOf('2031-10-26', '02:30:00')).toHaveLength(2);
    expect(instantsOf('2031-06-07', '18:30:00')).toEqual(['2031-06-07T16:30:00.000Z']);
  });
});

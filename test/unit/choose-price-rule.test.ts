import { decidingRule, type PriceRule, rankPriceRules } from '../../services/api/pricing/choose-price-rule';

const TOUR = { id: 'tour-1', continent: 'asia', currency: 'EUR', currencyDigits: 2 };
const DATE = '2027-06-15';

function rule(id: number, fields: Partial<PriceRule> = {}): PriceRule {
  const none = {
    tourId: null,
    continent: null,
    category: null,
    travelFrom: null,
    travelTo: null,
    roundTo: null,
  };
  return { id, ...none, kind: 'percent', percent: '10', amountMinor: null, currency: null, ...fields };
}

const inMoney = (id: number, currency: string, kind: 'amount' | 'price' = 'amount') =>
  rule(id, { kind, percent: null, amountMinor: 100, currency });
const ranked = (rules: PriceRule[], date: string | null = DATE, tenantCurrency = 'EUR') =>
  rankPriceRules(rules, TOUR, tenantCurrency, date).map(({ id }) => id);

describe('the rule of a category', () => {
  const decides = (rules: PriceRule[], code: string, first = 'adult') =>
    decidingRule(rankPriceRules(rules, TOUR, 'EUR', DATE), code, first)?.id;

  it('a percentage decides every category, and money without a category only the first one of the tour', () => {
    const rules = [rule(1), { ...inMoney(2, 'EUR'), tourId: TOUR.id }];
    expect(decides(rules, 'adult')).toBe(2);
    expect(decides(rules, 'senior')).toBe(1);
    expect(decides(rules, 'visitor', 'visitor')).toBe(2);
    expect(decides([rules[1]!], 'senior')).toBeUndefined();
  });

  it('a rule in money with a category competes for this category alone, by the order of all rules', () => {
    const senior = { ...inMoney(1, 'EUR'), category: 'senior' };
    expect(decides([senior], 'senior')).toBe(1);
    expect(decides([senior], 'adult')).toBeUndefined();
    expect(decides([senior, rule(2)], 'senior')).toBe(2);
    expect(decides([{ ...senior, tourId: TOUR.id }, rule(2)], 'senior')).toBe(1);
  });
});

describe('the order of price rules', () => {
  it('no rule applies when the tenant has none', () => {
    expect(ranked([])).toEqual([]);
  });

  it('the rule of a tour overrides a continent rule, which overrides a general rule, whatever the windows', () => {
    const tour = rule(1, { tourId: 'tour-1' });
    const continent = rule(2, { continent: 'asia', travelFrom: '2027-06-01', travelTo: '2027-06-30' });
    const general = rule(3, { travelFrom: DATE, travelTo: DATE });
    expect(ranked([general, continent, tour])).toEqual([1, 2, 3]);
  });

  it('the choice of a price rule leaves out the rules of other tours and continents', () => {
    expect(ranked([rule(1, { tourId: 'tour-2' }), rule(2, { continent: 'europe' }), rule(3)])).toEqual([3]);
  });

  it('among rules of one scope, the narrowest travel window wins', () => {
    const rules = [
      rule(1, { travelFrom: DATE, travelTo: DATE }),
      rule(2, { travelFrom: '2027-06-14', travelTo: '2027-06-16' }),
      rule(3, { travelFrom: '2027-01-01', travelTo: '2027-12-31' }),
      rule(4, { travelFrom: '2027-01-01' }),
      rule(5),
    ];
    expect(ranked(rules)).toEqual([1, 2, 3, 4, 5]);
    expect(ranked(rules.reverse())).toEqual([1, 2, 3, 4, 5]);
  });

  it('among rules of one scope and window, the newest wins', () => {
    expect(ranked([rule(2), rule(9), rule(5)])).toEqual([9, 5, 2]);
    const window = { travelFrom: '2027-06-01', travelTo: '2027-06-30' };
    expect(ranked([rule(1, window), rule(2, window)])).toEqual([2, 1]);
  });

  it.each([
    ['2027-06-15', [1, 2, 3]],
    ['2027-06-14', [3]],
    ['2027-06-16', [2]],
    [null, []],
  ])('a travel window includes both of its ends (travel date %s)', (date, expected) => {
    const rules = [
      rule(1, { travelFrom: DATE, travelTo: DATE }),
      rule(2, { travelFrom: DATE }),
      rule(3, { travelTo: DATE }),
    ];
    expect(ranked(rules, date).sort()).toEqual(expected);
  });

  it("the choice of a price rule applies an amount only when tour and tenant have the rule's currency", () => {
    const rules = [inMoney(1, 'EUR'), inMoney(2, 'USD'), inMoney(3, 'EUR', 'price'), rule(4)];
    expect(ranked(rules)).toEqual([4, 3, 1]);
    expect(ranked(rules, DATE, 'USD')).toEqual([4]);
  });
});

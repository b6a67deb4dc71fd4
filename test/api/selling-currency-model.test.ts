import fc from 'fast-check';
import { reportSales } from '../../services/api/bookings/sales-report.repository';
import { setExchangeRates } from '../../services/api/pricing/change-exchange-rates';
import { inTransaction } from '../../services/platform/database';
import { useTestApi } from '../support/api';
import { daysFromToday, givenDeparture, givenPriceRule, givenTour } from '../support/given';
import {
  type ModelCurrency,
  modelConversion,
  modelDeposit,
  modelRule,
  type ModelRule,
  tenDecimals,
} from '../support/money-model';
import { givenWebsite } from '../support/website';

const api = useTestApi();
const DATE = daysFromToday(30);
const CATEGORIES = ['adult', 'child', 'single_supplement'] as const;
const RUNS = Number(process.env.MONEY_RUNS ?? 60);

/** Currencies with 0, 2 and 3 decimals. The rates of a run are random. */
const CODES = { EUR: 2, USD: 2, GBP: 2, JPY: 0, KRW: 0, KWD: 3, TND: 3 } as const;
type Code = keyof typeof CODES;

const rate = fc
  .tuple(fc.constantFrom(0, 1, 7, 168, 1432), fc.integer({ min: 1, max: 99_999 }))
  .map(([whole, fraction]) => `${whole}.${String(fraction).padStart(5, '0')}`);
const rates = fc.record({ USD: rate, GBP: rate, JPY: rate, KRW: rate, KWD: rate, TND: rate });
const code = fc.constantFrom(...(Object.keys(CODES) as Code[]));
const minor = fc.integer({ min: 0, max: 5_000_000 });
const percent = fc
  .integer({ min: -1_000_000, max: 2_000_000 })
  .map(
    (tenThousandths) =>
      `${tenThousandths < 0 ? '-' : ''}${Math.floor(Math.abs(tenThousandths) / 10_000)}.${String(Math.abs(tenThousandths) % 10_000).padStart(4, '0')}`,
  );

const run = fc.record({
  tour: code,
  sold: code,
  before: rates,
  after: rates,
  prices: fc.record({ adult: minor, child: minor, single_supplement: minor }),
  rule: fc.oneof(
    fc.constant(undefined),
    fc.record({
      kind: fc.constant('percent' as const),
      percent,
      roundTo: fc.constantFrom(undefined, '5', '0.5', '1'),
    }),
    // A rule in money in the selling currency, or in another one, in which it must not apply.
    fc.record({
      kind: fc.constant('amount' as const),
      minor: fc.integer({ min: -100_000, max: 100_000 }),
      code,
    }),
  ),
  party: fc.record({ adult: fc.integer({ min: 1, max: 3 }), child: fc.integer({ min: 0, max: 2 }) }),
});

function currencyOf(named: Code, perEuro: Partial<Record<string, string>>): ModelCurrency {
  return { code: named, digits: CODES[named], perEuro: perEuro[named] ?? '1' };
}

/** Returns the exact decimal text of an amount in minor units. */
function decimalOf(amount: bigint, digits: number): string {
  const text = amount.toString().padStart(digits + 1, '0');
  return digits === 0 ? text : `${text.slice(0, -digits)}.${text.slice(-digits)}`;
}

const sameAmount = (shown: number, amount: bigint, digits: number) =>
  expect(tenDecimals(String(shown))).toBe(tenDecimals(decimalOf(amount, digits)));

async function setRates(perEuro: Record<string, string>): Promise<void> {
  const named = Object.entries(perEuro).map(([currency, unitsPerEur]) => ({ currency, unitsPerEur }));
  await inTransaction(api.db, (trx) => setExchangeRates(trx, { rates: named }));
}

it(
  'every price, total and deposit is as by a model with whole numbers, and a hold keeps its own while rates change',
  async () => {
    const totals: bigint[] = [];
    await fc.assert(
      fc.asyncProperty(run, async ({ tour: listed, sold, before, after, prices, rule, party }) => {
        const digits = CODES[sold];
        // A price that becomes 0 is not sold: zero-prices.test.ts.
        const becomesFree = (perEuro: Record<string, string>) =>
          CATEGORIES.some((category) => {
            const [from, to] = [currencyOf(listed, perEuro), currencyOf(sold, perEuro)];
            return prices[category] > 0 && modelConversion(BigInt(prices[category]), from, to) === 0n;
          });
        fc.pre(!becomesFree(before) && !becomesFree(after));
        const website = await givenWebsite(api, { sellIn: { code: sold, digits } });
        const tour = await givenTour(api.db, { currency: listed, basePriceMinor: prices.adult });
        await givenDeparture(api.db, tour, { date: DATE, prices, seats: 100 });
        let model: ModelRule | undefined;
        if (rule?.kind === 'percent') {
          model = rule;
          await givenPriceRule(api.db, website, { percent: rule.percent, round_to: rule.roundTo ?? null });
        } else if (rule) {
          if (rule.code === sold) model = { kind: 'amount', minor: BigInt(rule.minor) };
          await givenPriceRule(api.db, website, { amount_minor: rule.minor, currency: rule.code });
        }
        const expectedAt = (perEuro: Record<string, string>) => {
          const [from, to] = [currencyOf(listed, perEuro), currencyOf(sold, perEuro)];
          const unit = Object.fromEntries(
            CATEGORIES.map((category) => {
              const converted = modelConversion(BigInt(prices[category]), from, to);
              return [category, modelRule(converted, model, category === 'adult', digits)];
            }),
          ) as Record<(typeof CATEGORIES)[number], bigint>;
          const total =
            unit.adult * BigInt(party.adult) + unit.child * BigInt(party.child) + unit.single_supplement;
          return { unit, total };
        };
        const checkLists = async ({ unit }: ReturnType<typeof expectedAt>) => {
          const { body } = await website.get(`/api/tenant/tours/${tour.slug}/departures`);
          const [{ tenant_prices, currency }] = body.items;
          expect(currency).toBe(sold);
          for (const category of CATEGORIES) sameAmount(tenant_prices[category], unit[category], digits);
          sameAmount(tenant_prices.deposit, modelDeposit(unit.adult, 20), digits);
          const detail = await website.get(`/api/tenant/tours/${tour.slug}`);
          sameAmount(detail.body.price_from, unit.adult, digits);
        };
        const order = {
          tour_id: tour.id,
          departure_date: DATE,
          adults: party.adult,
          children: party.child,
          single_supplements: 1,
        };
        const checkBooking = async ({ total }: ReturnType<typeof expectedAt>, more: object) => {
          const expected_total = Number(decimalOf(total, digits));
          const { body, status } = await website.book({ ...order, ...more, expected_total });
          expect([status, body.currency]).toEqual([201, sold]);
          sameAmount(body.total_price, total, digits);
          sameAmount(body.deposit_total, modelDeposit(total, 20), digits);
          return body.booking_ref as string;
        };

        await setRates(before);
        const first = expectedAt(before);
        await checkLists(first);
        const quantity = party.adult + party.child;
        const hold = await website.hold(tour, { departure_date: DATE, quantity, children: party.child });
        sameAmount(hold.body.total_price, first.total - first.unit.single_supplement, digits);
        await setRates(after);
        const second = expectedAt(after);
        await checkLists(second);
        await checkBooking(first, { hold_id: hold.body.hold_id });
        await checkBooking(second, {});
        totals.push(first.total, second.total);
        // The report multiplies the locked platform prices in PostgreSQL.
        const platform = [before, after].map((perEuro) => {
          const converted = (category: (typeof CATEGORIES)[number]) =>
            modelConversion(BigInt(prices[category]), currencyOf(listed, perEuro), currencyOf(sold, perEuro));
          return (
            converted('adult') * BigInt(party.adult) +
            converted('child') * BigInt(party.child) +
            converted('single_supplement')
          );
        });
        const [row] = await reportSales(api.db, {
          scope: website.tenant.id,
          from: daysFromToday(-1),
          to: daysFromToday(1),
          groups: ['tenant'],
        });
        expect([row!.platformMinor, row!.tenantMinor]).toEqual([
          platform[0]! + platform[1]!,
          first.total + second.total,
        ]);
      }),
      { numRuns: RUNS },
    );
    expect(new Set(totals).size).toBeGreaterThan(RUNS);
  },
  60_000 + RUNS * 2_000,
);

import { setExchangeRates } from '../../services/api/pricing/change-exchange-rates';
import { findTenantForChange, updateTenant } from '../../services/api/tenants/manage-tenants';
import { type Category as TourCategory, DEFAULT_CATEGORIES } from '../../services/api/parties/category';
import { inTransaction } from '../../services/platform/database/database';
import { departureEntry, importTours, tourEntry } from '../catalog/catalog-files';
import type { TestTerminal } from '../cli/terminal';
import type { TestApi } from '../support/api';
import {
  daysFromToday,
  givenDeparture,
  givenPriceRule,
  givenTour,
  type GivenTour,
  unique,
} from '../support/given';
import { givenWebsite, type Website } from '../support/website';
import { add } from '../webhook-queue/queue-fixture';
import { givenWidgetToken } from '../widget/given-widget';
import {
  CATEGORIES,
  type Code,
  decimalOf,
  DIGITS,
  type ModelRates,
  type ModelShop,
  type ShopRule,
  tenDecimals,
} from './model';
import { type ModelPolicy, storedPolicy } from './refunds';
import type { MoneyRun } from './runs';
import { byCode, type Shape } from './shapes';

/** The dates of the two departures of a tour. */
export const DATES = [daysFromToday(30), daysFromToday(40)] as const;

/** The seats of each departure. */
export const SEATS = 1000;

/** A tenant of the API with one tour, and the same in the model. */
export interface Shop {
  api: TestApi;
  terminal: TestTerminal;
  website: Website;
  widgetToken: string;
  tour: GivenTour;
  shape: Shape;
  /** The name of the tour, which no other tour has. */
  name: string;
  departureIds: string[];
  /** Changes with the API's data. */
  model: ModelShop;
  /** The categories of the tour now. Undefined: it says nothing. */
  categories: TourCategory[] | undefined;
  /** The policy of the tour now. */
  policy: ModelPolicy;
}

export async function openShop(api: TestApi, terminal: TestTerminal, run: MoneyRun): Promise<Shop> {
  const { shape, listed, sellIn, rates, rule, depositPercent, reserves, policy } = run;
  const model: ModelShop = {
    ...listed,
    listed: listed.code,
    sellIn,
    rates,
    rule,
    depositPercent: reserves ? '0' : depositPercent,
  };
  await setRates(api, rates);
  const website = await givenWebsite(api, {
    sellIn: sellIn && { code: sellIn, digits: DIGITS[sellIn] },
    depositPercent,
    paymentMethod: reserves ? 'reserve' : 'bank',
  });
  await add(api.db, website.tenant.id, 'https://acme.example/webhooks', [
    'booking.confirmed',
    'booking.updated',
    'booking.cancelled',
  ]);
  const { token } = await givenWidgetToken(api.db, website.tenant);
  const name = unique('Tour');
  const tour = await givenTour(api.db, {
    name,
    currency: listed.code,
    basePriceMinor: Number(listed.base),
    cancellation: storedPolicy(policy) ?? undefined,
    categories: shape.categories,
  });
  for (const [index, date] of DATES.entries()) {
    const prices = byCode(shape, listed.departures[index]!);
    await givenDeparture(api.db, tour, { date, prices, seats: SEATS });
  }
  await setRule(api, website, shape, rule);
  const departureIds = await api
    .db('departures')
    .where({ tour_id: tour.id })
    .orderBy('departure_date')
    .pluck('id');
  return {
    api,
    terminal,
    website,
    widgetToken: token,
    tour,
    shape,
    name,
    departureIds,
    model,
    categories: shape.categories,
    policy,
  };
}

/** Makes the changes of a run, in the API and in the model. */
export async function changeShop(shop: Shop, { changes, next }: MoneyRun): Promise<void> {
  const { api, website, model } = shop;
  if (changes.includes('rates')) {
    await setRates(api, next.rates);
    model.rates = next.rates;
  }
  if (changes.includes('import')) await importPrices(shop, next.listed);
  if (changes.includes('categories')) await changeCategories(shop);
  if (changes.includes('currency')) await changeCurrency(shop, next.listed);
  if (changes.includes('sell-in')) {
    const sellIn = next.sellIn && { code: next.sellIn, digits: DIGITS[next.sellIn] };
    await inTransaction(api.db, async (trx) =>
      updateTenant(trx, await findTenantForChange(trx, website.tenant.slug), { sellIn }),
    );
    model.sellIn = next.sellIn;
  }
  if (changes.includes('policy')) {
    const cancellation = next.policy && JSON.stringify(storedPolicy(next.policy));
    await api.db('tours').where({ id: shop.tour.id }).update({ cancellation });
    shop.policy = next.policy;
  }
  if (changes.includes('rule')) {
    await api.db('price_rules').where({ tenant_id: website.tenant.id }).delete();
    await setRule(api, website, shop.shape, next.rule);
    model.rule = next.rule;
  }
}

async function setRates({ db }: TestApi, perEuro: ModelRates): Promise<void> {
  const rates = Object.entries(perEuro).map(([currency, unitsPerEur]) => ({ currency, unitsPerEur }));
  await inTransaction(db, (trx) => setExchangeRates(trx, { rates }));
}

async function setRule(
  { db }: TestApi,
  website: Website,
  { codes }: Shape,
  rule: ShopRule | undefined,
): Promise<void> {
  if (!rule) return;
  const { kind, code, category, roundTo = null } = rule;
  const change =
    kind === 'percent'
      ? { percent: rule.percent }
      : { kind, amount_minor: Number(rule.minor), currency: code };
  const travel = rule.onlyFirst ? { travel_from: DATES[0], travel_to: DATES[0] } : {};
  const ofCategory = category ? { category: codes[category] } : {};
  await givenPriceRule(db, website, { ...change, ...ofCategory, ...travel, round_to: roundTo });
}

/**
 * Imports other prices in another currency. If the tenant has no selling currency, this is refused and changes nothing, because the tour has
 * live holds and standing bookings in its own currency. Then imports the prices in the present currency.
 */
async function importPrices(shop: Shop, { code, base, departures }: MoneyRun['listed']): Promise<void> {
  const { api, model } = shop;
  const keepsCurrency = model.sellIn === null;
  if (keepsCurrency && code !== model.listed) {
    const refused = await importTours(api.db, entryOf(shop, { code, base, departures }));
    expect(refused.errors.map(({ field }) => field)).toEqual(['currency']);
  }
  const listed = keepsCurrency ? model.listed : code;
  const imported = await importTours(api.db, entryOf(shop, { code: listed, base, departures }));
  expect(imported.errors).toEqual([]);
  Object.assign(model, { listed, base, departures });
}

/** @param others prices of other categories on each departure, in major units */
function entryOf(
  { tour, shape, categories, name, policy }: Shop,
  { code, base, departures }: MoneyRun['listed'],
  others: Record<string, number> = {},
) {
  const dated = DATES.map((departure_date, index) => {
    const prices = Object.fromEntries(
      CATEGORIES.map((category) => [shape.codes[category], majorOf(departures[index]![category], code)]),
    );
    return departureEntry({ departure_date, seats_total: SEATS, prices: { ...prices, ...others } });
  });
  return tourEntry({
    slug: tour.slug,
    name,
    continent: 'asia',
    country: 'VN',
    duration_days: 3,
    time_zone: 'UTC',
    currency: code,
    base_price: majorOf(base, code),
    categories,
    cancellation: storedPolicy(policy),
    departures: dated,
  });
}

const SPARE: TourCategory = { code: 'spare', kind: 'other', seats: 1, people: 1 };

/**
 * Imports one more category with a price on each departure, and then another one in its place. No sale has the first one, so it disappears
 * with its prices. The prices of the other categories stay.
 */
async function changeCategories(shop: Shop): Promise<void> {
  const { api, model } = shop;
  const { listed: code, base, departures } = model;
  const kept = shop.categories ?? DEFAULT_CATEGORIES;
  const listed = { code, base, departures };
  const withSpare = { ...entryOf(shop, listed, { spare: 5 }), categories: [...kept, SPARE] };
  const added = await importTours(api.db, withSpare);
  expect([added.errors, added.departures.updated]).toEqual([[], DATES.length]);
  const changed = [...kept, { ...SPARE, code: 'late' }];
  const withLate = { ...entryOf(shop, listed), categories: changed };
  const replaced = await importTours(api.db, withLate);
  expect([replaced.errors, replaced.removed_prices?.length]).toEqual([[], DATES.length]);
  shop.categories = changed;
}

/** Changes the currency and the prices of the tour in the database, whatever is held or booked. */
async function changeCurrency(shop: Shop, { code, base, departures }: MoneyRun['listed']): Promise<void> {
  const { api, tour, shape, departureIds, model } = shop;
  await inTransaction(api.db, async (trx) => {
    for (const [index, id] of departureIds.entries())
      await trx('departures')
        .where({ id })
        .update({ prices_minor: JSON.stringify(byCode(shape, departures[index]!)) });
    await trx('tours')
      .where({ id: tour.id })
      .update({
        currency: code,
        currency_digits: DIGITS[code],
        base_price_minor: Number(base),
        revision: trx.raw('revision + 1'),
      });
  });
  Object.assign(model, { listed: code, base, departures });
}

/** Compares an amount in major units with one in minor units, by their decimals. */
export function expectAmount(shown: number, amount: bigint, code: Code): void {
  expect(tenDecimals(String(shown))).toBe(tenDecimals(decimalOf(amount, DIGITS[code])));
}

export function majorOf(amount: bigint, code: Code): number {
  return Number(decimalOf(amount, DIGITS[code]));
}

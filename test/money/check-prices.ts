import { SHOP } from '../widget/given-widget';
import {
  basePriceOf,
  type ByCategory,
  CATEGORIES,
  type Code,
  modelDeposit,
  type ModelPrice,
  priceOf,
  sumOf,
} from './model';
import { byCode, type Shape } from './shapes';
import { DATES, expectAmount, type Shop } from './shop';

/** The products of OCTO have these units. */
const UNITS = ['adult', 'child'] as const;
const PRICING = { 'octo-capabilities': 'octo/pricing' };

/** Compares the prices of every answer that shows them before a sale with the model. */
export async function checkPrices(shop: Shop, party: ByCategory): Promise<void> {
  const { model } = shop;
  const prices = DATES.map((_date, index) => priceOf(model, index));
  await checkDepartures(shop, prices);
  await checkAvailability(shop, prices);
  await checkPriceFrom(shop, prices);
  await checkOcto(shop, prices);
  await checkSimulation(shop, prices[0]!, party);
}

interface ShownPrices {
  currency: Code;
  platform_currency?: Code;
  prices: Record<string, number>;
  tenant_prices: Record<string, number>;
}

function expectPrices(
  shown: ShownPrices,
  { model, shape }: Shop,
  listed: ByCategory,
  price: ModelPrice,
): void {
  expect([shown.currency, shown.platform_currency]).toEqual([
    price.currency,
    model.sellIn === null ? undefined : model.listed,
  ]);
  for (const category of CATEGORIES) {
    expectAmount(shown.prices[shape.codes[category]]!, listed[category], model.listed);
    expectAmount(shown.tenant_prices[shape.codes[category]]!, price.tenant[category], price.currency);
  }
  const deposit = modelDeposit(price.tenant.adult, model.depositPercent);
  expectAmount(shown.tenant_prices.deposit!, deposit, price.currency);
}

async function checkDepartures(shop: Shop, prices: ModelPrice[]): Promise<void> {
  const { website, tour, model } = shop;
  const { body } = await website.get(`/api/tenant/tours/${tour.slug}/departures`);
  expect(body.items).toHaveLength(DATES.length);
  for (const [index, item] of body.items.entries())
    expectPrices(item, shop, model.departures[index]!, prices[index]!);
}

async function checkAvailability(shop: Shop, prices: ModelPrice[]): Promise<void> {
  const { website, tour, model } = shop;
  for (const [index, date] of DATES.entries()) {
    const { body } = await website.get(`/api/gateway/tours/${tour.slug}/availability?departure_date=${date}`);
    expectPrices(body, shop, model.departures[index]!, prices[index]!);
  }
}

/** Checks the lowest price in the catalog, of the tour, in the widget, and in the structured data of the embedded page. */
async function checkPriceFrom(shop: Shop, prices: ModelPrice[]): Promise<void> {
  const { api, website, widgetToken, tour, shape, name, model } = shop;
  const { currency } = prices[0]!;
  const lowest = least(prices.map(({ tenant }) => tenant.adult));
  const expectLowest = (shown: { price_from: number; currency: Code }) => {
    expect(shown.currency).toBe(currency);
    expectAmount(shown.price_from, lowest, currency);
  };
  const { body: detail } = await website.get(`/api/tenant/tours/${tour.slug}`);
  expectLowest(detail);
  const base = basePriceOf(model).tenant.adult;
  expectAmount(detail.tenant_prices[shape.codes.adult], base, currency);
  expectAmount(detail.tenant_prices.deposit, modelDeposit(base, model.depositPercent), currency);
  expectLowest((await website.get(`/api/tenant/catalog?q=${name}`)).body.items[0]);
  const query = `token=${widgetToken}&q=${name}`;
  expectLowest((await api.http.get(`/api/widget/tours?${query}`).set({ origin: SHOP })).body.items[0]);
  const { text } = await api.http.get(`/embed/tours?${query}&lang=en`);
  const [, json] = /<script type="application\/ld\+json"[^>]*>(.*?)<\/script>/s.exec(text)!;
  const { offers } = JSON.parse(json!).itemListElement[0].item;
  // The page shows no price of 0.
  if (lowest === 0n) expect(offers).toBeUndefined();
  else expectLowest({ price_from: offers.price, currency: offers.priceCurrency });
}

interface ShownPricing {
  unitId: string;
  net: number;
  retail: number;
  original: number;
  currency: Code;
  currencyPrecision: number;
}

async function checkOcto({ website, tour, shape }: Shop, prices: ModelPrice[]): Promise<void> {
  const product = await website.get(`/octo/products/${tour.id}`).set(PRICING);
  const { currency } = prices[0]!;
  expect(product.body).toMatchObject({ defaultCurrency: currency, availableCurrencies: [currency] });
  for (const unit of UNITS) {
    const { pricingFrom } = product.body.options[0].units.find(
      ({ id }: { id: string }) => id === shape.codes[unit],
    );
    const retail = least(prices.map(({ tenant }) => tenant[unit]));
    // Several platform's prices may give the same lowest price. The product shows one of them.
    const nets = prices.filter(({ tenant }) => tenant[unit] === retail).map(({ platform }) => platform[unit]);
    const [shown] = pricingFrom;
    expect(nets).toContain(BigInt(shown.net));
    expectPricing(shown, { net: BigInt(shown.net), retail, currency });
  }
  const days = {
    productId: tour.id,
    optionId: 'DEFAULT',
    localDateStart: DATES[0],
    localDateEnd: DATES[1],
    currency,
  };
  for (const [path, field] of [
    ['/octo/availability', 'unitPricing'],
    ['/octo/availability/calendar', 'unitPricingFrom'],
  ] as const) {
    const { body } = await website.post(path, days, PRICING);
    expect(body).toHaveLength(DATES.length);
    for (const [index, day] of body.entries())
      for (const shown of day[field] as ShownPricing[]) {
        const { platform, tenant } = prices[index]!;
        const unit = unitOf(shape, shown.unitId);
        expectPricing(shown, { net: platform[unit], retail: tenant[unit], currency });
      }
  }
}

/** Returns the category of a unit of OCTO. */
export function unitOf({ codes }: Shape, unitId: string): 'adult' | 'child' {
  return UNITS.find((unit) => codes[unit] === unitId)!;
}

/** Compares a price of OCTO, in minor units. */
export function expectPricing(
  shown: Omit<ShownPricing, 'unitId'>,
  {
    net,
    retail,
    original = retail,
    currency,
  }: { net: bigint; retail: bigint; original?: bigint; currency: Code },
): void {
  expect([BigInt(shown.net), BigInt(shown.retail), BigInt(shown.original), shown.currency]).toEqual([
    net,
    retail,
    original,
    currency,
  ]);
}

/** Checks what the terminal says of a booking that would be made now. */
async function checkSimulation(shop: Shop, price: ModelPrice, party: ByCategory): Promise<void> {
  const { terminal, website, tour, shape, model } = shop;
  const units = Object.entries(byCode(shape, party)).map(([code, number]) => `${code}=${number}`);
  const named = `--adults ${party.adult} --children ${party.child} --single-supplements ${party.single_supplement}`;
  const numbers = shape.categories ? `--party ${units.join(',')}` : named;
  const shown = await terminal.json(
    `pricing simulate ${website.tenant.slug} ${tour.slug} --date ${DATES[0]} ${numbers}`,
  );
  const { currency, converted } = price;
  expect([shown.currency, shown.converted_from ?? undefined, shown.rate ?? undefined]).toEqual([
    currency,
    converted?.from,
    converted?.rate,
  ]);
  const total = sumOf(party, price.tenant);
  expectAmount(shown.total_price, total, currency);
  expectAmount(shown.deposit_total, modelDeposit(total, model.depositPercent), currency);
}

function least(amounts: bigint[]): bigint {
  return amounts.reduce((low, amount) => (amount < low ? amount : low));
}

import { findTour } from '../../../services/api/catalog/find-tour';
import { checkContinent, noTourIn } from '../../../services/api/catalog/known-continents';
import {
  addPriceRule,
  type NewPriceRule,
  type PriceChange,
  removePriceRule,
} from '../../../services/api/pricing/change-price-rules';
import {
  PRICE_RULE_KINDS,
  type PriceRule,
  type PriceRuleKind,
} from '../../../services/api/pricing/choose-price-rule';
import { currencyDigits, toMajor } from '../../../services/api/pricing/currency';
import {
  findLowPricesOf,
  type LowPrice,
  type LowPrices,
} from '../../../services/api/pricing/find-low-prices';
import { listPriceRules } from '../../../services/api/pricing/price-rule.repository';
import { findTenant } from '../../../services/api/tenants/find-tenant';
import type { Tenant } from '../../../services/api/tenants/tenant';
import type { Db } from '../../../services/platform/database';
import type { Context } from '../../engine/context';
import { DEFAULT_LIMIT } from '../../engine/flags';
import { answerPage, oneMoreThan } from '../../engine/list-page';
import { formatMoney, withMoney } from '../../engine/money';
import { type Column, properties, tableOf } from '../../terminal/table';
import { countOf } from '../../terminal/text';

/** Converts a price rule to the names of its flags; its money is in the rule's currency, also if the tenant's has changed. */
export function toPriceRuleDocument(tenant: Tenant, rule: PriceRule, tourSlug: string | null) {
  const { amountMinor, currency } = rule;
  const money =
    amountMinor === null || currency === null ? null : toMajor(amountMinor, currencyDigits(currency)!);
  return {
    id: rule.id,
    tenant: tenant.slug,
    applies_to: rule.tourId ? 'tour' : rule.continent ? 'continent' : 'all',
    tour: rule.tourId ? tourSlug : null,
    continent: rule.continent,
    percent: rule.percent === null ? null : Number(rule.percent),
    amount: rule.kind === 'amount' ? money : null,
    price: rule.kind === 'price' ? money : null,
    currency,
    travel_from: rule.travelFrom,
    travel_to: rule.travelTo,
    round_to: rule.roundTo === null ? null : Number(rule.roundTo),
  };
}
export type PriceRuleDocument = ReturnType<typeof toPriceRuleDocument>;

export function describeScope({ tour, continent }: PriceRuleDocument): string {
  return tour ?? continent ?? 'all tours';
}

/** Returns `+12.5 %`, `-20.00 EUR` or `990.00 EUR`. */
export function describePriceChange({ percent, amount, price, currency }: PriceRuleDocument): string {
  if (percent !== null) return `${plusOf(percent)}${percent} %`;
  return amount === null
    ? formatMoney(price!, currency!)
    : `${plusOf(amount)}${formatMoney(amount, currency!)}`;
}

function plusOf(value: number): string {
  return value < 0 ? '' : '+';
}

export function describeTravel({ travel_from: from, travel_to: to }: PriceRuleDocument): string {
  return from || to ? `${from ?? ''}..${to ?? ''}` : 'any time';
}

const COLUMNS: Column[] = [
  { heading: 'id', right: true },
  { heading: 'for', least: 10 },
  { heading: 'change', right: true },
  'travel',
  { heading: 'round to', right: true },
];

export async function showPricingCommand(
  { db, output }: Context,
  { limit = DEFAULT_LIMIT, after }: { limit?: number; after?: number },
  slug: string,
): Promise<void> {
  const tenant = await findTenant(db, slug);
  const rules = await listPriceRules(db, tenant.id, { after, limit: oneMoreThan(limit) });
  const found = rules.map((rule) => toPriceRuleDocument(tenant, rule, rule.tourSlug));
  const toRow = (rule: PriceRuleDocument) => [
    rule.id,
    describeScope(rule),
    describePriceChange(rule),
    describeTravel(rule),
    rule.round_to,
  ];
  const text = tableOf(COLUMNS, toRow, `No rules: ${slug} sells at the platform's prices`);
  answerPage(output, found, { limit, after: ({ id }) => id }, text);
}

/** Holds the flags of `pricing add`: exactly one kind, as decimal text. */
export interface RuleOptions extends Partial<Record<PriceRuleKind, string>> {
  tour?: string;
  continent?: string;
  travelFrom?: string;
  travelTo?: string;
  roundTo?: string;
}

/** Asks before prices become 0 or less than half of the platform's; no transaction is open meanwhile. */
export async function addPricingCommand(
  { audited, confirm, db, output }: Context,
  options: RuleOptions,
  slug: string,
): Promise<void> {
  const { continent } = options;
  const hasTours = continent === undefined || (await checkContinent(db, continent));
  const low = await findLowPricesOf(db, await findTenant(db, slug), await readRule(db, options));
  if (low) await confirm(`This rule ${describeLowPrices(low)}. Add it?`);
  const document = await audited({ action: 'pricing.add' }, async (trx, note) => {
    const tenant = await findTenant(trx, slug);
    const rule = await readRule(trx, options);
    const added = toPriceRuleDocument(tenant, await addPriceRule(trx, tenant, rule), rule.tour?.slug ?? null);
    note(null, added, { tenantId: tenant.id, subject: String(added.id) });
    return added;
  });
  if (!hasTours) output.warn(noTourIn(continent));
  output.answer(document, (screen) => properties(withMoney(document, ['amount', 'price']), screen));
}

async function readRule(db: Db, { tour, continent, travelFrom, travelTo, roundTo, ...rule }: RuleOptions) {
  return {
    continent,
    travelFrom,
    travelTo,
    roundTo,
    tour: tour === undefined ? undefined : await findTour(db, tour),
    change: toChange(rule),
  } satisfies NewPriceRule;
}

function toChange(options: RuleOptions): PriceChange {
  const kind = PRICE_RULE_KINDS.find((name) => options[name] !== undefined)!;
  return { kind, value: options[kind]! };
}

export async function removePricingCommand(
  { audited, confirm, db, output }: Context,
  _: object,
  slug: string,
  id: number,
): Promise<void> {
  const tenant = await findTenant(db, slug);
  await confirm(`Remove the price rule ${id} of ${slug}, so that prices change at once?`);
  const document = await audited(
    { action: 'pricing.remove', tenantId: tenant.id, subject: String(id) },
    async (trx, note) => {
      const rule = await removePriceRule(trx, tenant, id);
      const removed = toPriceRuleDocument(tenant, rule, rule.tourSlug);
      note(removed, null);
      return removed;
    },
  );
  output.answer(document, () => `Price rule ${id} of ${slug} is removed`);
}

/** Returns `makes 3 prices in 1 tour less than half of the platform's, 1 of them 0, such as …`. */
export function describeLowPrices({ prices, free, tours, lowest }: LowPrices): string {
  const many = `${countOf(prices, 'price')} in ${countOf(tours, 'tour')}`;
  const zero = free > 0 ? `, ${free} of them 0` : '';
  return `makes ${many} less than half of the platform's${zero}, such as ${describeLowest(lowest)}`;
}

/** Returns `alps on 2031-06-01, adult: 0.00 EUR instead of 1,100.00 EUR`. */
function describeLowest(price: LowPrice): string {
  const { tour, departureDate, category, platformMinor, tenantMinor, currency, currencyDigits } = price;
  const money = (minor: number) => formatMoney(toMajor(minor, currencyDigits), currency);
  const when = departureDate === null ? 'without a date' : `on ${departureDate}`;
  return `${tour} ${when}, ${category.replace('_', ' ')}: ${money(tenantMinor)} instead of ${money(platformMinor)}`;
}

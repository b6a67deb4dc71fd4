import { isContinentOfSomeTour } from '../../../services/api/catalog/catalog-tour.repository';
import { findTour } from '../../../services/api/catalog/find-tour';
import {
  addPriceRule,
  type NewPriceRule,
  type PriceChange,
  removePriceRule,
} from '../../../services/api/pricing/change-price-rules';
import { PRICE_RULE_KINDS, type PriceRuleKind } from '../../../services/api/pricing/choose-price-rule';
import { toMajor } from '../../../services/api/pricing/currency';
import {
  findLowPricesOf,
  type LowPrice,
  type LowPrices,
} from '../../../services/api/pricing/find-low-prices';
import { findTenant } from '../../../services/api/tenants/find-tenant';
import type { Db } from '../../../services/platform/database';
import type { Context } from '../../engine/context';
import { properties } from '../../terminal/table';
import { toPriceRuleDocument } from './read';

/** Exactly one kind is given, as decimal text. */
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
  const low = await findLowPricesOf(db, await findTenant(db, slug), await readRule(db, options));
  if (low) await confirm(`This rule ${describeLowPrices(low)}. Add it?`);
  const document = await audited({ action: 'pricing.add' }, async (trx, note) => {
    const tenant = await findTenant(trx, slug);
    const rule = await readRule(trx, options);
    const added = toPriceRuleDocument(tenant, await addPriceRule(trx, tenant, rule), rule.tour?.slug ?? null);
    note(null, added, { tenantId: tenant.id, subject: String(added.id) });
    return added;
  });
  if (continent !== undefined && !(await isContinentOfSomeTour(db, continent))) {
    output.warn(`no tour is in the continent ${continent}`);
  }
  output.answer(document, () => properties(document));
}

async function readRule(db: Db, { tour, continent, travelFrom, travelTo, roundTo, ...rule }: RuleOptions) {
  return {
    ...{ continent, travelFrom, travelTo, roundTo },
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

/** `makes 3 prices in 1 tour less than half of the platform's, 1 of them 0, such as …`, after the name of a rule. */
export function describeLowPrices({ prices, free, tours, lowest }: LowPrices): string {
  const many = `${prices} ${prices === 1 ? 'price' : 'prices'} in ${tours} ${tours === 1 ? 'tour' : 'tours'}`;
  const zero = free > 0 ? `, ${free} of them 0` : '';
  return `makes ${many} less than half of the platform's${zero}, such as ${describeLowest(lowest)}`;
}

/** `alps on 2031-06-01, adult: 0 EUR instead of 1100 EUR` */
function describeLowest(price: LowPrice): string {
  const { tour, departureDate, category, platformMinor, tenantMinor, currency, currencyDigits } = price;
  const money = (minor: number) => `${toMajor(minor, currencyDigits)} ${currency}`;
  const when = departureDate === null ? 'without a date' : `on ${departureDate}`;
  return `${tour} ${when}, ${category.replace('_', ' ')}: ${money(tenantMinor)} instead of ${money(platformMinor)}`;
}

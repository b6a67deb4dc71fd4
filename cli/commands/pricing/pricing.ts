import { findTour } from '../../../services/api/catalog/find-tour';
import { checkCategory, checkKnownCategory } from '../../../services/api/catalog/known-categories';
import { checkContinent, noTourIn } from '../../../services/api/catalog/known-continents';
import {
  addPriceRule,
  type NewPriceRule,
  type PriceChange,
  removePriceRule,
} from '../../../services/api/pricing/change-price-rules';
import { PRICE_RULE_KINDS, type PriceRuleKind } from '../../../services/api/pricing/choose-price-rule';
import { findLowPricesOf } from '../../../services/api/pricing/find-low-prices';
import { MINOR_UNITS_MAX } from '../../../services/api/pricing/currency';
import { listPriceRules } from '../../../services/api/pricing/price-rule.repository';
import { findTenant } from '../../../services/api/tenants/manage-tenants';
import type { Db } from '../../../services/platform/database/database';
import { flag, type Verb } from '../../engine/command';
import type { AuditedContext, Context } from '../../engine/context';
import { refuseMistakes } from '../../engine/failure';
import { afterFlag, answerItems, DEFAULT_LIMIT, LIST_FLAGS } from '../../engine/list';
import {
  categoryCode,
  continent,
  decimal,
  percent,
  roundingStep,
  travelDate,
  wholeNumber,
  withMoney,
} from '../../engine/values';
import { properties } from '../../terminal/table';
import {
  describeCategories,
  describeLowPrices,
  describePriceChange,
  describeScope,
  describeTravel,
  toPriceRuleDocument,
} from './price-rule';
import { simulateVerb } from './simulate';

const ruleId = wholeNumber(1, 9_999_999_999);

export const pricingVerbs: Verb[] = [
  {
    usage: 'show <slug>',
    about: 'List the price rules of a tenant, newest first',
    flags: [...LIST_FLAGS, afterFlag('id', ruleId)],
    run: showPricingCommand,
  },
  {
    usage: 'add <slug>',
    about: "Add a price rule: a tour's rule overrides a continent's, and both override a general one",
    flags: [
      flag('--percent <percent>', 'percent to add to each price; -50 halves it', {
        parse: percent(decimal(-100, 10_000, 4)),
      }),
      flag('--amount <money>', "amount to add to the price of a tour's first category, such as adult", {
        parse: decimal(-MINOR_UNITS_MAX, MINOR_UNITS_MAX, 4),
      }),
      flag('--price <money>', "price of a tour's first category, such as adult", {
        parse: decimal(0, MINOR_UNITS_MAX, 4),
      }),
      flag(
        '--category <code>',
        'change the price of this category with --amount or --price, such as senior',
        {
          parse: categoryCode,
        },
      ),
      flag('--tour <slug>', 'only this tour, by slug or id'),
      flag('--continent <name>', 'only tours of this continent', { parse: continent }),
      flag('--travel-from <date>', 'only departures from this day on', { parse: travelDate }),
      flag('--travel-to <date>', 'only departures up to this day', { parse: travelDate }),
      flag('--round-to <money>', 'round to the nearest multiple of this', { parse: roundingStep }),
    ],
    check: checkRule,
    examples: [
      'pricing add acme --percent 12.5 --round-to 5',
      'pricing add acme --price 990 --tour dolomites-hut-to-hut --travel-from 2027-06-01 --travel-to 2027-08-31',
      'pricing add acme --amount -20 --continent europe',
      'pricing add acme --price 9.50 --category senior --tour amsterdam-museum-first-hour',
    ],
    audits: true,
    run: addPricingCommand,
  },
  {
    usage: 'remove <slug> <id>',
    about: 'Remove a price rule',
    args: { id: ruleId },
    asks: () => true,
    audits: true,
    run: removePricingCommand,
  },
  simulateVerb,
];

function checkRule({ tour, continent, travelFrom, travelTo, ...rule }: RuleOptions): void {
  const kinds = PRICE_RULE_KINDS.filter((kind) => rule[kind] !== undefined);
  refuseMistakes([
    kinds.length !== 1 && 'one of --percent, --amount and --price must be given',
    rule.percent !== undefined &&
      rule.category !== undefined &&
      '--category goes with --amount and --price: --percent changes every category',
    tour !== undefined && continent !== undefined && '--tour and --continent cannot be given together',
    travelFrom !== undefined &&
      travelTo !== undefined &&
      travelTo < travelFrom &&
      '--travel-to must not be before --travel-from',
  ]);
}

async function showPricingCommand(
  { db, output }: Context,
  { limit = DEFAULT_LIMIT, after }: { limit?: number; after?: number },
  slug: string,
): Promise<void> {
  const tenant = await findTenant(db, slug);
  const rules = await listPriceRules(db, tenant.id, { after, limit: limit + 1 });
  const found = rules.map((rule) => toPriceRuleDocument(tenant, rule, rule.tourSlug));
  await answerItems(output, found, limit, {
    columns: [
      { heading: 'id', right: true },
      { heading: 'for', least: 10, cell: describeScope },
      { heading: 'change', right: true, cell: describePriceChange },
      { heading: 'travel', cell: describeTravel },
      { heading: 'round to', right: true, cell: (rule) => rule.round_to },
      { heading: 'category', aside: true, cell: describeCategories },
    ],
    empty: `No rules: ${slug} sells at the platform's prices`,
    after: ({ id }) => id,
  });
}

/** The flags of `pricing add`. Exactly one kind of rule is given, as a decimal text. */
export interface RuleOptions extends Partial<Record<PriceRuleKind, string>> {
  tour?: string;
  continent?: string;
  category?: string;
  travelFrom?: string;
  travelTo?: string;
  roundTo?: string;
}

/** Asks before a price becomes 0 or less than half of the platform's price. No transaction is open during the question. */
async function addPricingCommand(
  { audited, confirm, db, output }: AuditedContext,
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
  await output.answer(document, (screen) => properties(withMoney(document, ['amount', 'price']), screen));
}

/** @throws UnknownTourError, UnknownCategoryError */
async function readRule(db: Db, options: RuleOptions) {
  const { continent, category, travelFrom, travelTo, roundTo, ...rule } = options;
  const tour = rule.tour === undefined ? undefined : await findTour(db, rule.tour);
  if (category !== undefined && tour) checkCategory(category, tour.categories);
  else if (category !== undefined) await checkKnownCategory(db, category);
  return {
    continent,
    category,
    travelFrom,
    travelTo,
    roundTo,
    tour,
    change: toChange(rule),
  } satisfies NewPriceRule;
}

function toChange(options: RuleOptions): PriceChange {
  const kind = PRICE_RULE_KINDS.find((name) => options[name] !== undefined)!;
  return { kind, value: options[kind]! };
}

async function removePricingCommand(
  { audited, confirm, db, output }: AuditedContext,
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
  await output.answer(document, () => `Price rule ${id} of ${slug} is removed`);
}

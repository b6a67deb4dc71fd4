import { type Db, toColumns, toFields, type Trx } from '../../platform/database/database';
import { type Tenant, TENANT_MAY_BE_USED } from '../tenants/tenant';
import type { PriceRule } from './choose-price-rule';
import type { PricingTenant } from './selling-currency';

const COLUMNS = [
  'id',
  'tour_id',
  'continent',
  'category',
  'kind',
  'percent',
  'amount_minor',
  'currency',
  'travel_from',
  'travel_to',
  'round_to',
];

/** Returns the tenant's rules that can apply to any of these tours. */
export async function findPriceRules(db: Db, tenantId: string, tourIds: string[]): Promise<PriceRule[]> {
  return db('price_rules')
    .select(COLUMNS)
    .where('tenant_id', tenantId)
    .where((scope) => scope.whereNull('tour_id').orWhereIn('tour_id', tourIds));
}

/**
 * Selects the rules of `:ruleTenants` that can apply to any of `:ruleTours`, with the tenant's id. Selects decimals as texts, because the
 * rows are returned as JSON, which has only floats.
 */
export const PRICE_RULES_OF_TENANTS = `
  select id, tour_id, continent, category, kind, percent::text, amount_minor, currency, travel_from, travel_to, round_to::text, tenant_id
  from price_rules
  where tenant_id = any(:ruleTenants::uuid[]) and (tour_id is null or tour_id = any(:ruleTours::uuid[]))`;

export type TenantOfRules = Pick<Tenant, 'id' | 'slug'> & PricingTenant;

/** A rule that may lower a price, and its tenant. */
interface DiscountRule {
  rule: PriceRule;
  tenant: TenantOfRules;
}

/**
 * Returns the rules that may cause low prices, of tenants that the API serves, by slug.
 * @param tenantId undefined: of all these tenants
 */
export async function findDiscountRules(db: Db, tenantId?: string): Promise<DiscountRule[]> {
  const query = db('price_rules as r')
    .join('tenants as t', 't.id', 'r.tenant_id')
    .select(
      ...COLUMNS.map((column) => `r.${column}`),
      db.raw(
        `json_build_object('id', t.id, 'slug', t.slug, 'currency', t.currency, 'currency_digits', t.currency_digits,
           'sell_in', t.sell_in, 'sell_in_digits', t.sell_in_digits, 'deposit_percent', t.deposit_percent::text,
           'payment_method', t.payment_method) as tenant`,
      ),
    )
    .whereRaw(TENANT_MAY_BE_USED)
    .whereRaw("(r.percent < -50 or r.amount_minor < 0 or r.kind = 'price' or r.round_to is not null)")
    .orderBy(['t.slug', 'r.id']);
  if (tenantId !== undefined) void query.where('r.tenant_id', tenantId);
  const rows: (PriceRule & { tenant: TenantOfRules })[] = await query;
  return rows.map(({ tenant, ...rule }) => ({ rule, tenant: toFields(tenant) as TenantOfRules }));
}

/** A rule with the slug of its tour. */
export type ListedPriceRule = PriceRule & { tourSlug: string | null };

interface PriceRulePage {
  /** Id of the last rule of the previous page. */
  after?: number;
  limit: number;
}

/** Returns the tenant's rules, newest first. */
export async function listPriceRules(
  db: Db,
  tenantId: string,
  page: PriceRulePage,
): Promise<ListedPriceRule[]> {
  return selectListed(db, { 'r.tenant_id': tenantId }, page);
}

export async function findPriceRule(
  db: Db,
  tenantId: string,
  id: number,
): Promise<ListedPriceRule | undefined> {
  const [rule] = await selectListed(db, { 'r.tenant_id': tenantId, 'r.id': id }, { limit: 1 });
  return rule;
}

async function selectListed(
  db: Db,
  which: Record<string, unknown>,
  { after, limit }: PriceRulePage,
): Promise<ListedPriceRule[]> {
  const query = db('price_rules as r')
    .leftJoin('tours as t', 't.id', 'r.tour_id')
    .select(...COLUMNS.map((column) => `r.${column}`), 't.slug as tour_slug')
    .where(which)
    .orderBy('r.id', 'desc')
    .limit(limit);
  if (after !== undefined) void query.where('r.id', '<', after);
  return query;
}

export async function insertPriceRule(
  trx: Trx,
  tenantId: string,
  rule: Omit<PriceRule, 'id'>,
): Promise<PriceRule> {
  const [inserted] = await trx('price_rules')
    .insert(toColumns({ tenantId, ...rule }))
    .returning<PriceRule[]>(COLUMNS);
  return inserted!;
}

/** @returns false when the rule was already deleted */
export async function deletePriceRule(trx: Trx, id: number): Promise<boolean> {
  return (await trx('price_rules').where({ id }).delete()) > 0;
}

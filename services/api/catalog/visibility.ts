import type { Tenant } from '../tenants/tenant';

/** The visibility rules of a tenant. A tour rule overrides a continent rule, and a continent rule overrides the default. */
export interface Visibility {
  defaultVisible: boolean;
  continents: { continent: string; visible: boolean }[];
  tours: { id: string; slug: string; name: string; visible: boolean }[];
}

/** The tours to which a rule applies. `default`: all tours for which there is neither a tour rule nor a continent rule. */
export type VisibilityTarget =
  { kind: 'default' } | { kind: 'continent'; continent: string } | { kind: 'tour'; tourId: string };

export interface VisibilityRule {
  kind: VisibilityTarget['kind'];
  visible: boolean;
}

/** The kinds of rules, the deciding one first. */
const DECIDING_FIRST = ['tour', 'continent', 'default'] as const;

/**
 * Returns the rules that apply to one tour, the deciding one first. Does not check the tour's status, which SHOWN_BY_RULES and
 * explainVisibility check.
 */
export function rankVisibilityRules(
  rules: Partial<Record<VisibilityRule['kind'], boolean>>,
): VisibilityRule[] {
  return DECIDING_FIRST.flatMap((kind) => {
    const visible = rules[kind];
    return visible === undefined ? [] : { kind, visible };
  });
}

/**
 * Returns the SQL of the deciding rule. The lists that read an index in its order split this text in two: the tours that a tour rule shows,
 * and those without one (HAS_NO_TOUR_RULE) that the other rules show. wasSeen (catalog-changes.repository.ts) has the same order for times.
 * @param rules an SQL expression of each kind; null: the tenant has no such rule
 */
export function visibleByRules(rules: Partial<Record<VisibilityRule['kind'], string>>): string {
  return `coalesce(${DECIDING_FIRST.flatMap((kind) => rules[kind] ?? []).join(', ')})`;
}

/** The condition that no tour rule of the tenant `:tenantId` decides whether the tour `t` is shown. */
export const HAS_NO_TOUR_RULE =
  'not exists (select from visibility_tour_rules r where r.tenant_id = :tenantId and r.tour_id = t.id)';

/** Joins a tenant and its visibility rules to the tour `t` of a statement. @param tenantId an SQL expression */
export function visibilityJoins(tenantId: string): string {
  return `
  join tenants n on n.id = ${tenantId}
  left join visibility_tour_rules vt on vt.tenant_id = n.id and vt.tour_id = t.id
  left join visibility_continent_rules vc on vc.tenant_id = n.id and vc.continent = t.continent`;
}

/**
 * The condition that the tour `t` is published and the tenant's rules show it, in the order of rankVisibilityRules. Needs visibilityJoins. A
 * tour that the rules show may lack a rate: isVisibleTo also checks this.
 */
export const SHOWN_BY_RULES = `(t.status = 'published' and ${visibleByRules({ tour: 'vt.visible', continent: 'vc.visible', default: 'n.default_visible' })})`;

/**
 * The condition that a tenant can sell the tour `t` in its selling currency `:sellIn`: no rate is missing. findConversion
 * (pricing/convert-price.ts) decides the same in a quote. A statement evaluates the subquery once.
 * @rule a tour without an exchange rate is hidden: test/api/selling-currency.long.test.ts
 */
export const IS_SELLABLE = 't.currency = any((select sellable_currencies(:sellIn))::text[])';

/** Returns IS_SELLABLE after `and`. Empty for a tenant without a selling currency. */
export function andSellable({ sellIn }: Pick<Tenant, 'sellIn'>): string {
  return sellIn === null ? '' : `and ${IS_SELLABLE}`;
}

/**
 * Returns the condition that the tenant sees the tour `t`. Needs visibilityJoins, and `:sellIn` for a tenant with a selling currency.
 * @rule which tenants see a tour: test/api/list-catalog.test.ts
 */
export function isVisibleTo(tenant: Pick<Tenant, 'sellIn'>): string {
  return `${SHOWN_BY_RULES} ${andSellable(tenant)}`;
}

/** A common table expression for IS_SELLABLE_BY: the currencies that each tenant of `:tenants` can convert to its selling currency. */
export const SELLABLE_CURRENCIES = `
  sellable as materialized (
    select id as tenant_id, sellable_currencies(sell_in) as currencies from tenants
    where id = any (:tenants::uuid[]) and sell_in is not null
  )`;

/** IS_SELLABLE in a statement about several tenants, for the tenant `n` of the row. Needs SELLABLE_CURRENCIES and visibilityJoins. */
export const IS_SELLABLE_BY = `(n.sell_in is null
  or exists (select from sellable s where s.tenant_id = n.id and t.currency = any (s.currencies)))`;

/**
 * Begins a statement with two common table expressions. `continents` has the continents of all published tours. `seen` has the continents
 * whose tours the tenant sees by a continent rule, or by its default. Steps through the index of continents, which is faster than
 * `distinct` over all tours.
 */
export const VISIBLE_CONTINENTS = `with recursive continents (continent) as (
       (select t.continent from tours t where t.status = 'published' order by t.continent limit 1)
       union all
       select (select t.continent from tours t where t.status = 'published' and t.continent > c.continent
               order by t.continent limit 1)
       from continents c where c.continent is not null
     ),
     seen as (
       select c.continent
       from continents c
         left join visibility_continent_rules vc on vc.tenant_id = :tenantId and vc.continent = c.continent
       where c.continent is not null and ${visibleByRules({ continent: 'vc.visible', default: ':defaultVisible' })}
     )`;

/**
 * Returns common table expressions that count the published tours which each tenant sees:
 * - published: the number of published tours by continent and currency.
 * - tenant: the tenants.
 * - by_continent: the number of tours that the continent rules and the default of each tenant show.
 * - by_tour: how many tours more, or fewer, the tour rules of each tenant show.
 * - counted: the number of tours that each tenant sees.
 * @param tenants SQL of the tenants, with `default_visible` and `sells`: the currencies of the tours that the tenant can sell; null: all
 */
export function visibleTours(tenants: string): string {
  return `published as materialized (
       select continent, currency, count(*) as tours from tours where status = 'published' group by continent, currency
     ), tenant as (${tenants}), by_continent as (
       select t.id, sum(p.tours) filter (where ${visibleByRules({ continent: 'r.visible', default: 't.default_visible' })}
         and (t.sells is null or p.currency = any(t.sells))) as tours
       from tenant t cross join published p
       left join visibility_continent_rules r on r.tenant_id = t.id and r.continent = p.continent
       group by t.id
     ), by_tour as (
       select t.id, sum(case when r.visible then 1 else -1 end) as tours
       from tenant t join visibility_tour_rules r on r.tenant_id = t.id
       join tours o on o.id = r.tour_id and o.status = 'published'
       left join visibility_continent_rules c on c.tenant_id = t.id and c.continent = o.continent
       where r.visible <> ${visibleByRules({ continent: 'c.visible', default: 't.default_visible' })}
         and (t.sells is null or o.currency = any(t.sells))
       group by t.id
     ), counted as (
       select t.id, (coalesce(c.tours, 0) + coalesce(b.tours, 0))::integer as visible
       from tenant t left join by_continent c using (id) left join by_tour b using (id)
     )`;
}

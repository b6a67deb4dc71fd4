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

/**
 * Returns the rules that apply to one tour, the deciding one first. The tenant's default is always included. Does not check the tour's
 * status, which IS_VISIBLE and explainVisibility check. These SQL texts have the same order and must be changed together: IS_VISIBLE,
 * VISIBLE_CONTINENTS with findCatalogPage and listContinents, findRemovedTours, countVisibleTours, findTenantsWithoutTours
 * (health/installation.repository.ts).
 */
export function rankVisibilityRules(
  defaultVisible: boolean,
  rules: { tour: boolean | undefined; continent: boolean | undefined },
): VisibilityRule[] {
  const applicable: { kind: VisibilityRule['kind']; visible: boolean | undefined }[] = [
    { kind: 'tour', visible: rules.tour },
    { kind: 'continent', visible: rules.continent },
    { kind: 'default', visible: defaultVisible },
  ];
  return applicable.flatMap(({ kind, visible }) => (visible === undefined ? [] : { kind, visible }));
}

/** Joins a tenant and its visibility rules to the tour `t` of a statement. @param tenantId an SQL expression */
export function visibilityJoins(tenantId: string): string {
  return `
  join tenants n on n.id = ${tenantId}
  left join visibility_tour_rules vt on vt.tenant_id = n.id and vt.tour_id = t.id
  left join visibility_continent_rules vc on vc.tenant_id = n.id and vc.continent = t.continent`;
}

/** The condition that the tour is published and the tenant sees it, in the order of rankVisibilityRules. Needs visibilityJoins. */
export const IS_VISIBLE = `(t.status = 'published' and coalesce(vt.visible, vc.visible, n.default_visible))`;

/**
 * The condition that a tenant can sell the tour `t` in its selling currency `:sellIn`. A tour whose rate is missing is not visible to the
 * tenant, so a statement with IS_VISIBLE needs andSellable too. findConversion (pricing/convert-price.ts) decides the same in a quote. A
 * statement evaluates the subquery once.
 */
export const IS_SELLABLE = 't.currency = any((select sellable_currencies(:sellIn))::text[])';

/** Returns IS_SELLABLE after `and`. Empty for a tenant without a selling currency. */
export function andSellable({ sellIn }: Pick<Tenant, 'sellIn'>): string {
  return sellIn === null ? '' : `and ${IS_SELLABLE}`;
}

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
       where c.continent is not null and coalesce(vc.visible, :defaultVisible)
     )`;

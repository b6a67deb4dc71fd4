/** The visibility rules of a tenant. A tour rule overrules a continent rule, which overrules the default (CONTRACT section 6). */
export interface Visibility {
  defaultVisible: boolean;
  continents: { continent: string; visible: boolean }[];
  tours: { id: string; slug: string; name: string; visible: boolean }[];
}

/** The tours that a rule applies to; `default` means all tours without a rule. */
export type VisibilityTarget =
  { kind: 'default' } | { kind: 'continent'; continent: string } | { kind: 'tour'; tourId: string };

export interface VisibilityRule {
  kind: VisibilityTarget['kind'];
  visible: boolean;
}

/**
 * Returns the rules that apply to one tour, the deciding one first. The tenant's default is always included. Does not look at the
 * tour's status; IS_VISIBLE and explainVisibility do. SQL repeats this order in four places, so change them too: IS_VISIBLE,
 * findCatalogPage and listContinents (tour.repository.ts), findTenantsWithoutTours (health/installation.repository.ts).
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

/** The condition that the tour is published and the tenant sees it, by the order of rankVisibilityRules. It needs visibilityJoins. */
export const IS_VISIBLE = `(t.status = 'published' and coalesce(vt.visible, vc.visible, n.default_visible))`;

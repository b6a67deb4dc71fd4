/** What a tenant may see: a tour rule beats a continent rule beats its default (CONTRACT section 6). */
export interface Visibility {
  defaultVisible: boolean;
  continents: { continent: string; visible: boolean }[];
  tours: { id: string; slug: string; name: string; visible: boolean }[];
}

/** What a rule speaks of; `default` is every tour that no rule speaks of. */
export type VisibilityTarget =
  { kind: 'default' } | { kind: 'continent'; continent: string } | { kind: 'tour'; tourId: string };

export interface VisibilityRule {
  kind: VisibilityTarget['kind'];
  visible: boolean;
}

/** The rules that speak of one tour, the deciding one first; the tenant's default is always among them. */
export function rankVisibilityRules(
  defaultVisible: boolean,
  rules: { tour: boolean | undefined; continent: boolean | undefined },
): VisibilityRule[] {
  const spoken: { kind: VisibilityRule['kind']; visible: boolean | undefined }[] = [
    { kind: 'tour', visible: rules.tour },
    { kind: 'continent', visible: rules.continent },
    { kind: 'default', visible: defaultVisible },
  ];
  return spoken.flatMap(({ kind, visible }) => (visible === undefined ? [] : { kind, visible }));
}

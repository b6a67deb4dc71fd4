import type { Visibility, VisibilityTarget } from '../../../services/api/catalog/visibility';
import { table } from '../../table';

export function toVisibilityDocument(tenant: string, visibility: Visibility) {
  return {
    tenant,
    visibility: visibility.defaultVisible ? 'all' : 'none',
    continents: visibility.continents,
    tours: visibility.tours,
  };
}

/** For the audit log: what is said of these targets alone, since a tenant may have a thousand rules. */
export function rulesOf(targets: VisibilityTarget[], visibility: Visibility): object {
  const { defaultVisible, continents, tours } = visibility;
  const names = (target: VisibilityTarget) => (target.kind === 'continent' ? target.continent : undefined);
  return {
    ...(targets.some((target) => target.kind === 'default') ? { default: defaultVisible } : {}),
    continents: continents.filter(({ continent }) => targets.some((target) => names(target) === continent)),
    tours: tours
      .filter(({ id }) => targets.some((target) => target.kind === 'tour' && target.tourId === id))
      .map(({ slug, visible }) => ({ slug, visible })),
  };
}

export function describeVisibility({ defaultVisible, continents, tours }: Visibility): string {
  const rows = [
    ...tours.map(({ slug, visible }) => ['tour', slug, shown(visible)]),
    ...continents.map(({ continent, visible }) => ['continent', continent, shown(visible)]),
    ['default', 'everything else', shown(defaultVisible)],
  ];
  return table(['rule', 'of', ''], rows, '');
}

export function shown(visible: boolean): string {
  return visible ? 'shown' : 'hidden';
}

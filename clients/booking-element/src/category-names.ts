import type { Category } from './wire.ts';
import type { Words } from './words/en.ts';

/** Returns the name of a category: that of the tour, otherwise one that follows from its kind. */
export function categoryName({ code, kind, name }: Category, { party }: Words): string {
  if (name !== undefined) return name;
  return code === 'single_supplement' ? party.singleSupplement : party.kinds[kind];
}

import type { Category } from './wire.ts';
import type { Words } from './words/en.ts';

/** A category with the text that distinguishes it from another one without a name, if its kind does not. */
export interface NamedCategory extends Category {
  mark?: string;
}

/** The category that has words of its own. */
const SINGLE_SUPPLEMENT = 'single_supplement';

/** Returns the name of a category: that of the tour, otherwise one that follows from its kind. */
export function categoryName({ code, kind, name, mark }: NamedCategory, { party }: Words): string {
  if (name !== undefined) return name;
  if (code === SINGLE_SUPPLEMENT) return party.singleSupplement;
  return mark === undefined ? party.kinds[kind] : `${party.kinds[kind]} (${mark})`;
}

/**
 * Marks the categories without a name that are of one kind: by their ages, or by their codes where two have the same ages or one has none.
 * @rule the name of a category in the element: test/element/category-names.test.ts
 */
export function markUnnamed(categories: readonly Category[]): NamedCategory[] {
  const unnamed = categories.filter(({ code, name }) => name === undefined && code !== SINGLE_SUPPLEMENT);
  return categories.map((category) => {
    const sameKind = unnamed.filter(({ kind }) => kind === category.kind);
    if (sameKind.length < 2 || !sameKind.includes(category)) return category;
    const ages = new Set(sameKind.map(agesOf));
    const isDistinct = ages.size === sameKind.length && !ages.has('');
    return { ...category, mark: isDistinct ? agesOf(category) : category.code };
  });
}

function agesOf({ age_from, age_to }: Category): string {
  if (age_from === undefined && age_to === undefined) return '';
  return age_to === undefined ? `${age_from}+` : `${age_from ?? 0}–${age_to}`;
}

import { isSlug, isUuid } from '../../platform/text-forms';

/** What a tour is asked for by. */
export type TourKey = { id: string } | { slug: string };

/**
 * UUID in any case, or slug; undefined: no tour can be called that. Decided before the query, since `id::text = ? or
 * slug = ?` reads the whole table (20 ms where the index takes 0.2, of 100,000 tours).
 */
export function tourKey(idOrSlug: string): TourKey | undefined {
  if (isUuid(idOrSlug)) return { id: idOrSlug.toLowerCase() };
  return isSlug(idOrSlug) ? { slug: idOrSlug } : undefined;
}

/** Never looks like a UUID. */
export function isTourSlug(text: string): boolean {
  return isSlug(text) && !isUuid(text);
}

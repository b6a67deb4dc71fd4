import type { Db } from '../../services/platform/database';
import type { Website } from './website';

/** An item of the catalog, or of its removed tours. */
export interface CatalogEntry {
  id: string;
  slug: string;
  removed?: true;
  name?: string;
  updated_at?: string;
}

export interface CatalogChanges {
  items: CatalogEntry[];
  asOf: string;
}

/** A time to which each tour is a change. */
export const BEGINNING = '1970-01-01T00:00:00Z';

/** Reads all pages of the catalog with updated_since. They have one `as_of`. */
export async function changesSince(
  website: Website,
  since: string,
  query = 'limit=100',
): Promise<CatalogChanges> {
  const items: CatalogEntry[] = [];
  const asOf = new Set<string>();
  let cursor = '';
  do {
    const path = `/api/tenant/catalog?${query}&updated_since=${encodeURIComponent(since)}${cursor}`;
    const { body, status } = await website.get(path);
    expect(status).toBe(200);
    items.push(...(body.items as CatalogEntry[]));
    asOf.add(body.as_of as string);
    cursor = body.next_cursor && `&cursor=${body.next_cursor}`;
  } while (cursor);
  expect([...asOf]).toEqual([expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/)]);
  return { items, asOf: [...asOf][0]! };
}

/** Returns the present as_of of a tenant: a time to ask from, at which nothing has changed yet. */
export async function currentAsOf(website: Website): Promise<string> {
  // Two changes within the same millisecond as this time would count as later.
  await new Promise((resolve) => setTimeout(resolve, 3));
  return (await changesSince(website, BEGINNING)).asOf;
}

/** Returns the slugs of items, those of removed tours with a minus before them. */
export function slugsOf(items: CatalogEntry[]): string[] {
  return items.map(({ slug, removed }) => (removed ? `-${slug}` : slug));
}

/** Deletes the tours, with their departures and rules. */
export async function clearCatalog(db: Db): Promise<void> {
  const rules = ['visibility_tour_rules', 'visibility_continent_rules', 'price_rules'];
  for (const table of ['departures', ...rules, 'tours']) await db(table).delete();
}

import type { Db } from '../../services/platform/database/database';
import { foldName } from '../../services/platform/forms/fold-name';
import { givenTour, type GivenTour } from './given';
import type { Website } from './website';

/** A tour of the catalog, or an entry for a removed tour. */
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

/** A time before all changes, so that each tour counts as changed. */
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

/** Returns the tenant's present as_of. No change is later than this time. */
async function currentAsOf(website: Website): Promise<string> {
  // Waits 3 ms, because an earlier change in the same millisecond as as_of would count as a later change.
  await new Promise((resolve) => setTimeout(resolve, 3));
  return (await changesSince(website, BEGINNING)).asOf;
}

/** Returns the slugs of the items. The slug of a removed tour begins with a minus. */
export function slugsOf(items: CatalogEntry[]): string[] {
  return items.map(({ slug, removed }) => (removed ? `-${slug}` : slug));
}

/** Deletes the tours, with their departures and rules. */
export async function clearCatalog(db: Db): Promise<void> {
  const rules = ['visibility_tour_rules', 'visibility_continent_rules', 'price_rules'];
  for (const table of ['departures', ...rules, 'tours']) await db(table).delete();
}

/** Empties the catalog before each test, and returns functions that change and read it. @param reader the tenant that reads by default */
export function useCatalogChanges(api: { readonly db: Db }, reader: Website) {
  beforeEach(() => clearCatalog(api.db));
  const change = ({ id }: GivenTour, columns: object) => api.db('tours').where({ id }).update(columns);
  return {
    changesSince: (since: string, who = reader, query?: string) => changesSince(who, since, query),
    now: (who = reader) => currentAsOf(who),
    since: async (time: string, who = reader) => slugsOf((await changesSince(who, time)).items),
    given: (slug: string, more: object = {}) => givenTour(api.db, { slug, name: slug, ...more }),
    change,
    archive: (tour: GivenTour) => change(tour, { status: 'archived' }),
  };
}

/** Returns the columns of a tour's new name. */
export function renamed(name: string) {
  return { name, name_folded: foldName(name) };
}

export function hoursAgo(hours: number): string {
  return new Date(Date.now() - hours * 3_600_000).toISOString();
}

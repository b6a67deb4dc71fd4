import type { Db } from '../../platform/database/database';
import type { Tenant } from '../tenants/tenant';
import type { ListLanguages } from './catalog-languages';
import { type CatalogChanges, changesBindings, hasChanged } from './catalog-changes.repository';
import type { CatalogSort, ListedTour, PagePosition, Tour, TourSelection } from './tour';
import {
  LISTED_COLUMNS,
  TOUR_COLUMNS,
  UPCOMING,
  UPCOMING_BY_CATEGORY,
  withCategories,
} from './tour.repository';
import {
  HAS_NO_TOUR_RULE,
  IS_SELLABLE,
  SHOWN_BY_RULES,
  VISIBLE_CONTINENTS,
  visibilityJoins,
} from './visibility';
import { openAt } from './departure-state';

interface Selection extends TourSelection {
  /** Selects only tours that have one of these changes. */
  changes?: CatalogChanges;
  /** The tenant's selling currency. Selects only tours whose prices can be converted to it. */
  sellIn?: string | null;
}

interface CatalogPageRequest extends Selection {
  limit: number;
  sort?: CatalogSort;
  /** The languages of a list that is not in each tour's own language. */
  languages?: ListLanguages;
  /** The last tour of the previous page. */
  after?: PagePosition;
}

interface PlacedTour<T> {
  tour: T;
  position: PagePosition;
}

/**
 * Returns one page of the tours that a tenant sees. Sorts them by folded name and id, or by next departure, folded name and id. Uses the
 * index of the rules and the list of visible continents, so that page 3,000 takes no longer than page 1. A join with coalesce() would
 * read the whole catalog (27 to 46 ms for 100,000 tours).
 */
export async function findCatalogPage(
  db: Db,
  tenant: Tenant,
  page: CatalogPageRequest,
): Promise<PlacedTour<ListedTour>[]> {
  return selectPage(db, tenant, page, LISTED_COLUMNS, UPCOMING);
}

/** Returns the page of findCatalogPage with all fields of each tour. */
export async function findCompleteTours(
  db: Db,
  tenant: Tenant,
  page: CatalogPageRequest,
): Promise<PlacedTour<Tour>[]> {
  return selectPage(db, tenant, page, TOUR_COLUMNS, UPCOMING_BY_CATEGORY);
}

async function selectPage<T extends ListedTour>(
  db: Db,
  tenant: Tenant,
  request: CatalogPageRequest,
  columns: string,
  upcoming: string,
): Promise<PlacedTour<T>[]> {
  const page = { ...request, sellIn: tenant.sellIn };
  const { after } = page;
  const byDate = page.sort === 'next_departure_date';
  const toPage = page.languages ? pageByShownName : pageByName;
  const at = byDate ? await readTime(db, after?.at ?? null) : undefined;
  const { rows } = await db.raw(
    `${VISIBLE_CONTINENTS},
     ${byDate ? pageByDate(page) : toPage(page)}
     select ${columns}, page.sort_key
     from page join tours t on t.id = page.id ${upcoming}
     order by page.sort_key, page.id`,
    {
      ...selectionBindings(page),
      ...page.languages,
      ...changesBindings(page.changes),
      tenantId: tenant.id,
      sellIn: page.sellIn,
      defaultVisible: tenant.defaultVisible,
      limit: page.limit,
      readAt: at ?? null,
      ...positionBindings(page.after),
    },
  );
  return rows.map(({ sortKey, ...tour }: T & { sortKey: string }) => ({
    tour: withCategories(tour) as unknown as T,
    position: byDate ? { sortKey, at } : { nameFolded: sortKey, id: tour.id },
  }));
}

function positionBindings(after: PagePosition | undefined) {
  return {
    afterKey: after?.sortKey ?? null,
    afterName: after?.nameFolded ?? null,
    afterId: after?.id ?? null,
  };
}

/**
 * Returns the time at which the first page was read, or the time one hour ago if that is later. Each page computes the next departures that
 * have changed since then, so the limit keeps their number small. Returns text, because a Date would drop the microseconds.
 */
async function readTime(db: Db, first: string | null): Promise<string> {
  const { rows } = await db.raw(
    `select greatest(coalesce(:first::timestamptz, clock_timestamp()), clock_timestamp() - interval '1 hour')::text as "readAt"`,
    { first },
  );
  return rows[0].readAt;
}

/** Returns the condition that a tour comes after the last tour of the previous page. */
function isAfter(page: CatalogPageRequest, name: string, id: string): string {
  return page.after ? `and (${name}, ${id}) > (:afterName, :afterId::uuid)` : '';
}

/** Reads the tours that a tour rule shows, and the tours without a tour rule in visible continents. Reads both in the order of an index. */
function pageByName(page: CatalogPageRequest): string {
  // The index of tags also has the order of folded name, then id.
  const byTag = page.tag !== undefined;
  const [row, id] = byTag ? ['g', 'tour_id'] : ['t', 'id'];
  const listed = byTag ? `tour_tags g join tours t on t.id = g.tour_id and g.tag = :tag` : 'tours t';
  return `page as (
       (select r.tour_id as id, r.name_folded as sort_key
        from visibility_tour_rules r join tours t on t.id = r.tour_id and t.status = 'published'
        where r.tenant_id = :tenantId and r.visible ${selectionOf(page, { row: 'r' })} ${isAfter(page, 'r.name_folded', 'r.tour_id')}
        order by r.name_folded, r.tour_id limit :limit)
       union all
       (select found.id, found.name_folded
        from seen cross join lateral (
          select t.id, t.name_folded from ${listed}
          where t.status = 'published' and ${row}.continent = seen.continent
            and ${HAS_NO_TOUR_RULE}
            ${selectionOf({ ...page, tag: undefined }, { row })} ${isAfter(page, `${row}.name_folded`, `${row}.${id}`)}
          order by ${row}.name_folded, ${row}.${id} limit :limit) found)
       order by sort_key, id limit :limit
     )`;
}

/**
 * Reads the tours of pageByName in the order of the names that a list in a language shows. Reads three kinds of tours. It sorts all tours
 * that a tour rule shows. It reads those without translations by their own names. It reads those with translations by continent and by the
 * combination of their languages, because all tours of a combination show the same language. An index has the order of the last two kinds.
 */
function pageByShownName(page: CatalogPageRequest): string {
  return `page as (
       (${ruledTours(page)})
       union all
       (${untranslatedTours(page)})
       union all
       (${translatedTours(page)})
       order by sort_key, id limit :limit
     )`;
}

function ruledTours(page: CatalogPageRequest): string {
  const name = 'coalesce(n.name_folded, t.name_folded)';
  const selection = selectionOf(page, {
    row: 'r',
    hasName: 'coalesce(n.searched, t.name_folded) like :pattern',
  });
  return `select t.id, ${name} as sort_key
        from visibility_tour_rules r join tours t on t.id = r.tour_id and t.status = 'published'
          left join lateral (
            select n.name_folded, n.searched from tour_names n
            where n.tour_id = t.id and (n.languages, n.language) in (select * from unnest(:combinations::text[], :shown::text[]))) n on true
        where r.tenant_id = :tenantId and r.visible ${selection} ${isAfter(page, name, 't.id')}
        order by sort_key, t.id limit :limit`;
}

function untranslatedTours(page: CatalogPageRequest): string {
  const byTag = page.tag !== undefined;
  const [row, id] = byTag ? ['g', 'tour_id'] : ['t', 'id'];
  const listed = byTag
    ? 'tour_tags g join tours t on t.id = g.tour_id where g.tag = :tag and not g.is_translated'
    : "tours t where t.translation_names = '{}'";
  return `select found.id, found.name_folded as sort_key
        from seen cross join lateral (
          select t.id, ${row}.name_folded from ${listed}
            and t.status = 'published' and ${row}.continent = seen.continent and ${HAS_NO_TOUR_RULE}
            ${selectionOf({ ...page, tag: undefined }, { row })} ${isAfter(page, `${row}.name_folded`, `${row}.${id}`)}
          order by ${row}.name_folded, ${row}.${id} limit :limit) found`;
}

function translatedTours(page: CatalogPageRequest): string {
  const byTag = page.tag !== undefined;
  const listed = byTag ? 'tour_tag_names n' : 'tour_names n';
  const selection = byTag
    ? `and n.tag = :tag ${selectionOf({ ...page, tag: undefined }, { row: 'n', hasName: HAS_SHOWN_NAME })}`
    : selectionOf(page, { row: 'n', country: 'n.country', hasName: 'n.searched like :pattern' });
  return `select found.tour_id as id, found.name_folded as sort_key
        from seen cross join unnest(:combinations::text[], :shown::text[]) as combination (languages, language) cross join lateral (
          select n.tour_id, n.name_folded from ${listed} join tours t on t.id = n.tour_id and t.status = 'published'
          where n.languages = combination.languages and n.language = combination.language and n.continent = seen.continent
            and ${HAS_NO_TOUR_RULE} ${selection} ${isAfter(page, 'n.name_folded', 'n.tour_id')}
          order by n.name_folded, n.tour_id limit :limit) found`;
}

/**
 * SQL condition: the own name of the tour `t`, or its name in the shown language, contains the text. The subquery does not refer to `t`, so
 * that the planner may begin with the tours of a rare name.
 */
const HAS_SHOWN_NAME = `t.id in (
        select o.id from tours o where o.name_folded like :pattern
        union all
        select s.tour_id from tour_names s where s.searched like :pattern
          and (s.languages, s.language) in (select * from unnest(:combinations::text[], :shown::text[])))`;

/**
 * Reads the tours of pageByName in the order of their next departures, which are stored in a table (0105_departures.sql). Computes the next
 * departure instead in three cases: the tour has changed, the stored departure has closed, or the row was written after the first page was
 * read.
 */
function pageByDate(page: CatalogPageRequest): string {
  const selection = selectionOf(page, {
    at: ':readAt::timestamptz',
    hasName: page.languages && HAS_SHOWN_NAME,
  });
  const after = (key: string) => (page.after ? `and ${key} > :afterKey` : '');
  const known = `${selection} ${after('n.sort_key')}
            and n.open_until > :readAt::timestamptz and n.computed_at <= :readAt::timestamptz
            and not exists (select from next_departures_due due where due.tour_id = n.tour_id)
          order by n.sort_key limit :limit`;
  return `unknown as materialized (
       select tour_id from next_departures where open_until <= :readAt::timestamptz
       union select tour_id from next_departures where computed_at > :readAt::timestamptz
       union select tour_id from next_departures_due
     ),
     page as (
       (select n.tour_id as id, n.sort_key
        from continents c cross join lateral (
          select n.* from next_departures n
            join visibility_tour_rules r on r.tour_id = n.tour_id and r.tenant_id = :tenantId and r.visible
            join tours t on t.id = n.tour_id and t.status = 'published'
          where n.continent = c.continent and r.continent = c.continent ${known}) n)
       union all
       (select n.tour_id, n.sort_key
        from seen cross join lateral (
          select n.* from next_departures n join tours t on t.id = n.tour_id and t.status = 'published'
          where n.continent = seen.continent
            and ${HAS_NO_TOUR_RULE} ${known}) n)
       union all
       (select t.id, next.sort_key
        from unknown u join tours t on t.id = u.tour_id
          ${visibilityJoins(':tenantId')}
          cross join lateral (
            select next_departure_key(min(d.departure_date), t.name_folded, t.id) as sort_key from departures d
            where d.tour_id = t.id
              and ${openAt(':readAt::timestamptz')}) next
        where ${SHOWN_BY_RULES} ${selection} ${after('next.sort_key')}
        order by next.sort_key limit :limit)
       order by sort_key limit :limit
     )`;
}

interface SelectedRows {
  /** The name of a table that has copies of the tour's columns continent and name_folded. */
  row?: string;
  /** The column of the country. */
  country?: string;
  /** An SQL expression: the time at which departures must be open. */
  at?: string;
  /** SQL condition: the name contains the text. */
  hasName?: string;
}

/** Returns the conditions for the tour `t` of a statement, each after `and`. */
function selectionOf(
  selection: Selection,
  {
    row = 't',
    country = 't.country',
    at = 'statement_timestamp()',
    hasName = `${row}.name_folded like :pattern`,
  }: SelectedRows = {},
): string {
  const conditions = [
    selection.continent !== undefined && `${row}.continent = :continent`,
    selection.nameContains !== undefined && hasName,
    selection.country !== undefined && `${country} = :country`,
    selection.tag !== undefined && 't.id in (select g.tour_id from tour_tags g where g.tag = :tag)',
    ...durationConditions(selection),
    departsBetween(selection, at),
    hasChanged(selection.changes),
    selection.sellIn != null && IS_SELLABLE,
  ];
  return conditions
    .filter(Boolean)
    .map((condition) => `and ${condition}`)
    .join(' ');
}

function durationConditions({ durationMin, durationMax }: Selection): (string | false)[] {
  return [
    durationMin !== undefined && 't.duration_days >= :durationMin',
    durationMax !== undefined && 't.duration_days <= :durationMax',
  ];
}

/**
 * Returns the condition that the tour `t` has an open departure on the dates of the selection. The subquery does not refer to `t`, so that
 * the planner may begin with the departures of a rare date.
 */
function departsBetween({ departsFrom, departsTo }: Selection, at: string): string | undefined {
  const departs = [
    departsFrom !== undefined && 'd.departure_date >= :departsFrom::date',
    departsTo !== undefined && 'd.departure_date <= :departsTo::date',
  ].filter(Boolean);
  if (departs.length === 0) return undefined;
  return `t.id in (select d.tour_id from departures d join tours z on z.id = d.tour_id where ${departs.join(' and ')}
         and ${openAt(at, 'z')})`;
}

function selectionBindings({ nameContains, ...selection }: TourSelection) {
  return {
    continent: selection.continent ?? null,
    pattern: `%${escapeLike(nameContains ?? '')}%`,
    country: selection.country ?? null,
    tag: selection.tag ?? null,
    departsFrom: selection.departsFrom ?? null,
    departsTo: selection.departsTo ?? null,
    durationMin: selection.durationMin ?? null,
    durationMax: selection.durationMax ?? null,
  };
}

function escapeLike(text: string): string {
  return text.replace(/[\\%_]/g, '\\$&');
}

import { type Db, inTransaction, type Trx } from '../../platform/database/database';
import type { Tenant } from '../tenants/tenant';
import { andSellable, visibleByRules } from './visibility';
import type { TourRef } from './tour';

/** The changes of the catalog that concern a tenant, from a given time on. */
export interface CatalogChanges {
  /** RFC 3339. A change at this time counts. */
  since: string;
  /** True: every tour counts as changed, because a rule for all tours has changed, or not all changes since `since` are recorded. */
  everything: boolean;
  /** The continents for which a rule has changed. */
  continents: string[];
  /**
   * Ids of the tours that have changed, or whose tour rule has changed. Undefined: too many tours have changed, or there were too many
   * commits.
   */
  tourIds: string[] | undefined;
}

/**
 * The most commits since the given time that a page steps through. Also counts commits without a stored change, because reading them takes
 * as much time.
 */
const MANY_COMMITS = 20_000;
/**
 * The most changed tours that a page looks up by their ids. If more tours have changed, the page reads the catalog in the order of the list
 * and checks each tour. Such a page fills soon, because so many tours have changed.
 */
const MANY_TOURS = 5000;

/** SQL condition: the change `c` belongs to a rule for many tours: a continent rule or the default (0113_versions_and_changes.sql). */
const IS_WIDE = "(c.scope = 'default' or c.scope like 'in %')";
/** Joins the changes `c` to the commits since `:since`. */
const SINCE = 'catalog_commits k on k.change_id = c.change_id and k.at >= :since::timestamptz';

/** @param since RFC 3339; changes at this time count */
export async function findCatalogChanges(db: Db, tenantId: string, since: string): Promise<CatalogChanges> {
  const scopes = await db.raw<{ rows: { scope: string }[] }>(
    `select c.scope from tenant_changes c join ${SINCE} where c.tenant_id = :tenantId and ${IS_WIDE}
     union select 'default' from catalog_commits where change_id = 0 and at >= :since::timestamptz`,
    { tenantId, since },
  );
  const wide = scopes.rows.map(({ scope }) => scope);
  const tourIds = await findChangedTours(db, tenantId, since);
  return { since, everything: wide.includes('default'), continents: continentsOf(wide), tourIds };
}

/**
 * Returns the ids of the tours that have changed, and of the tours whose tour rule has changed. Undefined: there are too many commits or
 * too many such tours.
 */
async function findChangedTours(db: Db, tenantId: string, since: string): Promise<string[] | undefined> {
  const commits = await db.raw<{ rows: [{ count: number }] }>(
    'select count(*) from (select from catalog_commits k where k.at >= :since::timestamptz limit :most) k',
    { since, most: MANY_COMMITS + 1 },
  );
  if (commits.rows[0].count > MANY_COMMITS) return undefined;
  const tours = await db.raw<{ rows: { id: string }[] }>(
    // Reads the changes of each commit by a lateral join with offset 0. Without the offset, the planner would read a complete table of
    // changes.
    `(select c.id from catalog_commits k cross join lateral (
        select c.tour_id::text as id from tour_changes c where c.change_id = k.change_id offset 0) c
      where k.at >= :since::timestamptz limit :most)
     union all
     (select c.scope from catalog_commits k cross join lateral (
        select c.scope from tenant_changes c where c.change_id = k.change_id and c.tenant_id = :tenantId and not ${IS_WIDE} offset 0) c
      where k.at >= :since::timestamptz limit :most)`,
    { tenantId, since, most: MANY_TOURS + 1 },
  );
  return tours.rows.length > MANY_TOURS ? undefined : tours.rows.map(({ id }) => id);
}

function continentsOf(scopes: string[]): string[] {
  return scopes.filter((scope) => scope !== 'default').map((scope) => scope.slice('in '.length));
}

export function changesBindings(changes: CatalogChanges | undefined) {
  if (!changes) return {};
  const { since, continents, tourIds } = changes;
  return { since, changedContinents: continents, changedTours: tourIds ?? null };
}

/** Returns the condition that the tour `t` has changed for the tenant; undefined if every tour counts as changed. */
export function hasChanged(changes: CatalogChanges | undefined): string | undefined {
  if (!changes || changes.everything) return undefined;
  const { continents, tourIds } = changes;
  // Reads the time of the last change with max(), for which PostgreSQL uses an index. With exists(), PostgreSQL would first read all
  // changes.
  const byItself = tourIds
    ? 't.id = any(:changedTours::uuid[])'
    : `coalesce((select max(k.at) from tour_changes c join ${SINCE} where c.tour_id = t.id),
         (select max(k.at) from tenant_changes c join ${SINCE} where c.tenant_id = :tenantId and c.scope = t.id::text)) is not null`;
  return continents.length === 0
    ? byItself
    : `(t.continent = any(:changedContinents::text[]) or ${byItself})`;
}

/**
 * Returns, in id order, the tours that the tenant does not see now but saw at some time since `since`. Applies no filter, because a filter
 * would reveal fields of a tour that the tenant does not see.
 */
export async function findTourRefs(
  db: Db,
  tenant: Pick<Tenant, 'id' | 'sellIn'>,
  { since: inclusive, after, limit }: { since: string; after: string; limit: number },
): Promise<TourRef[]> {
  // Subtracts one millisecond, so that the list includes tours that were hidden exactly at the given time.
  const since = new Date(Date.parse(inclusive) - 1).toISOString();
  const { id: tenantId, sellIn } = tenant;
  const hidden = await findHiddenScopes(db, tenantId, since);
  const { rows } = await db.raw<{ rows: TourRef[] }>(
    `with own as materialized (
       -- Tours whose publication has ended.
       select c.tour_id from tour_publications c
         join catalog_commits k on k.change_id = c.until_change and k.at > :since::timestamptz
       where c.tour_id > :after::uuid
       union
       -- Tours whose tour rule has changed.
       select c.scope::uuid from tenant_changes c join ${SINCE}
       where c.tenant_id = :tenantId and not ${IS_WIDE} and c.scope > :after
     )
     select t.id, t.slug from ${candidates(hidden)}
     -- The CASE evaluates the costly condition WAS_SEEN only for tours that the tenant does not see now.
     where t.id > :after::uuid and case when ${IS_SEEN} ${andSellable(tenant)} then false else ${wasSeen(hidden)} end
     order by t.id limit :limit`,
    {
      tenantId,
      sellIn,
      since,
      after,
      limit,
      hiddenContinents: hidden.continents,
      ruledContinents: hidden.ruled,
    },
  );
  return rows;
}

interface HiddenScopes {
  /** True: the tenant's default showed tours at some time, and has hidden them since. */
  byDefault: boolean;
  /** The continents whose rule has hidden tours. */
  continents: string[];
  /** The continents whose rule has not changed. The tenant's default never applied to the tours of these continents. */
  ruled: string[];
  /** True: the tenant has had a selling currency at some time. */
  hadSellingCurrency: boolean;
  /** True: the selling currency has changed, so tours whose rate is missing may have become invisible. */
  bySellingCurrency: boolean;
}

/** Returns the scopes that have hidden tours since `since`. A scope is a continent rule or the tenant's default. */
async function findHiddenScopes(db: Db, tenantId: string, since: string): Promise<HiddenScopes> {
  const selling = await db.raw<{ rows: [{ hadSellingCurrency: boolean; bySellingCurrency: boolean }] }>(
    `select count(*) > 0 as had_selling_currency,
       coalesce(bool_or(upper(c.during) > :since::timestamptz), false) as by_selling_currency
     from visibility_times c where c.tenant_id = :tenantId and c.scope like 'sells %'`,
    { tenantId, since },
  );
  const { rows } = await db.raw<{
    rows: { scope: string; visible: boolean; began: boolean; ended: boolean }[];
  }>(
    `select c.scope, c.visible, coalesce(lower(c.during) > :since::timestamptz, false) as began, not upper_inf(c.during) as ended
     from visibility_times c
     where c.tenant_id = :tenantId and ${IS_WIDE} and (upper_inf(c.during) or upper(c.during) > :since::timestamptz)`,
    { tenantId, since },
  );
  const defaults = rows.filter(({ scope }) => scope === 'default');
  const ofContinents = rows.filter(({ scope }) => scope !== 'default');
  const showsByDefault = defaults.some(({ visible }) => visible);
  const hides = ofContinents.filter(({ visible, began, ended }) =>
    visible ? ended : began && showsByDefault,
  );
  return {
    byDefault: defaults.some(({ visible, ended }) => visible && ended),
    continents: continentsOf(hides.map(({ scope }) => scope)),
    ruled: continentsOf(
      ofContinents.filter(({ began, ended }) => !began && !ended).map(({ scope }) => scope),
    ),
    ...selling.rows[0],
  };
}

/**
 * Returns SQL for the tours that may have been removed: the tours of `own` in id order and, if a scope has hidden tours, all tours of this
 * scope. If the selling currency has changed, returns all tours.
 */
function candidates({ byDefault, continents, bySellingCurrency }: HiddenScopes): string {
  if (bySellingCurrency) return 'tours t';
  if (!byDefault && continents.length === 0)
    return '(select tour_id from own order by tour_id) o join tours t on t.id = o.tour_id';
  const inScope = byDefault
    ? '(continent <> all(:ruledContinents::text[]) or continent = any(:hiddenContinents::text[]))'
    : 'continent = any(:hiddenContinents::text[])';
  return `(select * from tours where ${inScope} or id in (select tour_id from own)) t`;
}

/**
 * The same condition as SHOWN_BY_RULES, with subqueries in place of joins. With subqueries, PostgreSQL reads the tours in the order of their
 * index, and stops when the page is full.
 */
const IS_SEEN = `t.status = 'published' and ${visibleByRules({
  tour: '(select r.visible from visibility_tour_rules r where r.tenant_id = :tenantId and r.tour_id = t.id)',
  continent:
    '(select r.visible from visibility_continent_rules r where r.tenant_id = :tenantId and r.continent = t.continent)',
  default: '(select n.default_visible from tenants n where n.id = :tenantId)',
})}`;

/** Returns SQL for the times of all periods of a scope. @param visible 'v.visible': only the periods in which the scope was visible */
const times = (scope: string, visible = 'true') =>
  `coalesce(range_agg(v.during) filter (where v.scope = ${scope} and ${visible}), '{}')`;

/**
 * Returns the condition that at some time since `:since`, the tour was published, the tenant's visibility rules showed it, and its price
 * could be converted to the tenant's selling currency.
 */
function wasSeen({ hadSellingCurrency }: HiddenScopes): string {
  return `exists (
       select from tour_publication_times p cross join lateral (
         select ${times("'usable'", 'v.visible')} * (
           ${times('t.id::text', 'v.visible')}
           + ((${times("'in ' || p.continent", 'v.visible')}
               + (${times("'default'", 'v.visible')} - ${times("'in ' || p.continent")}))
              - ${times('t.id::text')})) as seen
         from visibility_times v
         where v.tenant_id = :tenantId and v.scope = any(array['usable', 'default', 'in ' || p.continent, t.id::text])) v
       where p.tour_id = t.id and v.seen ${hadSellingCurrency ? '* sellable_times(:tenantId, p.currency)' : ''}
         && tstzmultirange(p.during * tstzrange(:since::timestamptz, null)))`;
}

/**
 * Deletes the periods that ended more than 31 days before the last change. Also deletes the commits from before this time to which no
 * stored change refers. Only one process at a time does this.
 */
export async function pruneCatalogChanges(db: Db): Promise<void> {
  await inTransaction(db, pruneStep);
}

async function pruneStep(trx: Trx): Promise<void> {
  const claim = await trx.raw("select pg_try_advisory_xact_lock(hashtext('catalog changes')) as claimed");
  if (!claim.rows[0].claimed) return;
  const old = `select k.change_id from catalog_commits k, change_version v where k.at < v.changed_at - interval '31 days'`;
  await trx.raw(`delete from tour_publications where until_change in (${old})`);
  await trx.raw(`delete from visibility_periods where until_change in (${old})`);
  await trx.raw(
    `delete from catalog_commits k where k.change_id in (${old})
       and not exists (select from tour_changes c where c.change_id = k.change_id)
       and not exists (select from tenant_changes c where c.change_id = k.change_id)`,
  );
}

import type { Db } from '../../platform/database';

/** The first key of the locks of catalog_change_time() in migration 0024. */
const CHANGE_LOCK = 20_280_028;

/**
 * Returns a time that is older than any transaction that may still commit a change of the catalog, RFC 3339 (ADR 28). Read the
 * list after it, in a statement of its own. Reads the clock before the locks: a change whose lock is not there yet is later.
 */
export async function readAsOf(db: Db): Promise<string> {
  const { rows } = await db.raw<{ rows: [{ asOf: Date }] }>(
    `with clock as materialized (select clock_timestamp() as at)
     select date_trunc('milliseconds', least(clock.at, writers.oldest)) as as_of
     from clock cross join lateral (
       select to_timestamp(min(l.objid::bigint)) as oldest
       from pg_locks l join pg_database d on d.oid = l.database and d.datname = current_database()
       where l.locktype = 'advisory' and l.objsubid = 2 and l.classid = :lock::bigint::oid and clock.at is not null) writers`,
    { lock: CHANGE_LOCK },
  );
  return rows[0].asOf.toISOString();
}

/** The changes of the catalog for a tenant since a time. */
export interface CatalogChanges {
  /** RFC 3339, inclusive. */
  since: string;
  /** The tours that have changed by themselves; undefined if they are many. */
  tourIds: string[] | undefined;
  /** The tours that may have become invisible by themselves; undefined if they are many. */
  hiddenIds: string[] | undefined;
  /** Whether a rule for all tours has changed. */
  everything: boolean;
  /** The continents for which a rule has changed. */
  continents: string[];
  /** The same for the rules of visibility alone. */
  everythingShown: boolean;
  /** What the rules for all tours, and those for continents, have shown at some instant since then: `default`, `in asia`. */
  scopesSeen: string[];
  continentsShown: string[];
}

/** Up to so many tours, a page begins with their ids; with more of them, it finds some soon in the order of the catalog. */
const MANY_TOURS = 5000;

/** Selects the tours whose publication has ended, or for which a rule of visibility has changed, since `:updatedSince`. */
const HIDDEN_THEMSELVES = `select p.tour_id from tour_publications p
     where p.until_at >= :updatedSince::timestamptz and p.until_at < 'infinity'
     union all
     select c.tour_id from tenant_changes c
     where c.tenant_id = :tenantId and c.changed_at >= :updatedSince::timestamptz and c.of_visibility and c.tour_id is not null`;

/** @param since RFC 3339, inclusive */
export async function findCatalogChanges(db: Db, tenantId: string, since: string): Promise<CatalogChanges> {
  const rules = await db.raw<{ rows: { continent: string | null; ofVisibility: boolean }[] }>(
    `select distinct continent, of_visibility from tenant_changes
     where tenant_id = :tenantId and tour_id is null and changed_at >= :since::timestamptz`,
    { tenantId, since },
  );
  const tours = await db.raw<{ rows: { tourId: string }[] }>(
    `(select c.tour_id from tour_changes c where c.changed_at >= :since::timestamptz order by c.changed_at limit :most)
     union all
     (select c.tour_id from tenant_changes c
      where c.tenant_id = :tenantId and c.tour_id is not null and c.changed_at >= :since::timestamptz
      order by c.changed_at limit :most)`,
    { tenantId, since, most: MANY_TOURS + 1 },
  );
  const hidden = await db.raw<{ rows: { tourId: string }[] }>(
    `select tour_id from (${HIDDEN_THEMSELVES}) hidden limit :most`,
    { tenantId, updatedSince: since, most: MANY_TOURS + 1 },
  );
  const seen = await db.raw<{ rows: { scope: string }[] }>(
    `select distinct scope from visibility_periods
     where tenant_id = :tenantId and visible and until_at > :since::timestamptz and (scope = 'default' or scope like 'in %')`,
    { tenantId, since },
  );
  const shown = rules.rows.filter(({ ofVisibility }) => ofVisibility);
  const isEverything = ({ continent }: { continent: string | null }) => continent === null;
  return {
    since,
    tourIds: idsOf(tours.rows),
    hiddenIds: idsOf(hidden.rows),
    everything: rules.rows.some(isEverything),
    continents: rules.rows.flatMap(({ continent }) => continent ?? []),
    everythingShown: shown.some(isEverything),
    scopesSeen: seen.rows.map(({ scope }) => scope),
    continentsShown: shown.flatMap(({ continent }) => continent ?? []),
  };
}

function idsOf(rows: { tourId: string }[]): string[] | undefined {
  return rows.length > MANY_TOURS ? undefined : rows.map(({ tourId }) => tourId);
}

export function changesBindings(changes: CatalogChanges | undefined) {
  if (!changes) return {};
  return {
    updatedSince: changes.since,
    changedTours: changes.tourIds ?? null,
    hiddenTours: changes.hiddenIds ?? null,
    changedContinents: changes.continents,
    continentsShown: changes.continentsShown,
    scopesSeen: changes.scopesSeen,
  };
}

/** Returns the condition, after `and`, that the tour `t` has changed for the tenant since `:updatedSince`; none without it. */
export function hasChanged(changes: CatalogChanges | undefined): string {
  if (!changes || changes.everything) return '';
  // A maximum is read from an index. With exists() the planner reads all changes first.
  const byItself = changes.tourIds
    ? 't.id = any(:changedTours::uuid[])'
    : `greatest((select max(c.changed_at) from tour_changes c where c.tour_id = t.id),
         (select max(c.changed_at) from tenant_changes c where c.tenant_id = :tenantId and c.tour_id = t.id)) >= :updatedSince::timestamptz`;
  if (changes.continents.length === 0) return `and ${byItself}`;
  return `and (t.continent = any(:changedContinents::text[]) or ${byItself})`;
}

/**
 * Returns the part of a page, as its other parts select them, with the tours that the tenant does not see, and could see at some
 * instant since `:updatedSince`. Begins with those whose own visibility has changed, and those in the scope of a rule that has.
 * Ignores the filters of the list: they may be true for what the tenant saw, and must not tell what is in a tour now.
 * @param sortKey an SQL expression
 * @param after the condition, after `and`, that the tour comes after the page before
 */
export function removedTours(changes: CatalogChanges | undefined, sortKey: string, after: string): string {
  if (!changes) return '';
  const themselves = changes.hiddenIds
    ? 't.id = any(:hiddenTours::uuid[])'
    : `t.id in (${HIDDEN_THEMSELVES})`;
  const { everythingShown, continentsShown } = changes;
  const byContinent = continentsShown.length > 0 && 't.continent = any(:continentsShown::text[])';
  const candidates = everythingShown
    ? 'true'
    : byContinent
      ? `(${byContinent} or ${themselves})`
      : themselves;
  // Cheaper than the function, for a tenant that sees little.
  const maySee = changes.scopesSeen.includes('default')
    ? 'true'
    : `(exists (select from tour_publications p where p.tour_id = t.id and 'in ' || p.continent = any(:scopesSeen::text[]))
           or exists (select from visibility_periods v
                      where v.tenant_id = :tenantId and v.scope = t.id::text and v.visible and v.until_at > :updatedSince::timestamptz))`;
  // Without joins, so that many candidates are read in the order of the index tours_by_any_name until the page is full.
  return `union all
       (select t.id, ${sortKey}, true
        from tours t
        where ${candidates} ${after}
          and case
            when t.status = 'published' and coalesce(
              (select vt.visible from visibility_tour_rules vt where vt.tenant_id = :tenantId and vt.tour_id = t.id),
              (select vc.visible from visibility_continent_rules vc where vc.tenant_id = :tenantId and vc.continent = t.continent),
              (select n.default_visible from tenants n where n.id = :tenantId)) then false
            when ${maySee} then tour_was_visible(:tenantId, t.id, :updatedSince::timestamptz)
            else false end
        order by t.name_folded, t.id limit :limit)`;
}

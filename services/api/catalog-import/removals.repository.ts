import { queryStage, type Stage } from './stage.repository';

/**
 * Stages the changes of a pruning import that are not in its entries. Archived tours that the files have are published again, unless
 * the entry has a status. Departures that a list lacks are removed.
 * @param slugs of the files; undefined: the files contain only departures, so no tour is archived
 */
export async function stageRemovals(stage: Stage, slugs: string[] | undefined): Promise<void> {
  await queryStage(
    stage,
    `update staged_tours s set columns = s.columns || '{"status": "published"}' from tours t
     where t.slug = s.slug and t.status = 'archived' and not jsonb_exists(s.columns, 'status')`,
  );
  await queryStage(
    stage,
    `insert into staged_departures (entry, departure_date)
     select s.entry, d.departure_date
     from staged_tours s join tours t on t.slug = s.slug join departures d on d.tour_id = t.id
     where s.has_list and not exists (
       select from staged_departures g where g.entry = s.entry and g.departure_date = d.departure_date)`,
  );
  if (!slugs) return;
  await queryStage(
    stage,
    `insert into staged_tours (entry, slug, columns)
     select -row_number() over (order by slug), slug, '{"status": "archived"}'
     from tours where status <> 'archived' and slug <> all(?)`,
    [slugs],
  );
}

/** Limits `named`. */
const MOST_NAMED = 1000;

/** The tours and departures that a pruning import would archive, delete and cancel. */
export interface Removals {
  /** Digest of all removals, to detect that they have changed. */
  digest: string;
  /** The first removals, as text. */
  named: string[];
}

export async function findRemovals(stage: Stage): Promise<Removals> {
  const [row] = await queryStage<Removals>(
    stage,
    `select coalesce(md5(string_agg(name, ',' order by entry < 0, slug, name)), '') as digest,
            coalesce((array_agg(name order by entry < 0, slug, name))[1:?], '{}') as named
     from (select t.entry, t.slug, format('%s %s %s', d.action, t.slug, d.departure_date) as name
           from changed_departures d join changed_tours t on t.entry = d.entry where d.action in ('delete', 'cancel')
           union all
           select entry, slug, format('archive %s', slug) from changed_tours where action = 'archive') as removal`,
    [MOST_NAMED],
  );
  return row!;
}

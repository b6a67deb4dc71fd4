import type { Db, Trx } from '../../platform/database';
import type { KnownTour } from './known-tour';
import { runOn, type Stage, type StagedTourImport } from './stage.repository';

/**
 * What imports remember of tours, so that an entry that is in the file again to the letter is not read. It counts as long as
 * `tour_edits` has no row of the tour: triggers write one with whatever changes the tour or its departures.
 * @param prune the tour must be what a pruning import would leave
 */
export async function findKnownTours(
  stage: Stage,
  digests: string[],
  prune: boolean,
): Promise<Map<string, KnownTour>> {
  const rows: (KnownTour & { digest: string })[] = await runOn(
    stage,
    `select encode(i.digest, 'hex') as digest, t.slug, i.departures
     from tour_imports i join tours t on t.id = i.tour_id
     where i.digest = any(array(select decode(asked.hex, 'hex') from unnest(?::text[]) as asked(hex)))
       and (i.exact or not ?) and not exists (select from tour_edits e where e.tour_id = i.tour_id)`,
    [digests, prune],
  );
  return new Map(rows.map(({ digest, slug, departures }) => [digest, { slug, departures }]));
}

/** What stood in the way of remembering a tour before it was compared. */
export type SeenOfTour = Pick<StagedTourImport, 'tour_id' | 'stamp' | 'edits'>;

/** By slug. To be asked before the tours are compared: what is written after this is not among it, and goes on standing in the way. */
export async function findSeen(db: Db, slugs: string[]): Promise<Map<string, SeenOfTour>> {
  if (slugs.length === 0) return new Map();
  const { rows } = await db.raw(
    `select t.slug, t.id as tour_id, i.stamp::text as stamp,
            array(select e.id from tour_edits e where e.tour_id = t.id)::text as edits
     from tours t left join tour_imports i on i.tour_id = t.id where t.slug = any(?)`,
    [slugs],
  );
  type Seen = Omit<SeenOfTour, 'tour_id'> & { slug: string; tourId: string };
  return new Map(rows.map(({ slug, tourId, ...seen }: Seen) => [slug, { tour_id: tourId, ...seen }]));
}

/**
 * Remembers what is staged, at the end of the transaction that writes it and after `claimImport`. What another import has
 * remembered since stays. Of a tour that changes without an entry to remember, what was remembered is over.
 */
export async function rememberStaged(trx: Trx): Promise<void> {
  await trx.raw(
    'delete from staged_imports s using tour_imports i where i.tour_id = s.tour_id and i.stamp is distinct from s.stamp',
  );
  await trx.raw(
    'delete from tour_edits e using staged_imports s where e.tour_id = s.tour_id and e.id = any(s.edits)',
  );
  // Its own edits are what it compared; those of others to the same tour stay.
  await trx.raw(
    `delete from tour_edits e using changed_tours s
     where e.tour_id = s.tour_id and e.transaction = pg_current_xact_id()`,
  );
  await trx.raw(
    `insert into tour_imports (tour_id, digest, exact, departures)
     select tour_id, s.digest, coalesce(s.exact, false), coalesce(s.departures, 0)
     from changed_tours c full join staged_imports s using (tour_id)
     on conflict (tour_id) do update set digest = excluded.digest, exact = excluded.exact,
       departures = excluded.departures, stamp = default`,
  );
}
